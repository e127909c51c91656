#pragma once

#include "heed/nn/attention.h"
#include "heed/nn/convolution.h"
#include "heed/nn/feed_forward.h"
#include "heed/nn/norm.h"

namespace heed::nn {

struct ConformerOptions {
  AttentionOptions attention{};  // its width is the block's
  Index hidden = 0;              // of the feed-forward halves; 0: four times the width
  Index taps = 31;               // rows that the depthwise convolution sees; odd
  float epsilon = 1e-5f;
  float dropout = 0.0f;  // on the hidden layers, and on what each branch adds
  Index layers = 1;
};

// What a Conformer block adds to attention: how a row's neighbours sound.
//   (rows, width) → the same.  Parameters: norm1, in, depthwise, norm2, out.
//
//   norm → linear to 2 · width → GLU → depthwise convolution → norm → SiLU → linear
//
// The second norm is a layer norm where the paper has a batch norm: that one would need the means
// of the whole batch, which is ragged and dealt to workers who do not know of each other, and it
// computes something else in training than afterwards.
class ConvolutionModule {
 public:
  ConvolutionModule(const Scope& scope, const ConformerOptions& options);

  Sequences operator()(Context& context, const Sequences& x) const;
  double flops(Index rows) const {
    return in_.flops(rows) + depthwise_.flops(rows) + out_.flops(rows);
  }

 private:
  Normalization norm1_;
  Linear in_;
  Convolution1d depthwise_;
  Normalization norm2_;
  Linear out_;
};

// The Conformer block (Gulati et al. 2020), for what is both near and far: speech above all.
//   (rows, width) → the same.
//   Parameters: feed_forward1, attention, convolution, feed_forward2, and norm1, norm2, norm3
//   before the first, second and last of these, norm4 at the end.
//
//   x + ½ feed_forward(x) → x + attention(x) → x + convolution(x) → x + ½ feed_forward(x) → norm
class ConformerLayer {
 public:
  ConformerLayer(const Scope& scope, const ConformerOptions& options);

  Sequences operator()(Context& context, const Sequences& x) const;
  const FeedForward& feed_forward1() const { return feed_forward1_; }
  const MultiHeadAttention& attention() const { return attention_; }
  const ConvolutionModule& convolution() const { return convolution_; }
  const FeedForward& feed_forward2() const { return feed_forward2_; }

 private:
  float dropout_;
  FeedForward feed_forward1_;
  MultiHeadAttention attention_;
  ConvolutionModule convolution_;
  FeedForward feed_forward2_;
  Normalization norm1_, norm2_, norm3_, norm4_;
};

// A stack of Conformer blocks.
//   (rows, width) → the same.  Parameters: layers.0, layers.1, …
class Conformer {
 public:
  Conformer(const Scope& scope, const ConformerOptions& options);

  Sequences operator()(Context& context, const Sequences& x) const;

  Index layers() const { return static_cast<Index>(layers_.size()); }
  const ConformerLayer& layer(Index i) const { return layers_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<ConformerLayer> layers_;
};

}  // namespace heed::nn
