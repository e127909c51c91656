#pragma once

#include <vector>

#include "tests/reference/matrix.h"

namespace heed::reference {

// Where a kernel stands, in one dimension.
struct Axis {
  int taps = 1, stride = 1, dilation = 1, padding = 0;

  int output(int length) const {
    int count = 0;
    while (count * stride + dilation * (taps - 1) < length + 2 * padding) ++count;
    return count;
  }
};

// weight[o][c][k] as PyTorch lays it out, (out, in / groups, taps).
template <typename T>
Matrix<T> convolution1d(const Matrix<T>& x, const std::vector<int>& lengths, int out, int groups,
                        const Axis& axis, const std::vector<T>& weight,
                        const std::vector<T>& bias) {
  const int group_in = x.columns / groups, group_out = out / groups;
  Matrix<T> y(0, out);
  int begin = 0;
  for (const int length : lengths) {
    for (int t = 0; length > 0 && t < axis.output(length); ++t, ++y.rows) {
      for (int o = 0; o < out; ++o) {
        T sum = bias.empty() ? T(0.0) : bias[static_cast<std::size_t>(o)];
        for (int c = 0; c < group_in; ++c) {
          for (int k = 0; k < axis.taps; ++k) {
            const int row = t * axis.stride + k * axis.dilation - axis.padding;
            if (row < 0 || row >= length) continue;
            sum += weight[static_cast<std::size_t>((o * group_in + c) * axis.taps + k)] *
                   x(begin + row, o / group_out * group_in + c);
          }
        }
        y.values.push_back(sum);
      }
    }
    begin += length;
  }
  return y;
}

// weight[o][c][i][j], (out, in / groups, kernel height, kernel width); an image is height · width
// rows of x.
template <typename T>
Matrix<T> convolution2d(const Matrix<T>& x, int height, int width, int out, int groups,
                        const Axis& vertical, const Axis& horizontal, const std::vector<T>& weight,
                        const std::vector<T>& bias) {
  const int part = x.columns / groups;
  Matrix<T> y(0, out);
  for (int first = 0; first < x.rows; first += height * width) {
    for (int top = 0; top < vertical.output(height); ++top) {
      for (int left = 0; left < horizontal.output(width); ++left, ++y.rows) {
        for (int o = 0; o < out; ++o) {
          T sum = bias.empty() ? T(0.0) : bias[static_cast<std::size_t>(o)];
          const int channel = o / (out / groups) * part;
          for (int c = 0; c < part; ++c) {
            for (int i = 0; i < vertical.taps; ++i) {
              for (int j = 0; j < horizontal.taps; ++j) {
                const int line = top * vertical.stride + i - vertical.padding;
                const int column = left * horizontal.stride + j - horizontal.padding;
                if (line < 0 || line >= height || column < 0 || column >= width) continue;
                const int at = ((o * part + c) * vertical.taps + i) * horizontal.taps + j;
                sum += weight[static_cast<std::size_t>(at)] *
                       x(first + line * width + column, channel + c);
              }
            }
          }
          y.values.push_back(sum);
        }
      }
    }
  }
  return y;
}

}  // namespace heed::reference
