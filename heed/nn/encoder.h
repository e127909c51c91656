#pragma once

#include <vector>

#include "heed/nn/attention.h"
#include "heed/nn/feed_forward.h"
#include "heed/nn/memory_bank.h"
#include "heed/nn/norm.h"

namespace heed::nn {

enum class NormOrder {
  kPost,  // norm(x + f(x)), the order of Vaswani et al. 2017
  kPre,   // x + f(norm(x))
};

struct EncoderOptions {
  AttentionOptions attention{};
  FeedForwardOptions feed_forward{};  // its width is taken from attention
  NormOrder order = NormOrder::kPost;
  Norm norm = Norm::kLayer;
  float epsilon = 1e-5f;
  float dropout = 0.0f;  // on what each branch adds
  Index layers = 1;
};

// Self-attention and feed-forward, each with a residual connection and a norm.
//   (rows, width) → the same.  Parameters: attention, feed_forward, norm1, norm2.
class EncoderLayer {
 public:
  EncoderLayer(const Scope& scope, const EncoderOptions& options);

  Sequences operator()(Context& context, const Sequences& x,
                       const AttentionExtras& extras = {}) const;

 private:
  NormOrder order_;
  float dropout_;
  MultiHeadAttention attention_;
  FeedForward feed_forward_;
  Normalization norm1_, norm2_;
};

// A stack of encoder layers, with a last norm in pre-norm order.
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

  Index layers() const { return static_cast<Index>(layers_.size()); }

 private:
  std::vector<EncoderLayer> layers_;
  std::optional<Normalization> norm_;
};

}  // namespace heed::nn
