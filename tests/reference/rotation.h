#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "heed/tensor/layout.h"
#include "tests/reference/matrix.h"

namespace heed::reference {

// Where rotary positions turn the rows of a ragged batch.
struct Turns {
  std::vector<Index> lengths;    // rows of each sequence
  std::vector<Index> positions;  // of the row behind the last of each sequence
  Index columns = 0;             // the first so many of a row
  Index depth = 2;               // of a head
  double base = 10000.0;
  std::optional<Extent> grid{};  // positions in pictures of this size
};

// Su et al. 2021: the pair (x_j, x_{j + depth/2}) of a head as a complex number, times e^(i p θ_j)
// with θ_j = base^(−2j / depth). Of a picture p is the line for the first half of the pairs, the
// larger one, and the column for the others, whose θ begin anew.
template <typename T>
Matrix<T> turned(const Matrix<T>& x, const Turns& turns) {
  Matrix<T> y = x;
  const Index half = turns.depth / 2;
  int row = 0;
  for (std::size_t s = 0; s < turns.lengths.size(); ++s) {
    for (Index i = 0; i < turns.lengths[s]; ++i, ++row) {
      const Index position = turns.positions[s] - turns.lengths[s] + i;
      for (int column = 0; column < turns.columns; ++column) {
        const Index j = column % turns.depth;
        Index place = position, pair = j % half;
        if (turns.grid) {
          const Index lines = half - half / 2;
          place = pair < lines ? position / turns.grid->width : position % turns.grid->width;
          pair %= lines;
        }
        const double angle =
            static_cast<double>(place) * std::pow(turns.base, -2.0 * static_cast<double>(pair) /
                                                                  static_cast<double>(turns.depth));
        const int partner = column + static_cast<int>(j < half ? half : -half);
        const double sine = j < half ? -std::sin(angle) : std::sin(angle);
        y(row, column) = T(std::cos(angle)) * x(row, column) + T(sine) * x(row, partner);
      }
    }
  }
  return y;
}

}  // namespace heed::reference
