#include "heed/model/body/cnn.h"

#include <fmt/format.h>

#include "heed/model/options.h"
#include "heed/nn/convolution.h"
#include "heed/nn/norm.h"
#include "heed/nn/residual.h"

namespace heed {
namespace {

struct Block {
  Block(const Scope& scope, const CnnOptions& options, Index width, Index dilation)
      : norm(scope / "norm", width, nn::Norm::kLayer),
        in(scope / "in", {width, options.hidden, options.taps, options.dimensions, dilation}),
        out(scope / "out", {options.hidden, width, options.taps, options.dimensions, dilation}) {}

  nn::Normalization norm;
  nn::NeighbourConvolution in, out;
};

class CnnNetwork : public BodyNetwork {
 public:
  CnnNetwork(const Scope& scope, const CnnOptions& options, Index width)
      : options_(options), width_(width), norm_(scope / "norm", width, nn::Norm::kLayer) {
    if (options_.hidden == 0) options_.hidden = width;
    for (Index i = 0, dilation = 1; i < options_.layers; ++i, dilation *= options_.dilation) {
      blocks_.emplace_back(scope / "layers" / i, options_, width, dilation);
    }
  }

  Sequences operator()(Context& context, const Sequences& x) const override {
    if (!blocks_.empty() && blocks_.front().in.misses_pictures(x)) {
      throw UsageError("body.dimensions 2: the input gives sequences, not pictures; expected 1");
    }
    Sequences y = x;
    for (const Block& block : blocks_) {
      const Sequences hidden = block.in(context, block.norm(context, y));  // (rows, hidden)
      const Var active = grad::activation(context, hidden.rows, nn::Activation::kRelu);
      const Var kept = grad::dropout(context, active, context.dropout(options_.dropout, x.layout));
      y = nn::add_residual(context, y, block.out(context, {kept, x.layout}), 0.0f);
    }
    return norm_(context, y);
  }

  void describe(Plan& plan) const override {
    const Index rows = plan.rows();
    Index reach = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const std::string scope = fmt::format("layers.{}.", i);
      plan.set_layer(fmt::format("layer {}", i + 1));
      plan.add("norm", {rows, width_}, {.scope = scope + "norm", .note = "layer norm"});
      plan.add("convolution", {rows, options_.hidden},
               {scope + "in", blocks_[i].in.flops(rows), taps_text() + ", relu"});
      reach += 2 * dilation_of(i) * (options_.taps - 1) / 2;
      plan.add("convolution", {rows, width_},
               {scope + "out", blocks_[i].out.flops(rows),
                fmt::format("{}, residual; sees {} on each side", taps_text(), reach)});
    }
    plan.set_layer("");
    plan.add("norm", {rows, width_}, {.scope = "norm", .note = "layer norm"});
  }

 private:
  Index dilation_of(std::size_t block) const {
    Index dilation = 1;
    for (std::size_t i = 0; i < block; ++i) dilation *= options_.dilation;
    return dilation;
  }
  std::string taps_text() const {
    return options_.dimensions == 2 ? fmt::format("{} × {} taps", options_.taps, options_.taps)
                                    : fmt::format("{} taps", options_.taps);
  }

  CnnOptions options_;
  Index width_;
  std::vector<Block> blocks_;
  nn::Normalization norm_;
};

}  // namespace

template <class Archive>
void describe(Archive& archive, CnnOptions& options) {
  archive.field("dimensions", options.dimensions, between(1, 2));
  archive.field("layers", options.layers, between(1, kMostLayers));
  archive.field("taps", options.taps, between(1, kMostRows));
  archive.check("taps", options.taps % 2 == 1, "an odd number");
  archive.field("dilation", options.dilation, between(1, kMostRows));
  archive.field("hidden", options.hidden, between(0, kMostWidth));
  archive.field("dropout", options.dropout, part_of_one());
}

template void describe(JsonReader&, CnnOptions&);
template void describe(JsonWriter&, CnnOptions&);

std::string CnnBody::problem(Index) const {
  if (options_.dimensions == 2 && options_.dilation > 1) {
    return fmt::format("dilation {}: expected 1 with dimensions 2", options_.dilation);
  }
  double reach = static_cast<double>(options_.taps);
  for (Index i = 1; i < options_.layers && reach <= kMostRows; ++i) {
    reach *= static_cast<double>(options_.dilation);
  }
  if (reach > kMostRows) {
    return fmt::format("dilation {}: {} layers would see more than {} vectors; expected less",
                       options_.dilation, options_.layers, static_cast<Index>(kMostRows));
  }
  return {};
}

void CnnBody::apply(const SizePreset& size) {
  options_.layers = size.layers;
  options_.dropout = size.dropout;
}

std::unique_ptr<BodyNetwork> CnnBody::network(const Scope& scope, Index width) const {
  return std::make_unique<CnnNetwork>(scope, options_, width);
}

}  // namespace heed
