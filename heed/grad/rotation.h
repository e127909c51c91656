#pragma once

#include "heed/grad/context.h"
#include "heed/kernel/matmul.h"

namespace heed::grad {

// Rotary positions (RoFormer, Su et al. 2021): pairs of columns (d, d + depth/2) of each head turn
// by an angle that grows with the position. Row i of sequence s has position
// positions.length(s) − layout.length(s) + i, so that rows may be the last of a longer sequence.
// Where the positions are a grid, half of the pairs turn with a row's line in the picture and the
// others with its column, each by the faster half of the rates: what one row sees of another
// depends on how far it is below and to the right, wherever the two are.
//
// Trivially destructible: the tables live in the arena of the context, and a tape can keep it.
class Rotation {
 public:
  struct Heads {
    Index count, depth;  // the first count · depth columns of a row; depth is even
    float base = 10000.0f;
  };

  Rotation() = default;  // turns nothing
  Rotation(Context& context, const Layout& layout, const Layout& positions, const Heads& heads);

  explicit operator bool() const { return heads_ > 0; }
  const Layout& layout() const { return layout_; }
  Index columns() const { return 2 * heads_ * half_; }

  // The rows of one sequence, `stride` numbers from one to the next, which begin at `from` and
  // `to`. In place is fine. The turn back is the transpose of the turn, so it carries gradients.
  enum class Direction { kForward, kBack };
  void turn(Index sequence, const float* from, float* to, Index stride, Direction direction,
            kernel::Store store = kernel::Store::kOverwrite) const;

 private:
  Layout layout_, positions_;
  Index heads_ = 0, half_ = 0;
  Index begin_ = 0;       // the position of the first line of the tables
  Tensor cosine_, sine_;  // (positions, half)
};

}  // namespace heed::grad
