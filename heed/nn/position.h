#pragma once

#include "heed/grad/embedding.h"

namespace heed::nn {

// How a model knows the order of vectors. The first three are added to vectors, on their way into a
// model (Positions) or into a layer's attention; the last three change scores inside attention
// (AttentionOptions::position).
enum class Position { kNone, kSinusoidal, kTriangular, kLearned, kRotary, kAlibi, kRelative };

inline bool added_to_input(Position position) {
  return position == Position::kSinusoidal || position == Position::kTriangular ||
         position == Position::kLearned;
}

struct PositionOptions {
  Position kind = Position::kSinusoidal;
  Index width = 0;
  Index longest = 4096;  // a longer sequence is an error
};

// x + position:  (rows, width) → the same.
//
//   - sinusoidal: sin and cos of p / 10000^(2i / width) in even and odd columns (Vaswani et al.
//   2017)
//   - triangular: the same periods and phases with a triangular wave between −1 and 1
//   - learned: parameter weight (longest, width)
//
// Other kinds add nothing here.
class Positions {
 public:
  Positions(const Scope& scope, const PositionOptions& options);

  Sequences operator()(Context& context, const Sequences& x) const {
    return (*this)(context, x, x.layout);
  }
  // Rows that are the last of longer sequences, of which `seen` has all: decoding step by step.
  Sequences operator()(Context& context, const Sequences& x, const Layout& seen) const;

 private:
  PositionOptions options_;
  Buffer fixed_;
  const Parameter* learned_ = nullptr;
};

// The slopes of ALiBi (Press et al. 2021): 2^(−8 h / heads), h = 1 … heads.
std::vector<float> alibi_slopes(Index heads);

}  // namespace heed::nn
