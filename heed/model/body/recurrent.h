#pragma once

#include "heed/model/body.h"
#include "heed/nn/recurrent.h"

namespace heed {

struct RecurrentBodyOptions {
  Index hidden = 0;  // of the state, in each direction; 0: as the width
  Index layers = 2;
  bool bidirectional = true;
  float dropout = 0.1f;  // between layers
};
template <class Archive>
void describe(Archive& archive, RecurrentBodyOptions& options);

// RNN, LSTM or GRU layers, read serially, and a linear layer back to the model's width.
//   (rows, width) → (rows, width).  Parameters: recurrent, out.
class RecurrentBody : public PartOf<RecurrentBody, Body, RecurrentBodyOptions> {
 public:
  explicit RecurrentBody(nn::RecurrentKind kind) : kind_(kind) {}

  std::string causal_problem() const override {
    return options_.bidirectional ? "bidirectional true: a state comes from the end, expected false"
                                  : std::string();
  }
  std::unique_ptr<BodyNetwork> network(const Scope& scope, Index width) const override;
  void set_dropout(float rate) override { options_.dropout = rate; }
  void apply(const SizePreset& size) override;

 private:
  nn::RecurrentKind kind_;
};

}  // namespace heed
