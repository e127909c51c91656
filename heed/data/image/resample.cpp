#include "heed/data/image/resample.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace heed {
namespace {

// What one new pixel along an axis is made of: old pixels `first` … and their weights, which add up
// to 1.
struct Mix {
  Index first = 0;
  std::vector<float> weights;
};

std::vector<Mix> mixes(Index old_size, double begin, double size, Index new_size) {
  const double scale = size / static_cast<double>(new_size);  // old pixels for each new one
  const double reach = std::max(1.0, scale);
  std::vector<Mix> all;
  for (Index i = 0; i < new_size; ++i) {
    const double centre = begin + (static_cast<double>(i) + 0.5) * scale;
    const auto last = static_cast<Index>(std::ceil(centre + reach));
    Mix mix;
    mix.first = std::clamp<Index>(static_cast<Index>(std::floor(centre - reach)), 0, old_size - 1);
    double sum = 0.0;
    for (Index j = mix.first; j < std::min(last, old_size); ++j) {
      const double distance = std::abs(static_cast<double>(j) + 0.5 - centre) / reach;
      mix.weights.push_back(static_cast<float>(std::max(0.0, 1.0 - distance)));
      sum += static_cast<double>(mix.weights.back());
    }
    if (sum <= 0.0) {  // the picture has nothing there but its edge
      mix.weights.assign(1, 1.0f);
      sum = 1.0;
    }
    for (float& weight : mix.weights) weight = static_cast<float>(weight / sum);
    all.push_back(std::move(mix));
  }
  return all;
}

// Lines at their new width: (lines, to_width, channels)
std::vector<float> resample_lines(const Pixels& picture, const std::vector<Mix>& columns,
                                  Index first_line, Index lines) {
  const Index channels = picture.channels, line = picture.width * channels;
  std::vector<float> result(static_cast<std::size_t>(lines * std::ssize(columns) * channels));
  float* to = result.data();
  for (Index y = first_line; y < first_line + lines; ++y) {
    for (const Mix& mix : columns) {
      const std::uint8_t* from = picture.values.data() + y * line + mix.first * channels;
      for (Index c = 0; c < channels; ++c) {
        float sum = 0.0f;
        for (std::size_t j = 0; j < mix.weights.size(); ++j) {
          sum += mix.weights[j] * static_cast<float>(from[static_cast<Index>(j) * channels + c]);
        }
        *to++ = sum;
      }
    }
  }
  return result;
}

}  // namespace

Region whole(const Pixels& picture) {
  return {0.0, 0.0, static_cast<double>(picture.height), static_cast<double>(picture.width)};
}

Region middle(const Pixels& picture, const Extent& extent) {
  const Region all = whole(picture);
  const double shape = static_cast<double>(extent.width) / static_cast<double>(extent.height);
  Region part = all;
  if (all.width > all.height * shape) {
    part.width = all.height * shape;
  } else {
    part.height = all.width / shape;
  }
  part.top = 0.5 * (all.height - part.height);
  part.left = 0.5 * (all.width - part.width);
  return part;
}

Pixels resample(const Pixels& picture, const Region& part, const Extent& to) {
  const Region all = whole(picture);
  const bool same =
      part.top == 0.0 && part.left == 0.0 && part.height == all.height && part.width == all.width;
  if (same && to == Extent{picture.height, picture.width}) return picture;
  const std::vector<Mix> columns = mixes(picture.width, part.left, part.width, to.width);
  const std::vector<Mix> rows = mixes(picture.height, part.top, part.height, to.height);
  // The lines that any new one is made of, and no others.
  const Index first = rows.front().first;
  const Index lines = rows.back().first + std::ssize(rows.back().weights) - first;
  const std::vector<float> wide = resample_lines(picture, columns, first, lines);
  const Index line = to.width * picture.channels;
  Pixels result{to.height, to.width, picture.channels, {}};
  result.values.reserve(static_cast<std::size_t>(to.height * line));
  std::vector<float> sums(static_cast<std::size_t>(line));
  for (const Mix& mix : rows) {
    std::fill(sums.begin(), sums.end(), 0.5f);  // to round
    const float* from = wide.data() + (mix.first - first) * line;
    for (const float weight : mix.weights) {
      for (float& sum : sums) sum += weight * *from++;
    }
    for (const float sum : sums) {
      result.values.push_back(static_cast<std::uint8_t>(std::clamp(sum, 0.0f, 255.0f)));
    }
  }
  return result;
}

Pixels with_channels(const Pixels& picture, Index channels) {
  if (picture.channels == channels) return picture;
  Pixels result{picture.height, picture.width, channels, {}};
  result.values.reserve(static_cast<std::size_t>(picture.height * picture.width * channels));
  const std::uint8_t* from = picture.values.data();
  for (Index i = 0; i < picture.height * picture.width; ++i, from += picture.channels) {
    if (channels == 3) {
      result.values.insert(result.values.end(), 3, from[0]);
    } else {
      const unsigned luma = 299u * from[0] + 587u * from[1] + 114u * from[2];
      result.values.push_back(static_cast<std::uint8_t>((luma + 500u) / 1000u));
    }
  }
  return result;
}

}  // namespace heed
