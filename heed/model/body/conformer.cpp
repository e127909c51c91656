#include "heed/model/body/conformer.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/model/options.h"

namespace heed {
namespace {

nn::ConformerOptions conformer_options(const ConformerBodyOptions& options,
                                       const AttentionSetting& setting) {
  nn::ConformerOptions conformer = options.conformer;
  conformer.attention =
      attention_options(conformer.attention, options.position.kind, options.seconds, setting);
  if (conformer.hidden == 0) conformer.hidden = 4 * setting.width;
  return conformer;
}

nn::PositionOptions position_options(const ConformerBodyOptions& options, Index width) {
  nn::PositionOptions position = options.position;
  position.width = width;
  return position;
}

class ConformerNetwork : public BodyNetwork {
 public:
  ConformerNetwork(const Scope& scope, const ConformerBodyOptions& options,
                   const AttentionSetting& setting)
      : position_(options.position.kind),
        options_(conformer_options(options, setting)),
        conformer_(scope, options_),
        positions_(scope / "positions", position_options(options, setting.width)) {}

  Sequences operator()(Context& context, const Sequences& x) const override {
    return conformer_(context, positions_(context, x));
  }

  void describe(Plan& plan) const override {
    if (nn::added_to_input(position_)) {
      plan.add("positions", {plan.rows(), options_.attention.width},
               {.scope = "positions", .note = fmt::format("+ {}", name_of(position_))});
    }
    for (Index i = 0; i < conformer_.layers(); ++i) describe_layer(plan, i);
    plan.set_layer("");
  }

 private:
  void describe_layer(Plan& plan, Index i) const;

  nn::Position position_;
  nn::ConformerOptions options_;
  nn::Conformer conformer_;
  nn::Positions positions_;  // after it: they are computed, and it may be too large
};

void ConformerNetwork::describe_layer(Plan& plan, Index i) const {
  const nn::ConformerLayer& layer = conformer_.layer(i);
  const Index rows = plan.rows();
  const std::string scope = fmt::format("layers.{}.", i);
  const auto add = [&](const char* name, const char* where, double flops, std::string note) {
    plan.add(name, {rows, options_.attention.width}, {scope + where, flops, std::move(note)});
  };
  const std::string half = fmt::format("{}, silu, half, residual", options_.hidden);
  plan.set_layer(fmt::format("layer {}", i + 1));
  add("norm", "norm1", 0.0, "layer norm");
  add("feed-forward", "feed_forward1", layer.feed_forward1().flops(rows), half);
  add("norm", "norm2", 0.0, "layer norm");
  add("attention", "attention", layer.attention().flops(rows), attention_note(options_.attention));
  add("convolution", "convolution", layer.convolution().flops(rows),
      fmt::format("GLU, {} taps for each channel, silu, residual", options_.taps));
  add("norm", "norm3", 0.0, "layer norm");
  add("feed-forward", "feed_forward2", layer.feed_forward2().flops(rows), half);
  add("norm", "norm4", 0.0, "layer norm");
}

}  // namespace

template <class Archive>
void describe(Archive& archive, ConformerBodyOptions& options) {
  nn::ConformerOptions& conformer = options.conformer;
  archive.field("position", options.position);
  archive.field("layers", conformer.layers, between(1, kMostLayers));
  archive.field("attention", conformer.attention);
  archive.field("hidden", conformer.hidden, between(0, kMostRows));
  archive.field("taps", conformer.taps, between(1, kMostRows));
  archive.check("taps", conformer.taps % 2 == 1, "an odd number");
  archive.field("epsilon", conformer.epsilon, above(0));
  archive.field("dropout", conformer.dropout, part_of_one());
  archive.field("seconds", options.seconds);
}

template void describe(JsonReader&, ConformerBodyOptions&);
template void describe(JsonWriter&, ConformerBodyOptions&);

std::string ConformerBody::problem(Index width) const {
  return attention_problem(options_.conformer.attention, options_.position.kind, width);
}

Index ConformerBody::longest() const {
  return longest_read(options_.conformer.attention, options_.position);
}

void ConformerBody::expect_rows(Index rows) {
  options_.position.longest = std::max(options_.position.longest, rows);
}

void ConformerBody::apply(const SizePreset& size) {
  nn::ConformerOptions& conformer = options_.conformer;
  conformer.attention.heads = size.heads;
  conformer.hidden = size.hidden;
  conformer.layers = size.layers;
  conformer.dropout = size.dropout;
}

std::unique_ptr<BodyNetwork> ConformerBody::network(const Scope& scope, Index width) const {
  return std::make_unique<ConformerNetwork>(scope, options_, AttentionSetting{width, row_seconds_});
}

}  // namespace heed
