#include "heed/nn/recurrent.h"

#include <cmath>

#include "heed/grad/linear.h"
#include "heed/grad/sequence.h"

namespace heed::nn {
namespace {

Index gate_count(RecurrentKind kind) {
  switch (kind) {
    case RecurrentKind::kRnn:
      return 1;
    case RecurrentKind::kLstm:
      return 4;
    case RecurrentKind::kGru:
      return 3;
  }
  return 0;
}

}  // namespace

Recurrent::Recurrent(const Scope& scope, const RecurrentOptions& options) : options_(options) {
  if (options.width < 1 || options.hidden < 1 || options.layers < 1) {
    fail<UsageError>("recurrent",
                     "expected a width, a hidden width and a number of layers of at least 1, got "
                     "{}, {} and {}",
                     options.width, options.hidden, options.layers);
  }
  for (Index layer = 0; layer < options.layers; ++layer) {
    const Index in = layer == 0 ? options.width : width();
    forward_.push_back(make_cell(scope / layer / "forward", in));
    if (options.bidirectional) backward_.push_back(make_cell(scope / layer / "backward", in));
  }
}

Recurrent::Cell Recurrent::make_cell(const Scope& scope, Index in) const {
  const Index hidden = options_.hidden, gates = gate_count(options_.kind) * hidden;
  const Init init = Init::uniform(1.0f / std::sqrt(static_cast<float>(hidden)));
  return {.weight_ih = &scope.add("weight_ih", {gates, in}, init),
          .weight_hh = &scope.add("weight_hh", {gates, hidden}, init),
          .bias_ih = &scope.add("bias_ih", {gates}, init, {.decay = false}),
          .bias_hh = &scope.add("bias_hh", {gates}, init, {.decay = false})};
}

Var Recurrent::run(Context& context, const Sequences& x, const Cell& cell,
                   grad::Direction direction, grad::RecurrentState* state) const {
  const grad::RecurrentWeights weights{
      context.parameter(*cell.weight_ih), context.parameter(*cell.weight_hh),
      context.parameter(*cell.bias_ih), context.parameter(*cell.bias_hh)};
  switch (options_.kind) {
    case RecurrentKind::kRnn:
      return grad::rnn(context, x, weights, direction, state);
    case RecurrentKind::kLstm:
      return grad::lstm(context, x, weights, direction, state);
    case RecurrentKind::kGru:
      return grad::gru(context, x, weights, direction, state);
  }
  return {};
}

void RecurrentStates::reorder(std::span<const Index> sequences) {
  const auto take = [&](std::vector<float>& states) {
    if (states.empty()) return;
    std::vector<float> kept;
    kept.reserve(sequences.size() * static_cast<std::size_t>(hidden_));
    for (const Index sequence : sequences) {
      const auto row = states.begin() + sequence * hidden_;
      kept.insert(kept.end(), row, row + hidden_);
    }
    states = std::move(kept);
  };
  for (grad::RecurrentState& layer : layers_) {
    take(layer.hidden);
    take(layer.cells);
  }
}

Sequences Recurrent::operator()(Context& context, const Sequences& x) const {
  return read(context, x, nullptr);
}

Sequences Recurrent::operator()(Context& context, const Sequences& x,
                                RecurrentStates& states) const {
  if (options_.bidirectional) {
    fail<UsageError>("recurrent", "states of both directions cannot go on");
  }
  states.layers_.resize(forward_.size());
  states.hidden_ = options_.hidden;
  return read(context, x, &states);
}

Sequences Recurrent::read(Context& context, const Sequences& x, RecurrentStates* states) const {
  Sequences y = x;
  for (std::size_t layer = 0; layer < forward_.size(); ++layer) {
    if (layer > 0) {
      y.rows = grad::dropout(context, y.rows, context.dropout(options_.dropout, y.layout));
    }
    Var rows = run(context, y, forward_[layer], grad::Direction::kForward,
                   states == nullptr ? nullptr : &states->layers_[layer]);  // (rows, hidden)
    if (options_.bidirectional) {
      rows = grad::beside(context, rows,
                          run(context, y, backward_[layer], grad::Direction::kReverse, nullptr));
    }
    y.rows = rows;
  }
  return y;
}

double Recurrent::flops(Index rows) const {
  double sum = 0.0;
  for (const std::vector<Cell>* direction : {&forward_, &backward_}) {
    for (const Cell& cell : *direction) {
      sum += 2.0 * static_cast<double>(rows) *
             static_cast<double>(cell.weight_ih->value.count() + cell.weight_hh->value.count());
    }
  }
  return sum;
}

}  // namespace heed::nn
