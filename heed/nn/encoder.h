#pragma once

#include <optional>
#include <vector>

#include "heed/nn/attention.h"
#include "heed/nn/convolution.h"
#include "heed/nn/feed_forward.h"
#include "heed/nn/memory_bank.h"
#include "heed/nn/norm.h"

namespace heed::nn {

enum class NormOrder {
  kPost,  // norm(x + f(x)), the order of Vaswani et al. 2017
  kPre,   // x + f(norm(x))
};

struct NeighbourOptions {
  Index taps = 0;  // rows that a convolution before attention sees, an odd number; 0: there is none
  // 1: over sequences. 2: over pictures, a square of taps × taps.
  Index dimensions = 1;
  Index layers = 0;  // the first so many layers of a stack have it; 0: all
  // Over sequences: a moving average in both directions joins what the convolution makes, so that a
  // row knows all that is read with it, before and behind it, in order (grad/moving_average).
  bool recurrent = false;
};

struct EncoderOptions {
  NeighbourOptions convolution{};
  AttentionOptions attention{};
  FeedForwardOptions feed_forward{};  // its width is taken from attention
  NormOrder order = NormOrder::kPost;
  Norm norm = Norm::kLayer;
  float epsilon = 1e-5f;
  float dropout = 0.0f;  // on what each branch adds
  // What each branch with a norm before it adds is multiplied by it: a small one lets a stack begin
  // as little more than its input. Post-norm branches of attention and feed-forward count whole.
  float branch = 1.0f;
  bool last_norm = true;  // behind the last layer, in pre-norm order
  Index layers = 1;
};

// What the rows next to a row say, in order: phrases, or the surroundings of a part of a picture,
// which attention alone would have to find by content and position together.
//   (rows, width) → the same: x + dropout(branch · relu(convolution(norm(x)))).
//   Where it is recurrent: x + dropout(branch · moving_average(convolution(norm(x)))), a
//   bidirectional QRNN (Bradbury et al. 2017).
//   Parameters: norm, taps.
class Neighbours {
 public:
  Neighbours(const Scope& scope, const EncoderOptions& options);

  // Rows that are `hidden` are as if they were beyond the ends of their sequence.
  Sequences operator()(Context& context, const Sequences& x,
                       std::span<const std::uint8_t> hidden) const;
  double flops(Index rows) const { return convolution_.flops(rows); }

 private:
  // (rows, width), or (rows, 2 · width) for a moving average
  Var convolve(Context& context, const Sequences& x, std::span<const std::uint8_t> hidden) const;

  float dropout_, branch_;
  bool recurrent_;
  Normalization norm_;
  NeighbourConvolution convolution_;
};

// Self-attention and feed-forward, each with a residual connection and a norm; before them, where
// it is asked for, a convolution.
//   (rows, width) → the same.
//   Parameters: convolution (where there is one), attention, feed_forward, norm1, norm2.
class EncoderLayer {
 public:
  EncoderLayer(const Scope& scope, const EncoderOptions& options);

  // The first part: x with its neighbours; x itself where there is no convolution. What comes out
  // is what a bank keeps of this layer.
  Sequences with_neighbours(Context& context, const Sequences& x,
                            std::span<const std::uint8_t> hidden = {}) const;
  // The rest: attention and feed-forward on what with_neighbours() returned.
  Sequences operator()(Context& context, const Sequences& x,
                       const AttentionExtras& extras = {}) const;
  const Neighbours* neighbours() const { return neighbours_ ? &*neighbours_ : nullptr; }
  const MultiHeadAttention& attention() const { return attention_; }
  const FeedForward& feed_forward() const { return feed_forward_; }
  // For a sequence of so many rows.
  double flops(Index rows) const {
    return (neighbours_ ? neighbours_->flops(rows) : 0.0) + attention_.flops(rows) +
           feed_forward_.flops(rows);
  }

 private:
  NormOrder order_;
  float dropout_, branch_;
  std::optional<Neighbours> neighbours_;
  MultiHeadAttention attention_;
  FeedForward feed_forward_;
  Normalization norm1_, norm2_;
};

// What a causal stack keeps between calls, where sequences go on. For evaluation; lives outside the
// context and grows with the sequences.
class EncoderCache {
 public:
  // Rows read so far.
  Index length(Index sequence) const {
    return layers_.empty() ? 0 : layers_.front().length(sequence);
  }
  // Keeps only these sequences, in this order, each perhaps more than once.
  void reorder(std::span<const Index> sequences) {
    for (KeyValueCache& layer : layers_) layer.reorder(sequences);
  }

 private:
  friend class Encoder;
  std::vector<KeyValueCache> layers_;
};

// A stack of encoder layers, with a last norm in pre-norm order, unless it is left out.
//   (rows, width) → the same.  Parameters: layers.0, layers.1, …, norm.
class Encoder {
 public:
  Encoder(const Scope& scope, const EncoderOptions& options);

  Sequences operator()(Context& context, const Sequences& x,
                       std::span<const std::uint8_t> hidden = {}) const;
  // Also attends to what `bank` kept from earlier segments, and keeps this one's states in it,
  // those of padding left out.
  Sequences operator()(Context& context, const Sequences& x, MemoryBank& bank,
                       std::span<const std::uint8_t> hidden = {}) const;

  // The next rows of sequences whose earlier rows were read with the same cache. The mask must be
  // causal; a convolution, which sees later rows, is a UsageError.
  Sequences operator()(Context& context, const Sequences& x, EncoderCache& cache) const;

  Index layers() const { return static_cast<Index>(layers_.size()); }
  const EncoderLayer& layer(Index i) const { return layers_[static_cast<std::size_t>(i)]; }
  // For sequences of these lengths.
  double flops(std::span<const Index> lengths) const;

 private:
  std::vector<EncoderLayer> layers_;
  std::optional<Normalization> norm_;
};

}  // namespace heed::nn
