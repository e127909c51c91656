#pragma once

#include <optional>
#include <span>
#include <vector>

#include "heed/nn/encoder.h"

namespace heed::nn {

// What a causal stack keeps between the steps of decoding: see DecoderCache.
class CausalCache {
 public:
  void clear() { layers_.clear(); }
  void reorder(std::span<const Index> sequences) {
    for (KeyValueCache& layer : layers_) layer.reorder(sequences);
  }

 private:
  friend class CausalStack;
  std::vector<KeyValueCache> layers_;
};

// A decoder that attends to nothing but what it has read: the stack of a language model.
//   (rows, width) → the same.  Parameters: layers.0, layers.1, …, norm.
// It has the options of an encoder, is always causal, and has no convolution.
class CausalStack {
 public:
  CausalStack(const Scope& scope, EncoderOptions options);

  // Whole sequences at once.
  Sequences operator()(Context& context, const Sequences& x) const;
  // The next rows of each sequence.
  Sequences operator()(Context& context, const Sequences& x, CausalCache& cache) const;
  double flops(Index rows) const;

 private:
  std::vector<EncoderLayer> layers_;
  std::optional<Normalization> norm_;
};

}  // namespace heed::nn
