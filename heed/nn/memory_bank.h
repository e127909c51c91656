#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heed/grad/context.h"

namespace heed::nn {

// The states that a stack keeps for the next segment of the same sequences: what went into each
// layer, the newest `rows` of each sequence, padding left out. They are constants: nothing is
// differentiated through them.
class MemoryBank {
 public:
  // For segments of which each is a pass of its own. Lives outside the context.
  explicit MemoryBank(Index rows);
  // For the segments of one pass through a stack of `layers`: states stay in the context's arena,
  // and nothing is allocated besides.
  MemoryBank(Context& context, Index layers, Index rows);

  void clear();
  // The segment that comes after the next to be read: states are kept only of the sequences that
  // have rows there. Until it is said, of all.
  void goes_on(const Layout& next) { next_ = next; }

 private:
  friend class Encoder;
  struct Layer {
    std::vector<float> values;
    std::vector<Index> lengths;
    Index width = 0;
  };
  // As sequences in the context's arena; none before the first segment. What is kept for other
  // sequences or of another width is a ShapeError.
  std::optional<Sequences> recall(Context& context, std::size_t layer, const Sequences& now) const;
  void keep(Context& context, std::size_t layer, const std::optional<Sequences>& before,
            const Sequences& now, std::span<const std::uint8_t> hidden);
  Sequences newest(Arena& arena, const std::optional<Sequences>& before, const Sequences& now,
                   std::span<const std::uint8_t> hidden) const;

  Index rows_;
  Layout next_{};
  std::vector<Layer> layers_;                       // of separate passes
  std::span<std::optional<Sequences>> in_context_;  // of one pass
};

}  // namespace heed::nn
