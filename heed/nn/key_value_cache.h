#pragma once

#include <memory>
#include <span>
#include <vector>

#include "heed/grad/attention.h"

namespace heed::nn {

// Keys and values of the rows so far, for generating row by row. In self-attention each call adds
// its own rows and attends to all; in attention to another sequence the first call keeps that
// sequence, and later ones do not look at what they are given as memory. For evaluation; lives
// outside the context.
//
// The rows of a sequence lie one after another and grow in place, the capacity doubling when it is
// used up, and attention reads them there: a step copies its own rows and nothing else. Sequences
// are apart from each other, so that some can leave and others be in their place. A sequence that
// is kept more than once has its rows once, until one of the copies grows: those of a memory, which
// never grow, are shared by all hypotheses of a beam.
class KeyValueCache {
 public:
  // Before the first call, and to begin anew.
  void clear() {
    sequences_.clear();
    any_hidden_ = false;
  }
  bool empty() const { return sequences_.empty(); }
  // Rows of a sequence that are kept; 0 where there is no such sequence.
  Index length(Index sequence) const;
  // Keeps only these sequences, in this order, each perhaps more than once: beam search.
  void reorder(std::span<const Index> sequences);

 private:
  friend class MultiHeadAttention;

  // Keys, values and which of them are hidden (none where that is empty), as one call has them.
  struct Memory {
    grad::Columns keys, values;
    Layout layout;
    std::span<const std::uint8_t> hidden;
    std::span<const grad::KeptRows> kept{};  // in place of keys and values, where they lie
  };

  // What does not fit to what is kept is a ShapeError.
  void expect(Index sequences, Index key_width, Index value_width) const;
  // All rows of these sequences that have asked, with those that ask now.
  Layout asked(Context& context, const Layout& now) const;
  // All rows that are kept, with those that are new.
  Layout seen(Context& context, const Layout& now) const;
  void add(const Memory& rows, Index key_width, Index value_width);
  void ask(const Layout& queries);
  // Everything that is kept, where it lies; valid until the next add(), reorder() or clear().
  Memory recall(Context& context, Index first);
  // The same as a copy in the context's arena.
  Memory copy(Context& context, Index first);

  struct Rows {
    std::vector<float> keys, values;
    std::vector<std::uint8_t> hidden;
    Index count = 0;
  };
  struct Sequence {
    std::shared_ptr<Rows> rows;
    Index queries = 0;  // rows that have asked: where the next one stands
  };
  // The rows of a sequence, to be added to: its own, where others had them too.
  static Rows& own(Sequence& sequence);

  Index key_width_ = 0, value_width_ = 0;
  bool any_hidden_ = false;
  std::vector<Sequence> sequences_;
};

}  // namespace heed::nn
