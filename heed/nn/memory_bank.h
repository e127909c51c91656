#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heed/grad/context.h"

namespace heed::nn {

// The states that a stack keeps for the next segment of the same sequences: what went into each
// layer, the newest `rows` of each sequence, padding left out. Lives outside the context.
class MemoryBank {
 public:
  explicit MemoryBank(Index rows);
  void clear() { layers_.clear(); }

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
  void keep(std::size_t layer, const std::optional<Sequences>& before, const Sequences& now,
            std::span<const std::uint8_t> hidden);

  Index rows_;
  std::vector<Layer> layers_;
};

}  // namespace heed::nn
