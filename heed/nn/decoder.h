#pragma once

#include <optional>
#include <span>
#include <vector>

#include "heed/nn/encoder.h"

namespace heed::nn {

struct DecoderOptions {
  AttentionOptions attention{};  // to itself, always causal
  Index memory_width = 0;        // of what cross-attention looks at; 0: as the width
  // To the memory; its width and memory_width are taken from above. When not given: as `attention`,
  // without its mask, positions and memory slots.
  std::optional<AttentionOptions> cross_attention{};
  FeedForwardOptions feed_forward{};  // its width is taken from attention
  NormOrder order = NormOrder::kPost;
  Norm norm = Norm::kLayer;
  float epsilon = 1e-5f;
  float dropout = 0.0f;  // on what each branch adds
  Index layers = 1;
};

// Rows that nobody may look at, for people who bring padded data: 1 at padding, or empty.
struct DecoderPadding {
  std::span<const std::uint8_t> rows{};    // of what is decoded
  std::span<const std::uint8_t> memory{};  // of the memory
};

// What a stack keeps between the steps of decoding. The first step keeps the memory's keys and
// values; later steps project only their own rows, and whatever is given as memory is not looked
// at. For evaluation; lives outside the context and grows with the sequences.
class DecoderCache {
 public:
  // Before the first step of other sequences.
  void clear() { layers_.clear(); }
  // Rows decoded so far.
  Index length(Index sequence) const;
  // Keeps only these sequences, in this order, each perhaps more than once: beam search.
  void reorder(std::span<const Index> sequences);

 private:
  friend class Decoder;
  friend class DecoderLayer;
  struct Layer {
    KeyValueCache self, cross;
  };
  std::vector<Layer> layers_;
};

// Causal self-attention, attention to a memory (an encoder's output) and feed-forward, each with a
// residual connection and a norm.
//   (rows, width) and memory (memory rows, memory_width) → (rows, width)
// Parameters: attention, cross_attention, feed_forward, norm1, norm2, norm3.
class DecoderLayer {
 public:
  DecoderLayer(const Scope& scope, const DecoderOptions& options);

  Sequences operator()(Context& context, const Sequences& x, const Sequences& memory,
                       const DecoderPadding& padding = {}) const;
  // For a sequence of so many rows over a memory of so many.
  double flops(Index rows, Index memory) const {
    return attention_.flops(rows) + cross_attention_.flops(rows, memory) +
           feed_forward_.flops(rows);
  }

 private:
  friend class Decoder;
  Sequences decode(Context& context, const Sequences& x, const Sequences& memory,
                   const DecoderPadding& padding, DecoderCache::Layer* cache) const;

  NormOrder order_;
  float dropout_;
  MultiHeadAttention attention_, cross_attention_;
  FeedForward feed_forward_;
  Normalization norm1_, norm2_, norm3_;
};

// A stack of decoder layers, with a last norm in pre-norm order.
//   (rows, width) and memory (memory rows, memory_width) → (rows, width)
// Parameters: layers.0, layers.1, …, norm.
class Decoder {
 public:
  Decoder(const Scope& scope, const DecoderOptions& options);

  // Whole sequences at once, for training.
  Sequences operator()(Context& context, const Sequences& x, const Sequences& memory,
                       const DecoderPadding& padding = {}) const;
  // The next rows of each sequence, one or more (or none) at a time. Padding of the memory is
  // looked at where the memory is, in the first step.
  Sequences operator()(Context& context, const Sequences& x, const Sequences& memory,
                       DecoderCache& cache, const DecoderPadding& padding = {}) const;
  double flops(Index rows, Index memory) const {
    double sum = 0.0;
    for (const DecoderLayer& layer : layers_) sum += layer.flops(rows, memory);
    return sum;
  }

 private:
  std::vector<DecoderLayer> layers_;
  std::optional<Normalization> norm_;
};

}  // namespace heed::nn
