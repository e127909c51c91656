#include "heed/model/body/recurrent.h"

#include <fmt/format.h>

#include "heed/model/options.h"
#include "heed/nn/linear.h"

namespace heed {
namespace {

const char* name_of(nn::RecurrentKind kind) {
  switch (kind) {
    case nn::RecurrentKind::kRnn:
      return "RNN";
    case nn::RecurrentKind::kLstm:
      return "LSTM";
    case nn::RecurrentKind::kGru:
      return "GRU";
  }
  return "?";
}

class RecurrentBodyState : public BodyState {
 public:
  void keep(std::span<const Index> sequences) override { states.reorder(sequences); }

  nn::RecurrentStates states;
};

class RecurrentNetwork : public BodyNetwork {
 public:
  RecurrentNetwork(const Scope& scope, const nn::RecurrentOptions& options)
      : options_(options),
        recurrent_(scope / "recurrent", options),
        out_(scope / "out", recurrent_.width(), options.width) {}

  Sequences operator()(Context& context, const Sequences& x) const override {
    return out_(context, recurrent_(context, x), {nn::Activation::kTanh});
  }

  std::unique_ptr<BodyState> begin() const override {
    return std::make_unique<RecurrentBodyState>();
  }
  Sequences next(Context& context, const Sequences& x, BodyState& state) const override {
    nn::RecurrentStates& states = static_cast<RecurrentBodyState&>(state).states;
    return out_(context, recurrent_(context, x, states), {nn::Activation::kTanh});
  }

  void describe(Plan& plan) const override {
    plan.add("recurrent", {plan.rows(), recurrent_.width()},
             {"recurrent", recurrent_.flops(plan.rows()),
              fmt::format("{}, {} layer{}{}", name_of(options_.kind), options_.layers,
                          options_.layers == 1 ? "" : "s",
                          options_.bidirectional ? ", both directions" : "")});
    plan.add("linear", {plan.rows(), out_.out()}, {"out", out_.flops(plan.rows()), "tanh"});
  }

 private:
  nn::RecurrentOptions options_;
  nn::Recurrent recurrent_;
  nn::Linear out_;
};

}  // namespace

template <class Archive>
void describe(Archive& archive, RecurrentBodyOptions& options) {
  archive.field("hidden", options.hidden, between(0, kMostRows));
  archive.field("layers", options.layers, between(1, kMostLayers));
  archive.field("bidirectional", options.bidirectional);
  archive.field("dropout", options.dropout, part_of_one());
}

template void describe(JsonReader&, RecurrentBodyOptions&);
template void describe(JsonWriter&, RecurrentBodyOptions&);

std::unique_ptr<BodyNetwork> RecurrentBody::network(const Scope& scope, Index width) const {
  nn::RecurrentOptions options;
  options.kind = kind_;
  options.width = width;
  options.hidden = options_.hidden > 0 ? options_.hidden : width;
  options.layers = options_.layers;
  options.bidirectional = options_.bidirectional;
  options.dropout = options_.dropout;
  return std::make_unique<RecurrentNetwork>(scope, options);
}

void RecurrentBody::apply(const SizePreset& size) {
  options_.layers = size.layers;
  options_.dropout = size.dropout;
}

}  // namespace heed
