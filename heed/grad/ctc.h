#pragma once

#include <span>

#include "heed/grad/context.h"

namespace heed::grad {

// The labels of each sequence one after another, and how many each has.
struct Labels {
  std::span<const std::int32_t> ids;
  std::span<const Index> lengths;  // (sequences)
};

// What becomes of a sequence whose labels do not fit into its rows.
enum class Impossible {
  kError,  // a ShapeError that names the sequence
  kZero,   // no loss and no gradient; it still counts for the divisor
};

struct CtcOptions {
  std::int32_t blank = 0;
  float divisor = 0.0f;  // 0: the number of sequences
  Impossible impossible = Impossible::kError;
};

// Connectionist temporal classification (Graves et al. 2006): −Σ log p(labels) over the sequences,
// divided by the divisor. p is the sum over all ways to give each row a class so that the labels
// remain when runs of one class are made one and then blanks are left out.
//   logits (rows, classes) → a single number
// The softmax over classes is taken inside. Labels need a row each, and one more between two of the
// same kind.
Var ctc(Context& context, const Sequences& logits, const Labels& labels,
        const CtcOptions& options = {});

}  // namespace heed::grad
