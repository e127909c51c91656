#include "heed/grad/recurrent.h"

#include <algorithm>

#include "heed/grad/check.h"
#include "heed/kernel/activation.h"
#include "heed/kernel/gate.h"
#include "heed/kernel/rows.h"

namespace heed::grad {
namespace {

using kernel::CellStep;
using kernel::Matrix;
using kernel::Store;

// Rows in the order of time: the first step of every sequence, longest sequence first, then the
// second step of those that have one, and so on. The sequences alive at a step are then a prefix of
// those alive at the step before, and each step's rows lie together.
struct Schedule {
  std::span<const Index> first;  // (steps + 1), where each step begins
  std::span<const Index> row;    // (rows), the row of the batch at each place
  std::span<const Index> order;  // (sequences), the longest first

  Index steps() const { return static_cast<Index>(first.size()) - 1; }
  Index begin(Index step) const { return first[static_cast<std::size_t>(step)]; }
  Index alive(Index step) const { return begin(step + 1) - begin(step); }
  Index rows() const { return static_cast<Index>(row.size()); }
};

Schedule schedule_of(Context& context, const Layout& layout, Direction direction) {
  const auto order = context.arena().array<Index>(layout.count());
  for (std::size_t s = 0; s < order.size(); ++s) order[s] = static_cast<Index>(s);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return layout.length(a) != layout.length(b) ? layout.length(a) > layout.length(b) : a < b;
  });
  const Index steps = order.empty() ? 0 : layout.length(order[0]);
  const auto first = context.arena().array<Index>(steps + 1);
  const auto row = context.arena().array<Index>(layout.rows());
  std::size_t place = 0;
  for (Index step = 0; step < steps; ++step) {
    first[static_cast<std::size_t>(step)] = static_cast<Index>(place);
    for (const Index s : order) {
      if (layout.length(s) <= step) break;
      row[place++] =
          direction == Direction::kForward ? layout.begin(s) + step : layout.end(s) - 1 - step;
    }
  }
  first[static_cast<std::size_t>(steps)] = static_cast<Index>(place);
  return {first, row, order};
}

// Rows of the batch in the order of the schedule, and back.
void pack(const Schedule& schedule, const float* from, float* to, Index width) {
  for (const Index row : schedule.row) {
    std::copy_n(from + row * width, width, to);
    to += width;
  }
}

void unpack(const Schedule& schedule, const float* from, float* to, Index width, Store store) {
  for (const Index row : schedule.row) {
    kernel::scale(width, 1.0f, from, to + row * width, store);
    from += width;
  }
}

// What the three kinds have in common: everything but what happens inside a step. Trivially
// destructible, so that the way back can keep it.
struct Pass {
  Var x;
  RecurrentWeights weights;
  Schedule schedule;
  Index in, hidden, gates;  // gates: all of them together, (gates · hidden) columns
  Tensor first{};           // (sequences, hidden) before the first step, where that is not zero
  Tensor first_cells{};

  Pass(const char* operation, Context& context, const Sequences& sequences,
       const RecurrentWeights& w, Direction direction, Index gate_count)
      : x(sequences.rows), weights(w) {
    expect_rows(operation, sequences);
    expect_matrix(operation, "hidden weight", w.hidden);
    in = sequences.width();
    hidden = w.hidden.columns();
    gates = gate_count * hidden;
    expect_shape(operation, "hidden weight", w.hidden, {gates, hidden});
    expect_shape(operation, "input weight", w.input, {gates, in});
    expect_shape(operation, "input bias", w.input_bias, {gates});
    expect_shape(operation, "hidden bias", w.hidden_bias, {gates});
    schedule = schedule_of(context, sequences.layout, direction);
  }

  // The states that sequences go on from, in the order of the schedule.
  void recall(const char* operation, Context& context, const RecurrentState* state) {
    if (state == nullptr || state->hidden.empty()) return;
    first = ordered(operation, context, state->hidden);
    if (!state->cells.empty()) first_cells = ordered(operation, context, state->cells);
  }
  Tensor ordered(const char* operation, Context& context, const std::vector<float>& states) const {
    const Index count = std::ssize(schedule.order);
    if (std::ssize(states) != count * hidden) {
      fail<ShapeError>(operation, "expected the states of {} sequences, {} numbers each, got {}",
                       count, hidden, states.size());
    }
    const Tensor result = context.arena().tensor({count, hidden});
    for (Index i = 0; i < count; ++i) {
      std::copy_n(states.data() + schedule.order[static_cast<std::size_t>(i)] * hidden, hidden,
                  result.row(i));
    }
    return result;
  }

  // The states behind the last rows; a sequence without rows keeps its own.
  void keep(const Tensor& states, std::vector<float>& kept) const {
    kept.resize(schedule.order.size() * static_cast<std::size_t>(hidden), 0.0f);
    for (Index step = 0; step < schedule.steps(); ++step) {
      for (Index i = 0; i < schedule.alive(step); ++i) {
        std::copy_n(states.row(schedule.begin(step) + i), hidden,
                    kept.data() + schedule.order[static_cast<std::size_t>(i)] * hidden);
      }
    }
  }

  Index rows() const { return schedule.rows(); }
  Matrix input_weight() const { return {weights.input.value.data, gates, in}; }
  Matrix hidden_weight() const { return {weights.hidden.value.data, gates, hidden}; }

  // x W_ihᵀ in the order of the schedule.
  void project(Tape& tape, const Tensor& result) const {
    const Arena::Scope scope(tape.scratch());
    const Tensor packed = tape.scratch().tensor({rows(), in});
    pack(schedule, x.value.data, packed.data, in);
    kernel::product_transposed_right({packed.data, rows(), in}, input_weight(),
                                     {result.data, rows(), gates}, Store::kOverwrite);
  }

  // The states of the step before, for those still alive; before the first step `begun`, which is
  // null where all begin from zeros.
  float* before(Index step, const Tensor& states, const Tensor& begun) const {
    return step == 0 ? begun.data : states.row(schedule.begin(step - 1));
  }

  // to (alive, gates) = h' W_hhᵀ, or added to what is there.
  void recur(Index step, const Tensor& states, float* to, Store store) const {
    float* earlier = before(step, states, first);
    if (earlier == nullptr) return;
    const Index alive = schedule.alive(step);
    kernel::product_transposed_right({earlier, alive, hidden}, hidden_weight(), {to, alive, gates},
                                     store);
  }

  Tensor in_batch_order(Context& context, const Tensor& states) const {
    const Tensor y = context.arena().tensor({rows(), hidden});
    unpack(schedule, states.data, y.data, hidden, Store::kOverwrite);
    return y;
  }

  // Time backwards: step(t, dh, dh') turns the finished gradient of a step's states into that of
  // its sums, and returns the latter as far as they came from h'; dh' is null at the first step.
  template <typename Step>
  void back(const Tensor& dh, Step step) const {
    for (Index t = schedule.steps(); t-- > 0;) {
      float* previous = t == 0 ? nullptr : dh.row(schedule.begin(t - 1));
      float* drecurrent = step(t, dh.row(schedule.begin(t)), previous);
      if (t == 0) continue;
      const Index alive = schedule.alive(t);
      kernel::product({drecurrent, alive, gates}, hidden_weight(), {previous, alive, hidden},
                      Store::kAdd);
    }
  }

  // After that, with da the gradient of x W_ihᵀ + b_ih and drecurrent that of h' W_hhᵀ + b_hh, all
  // in the order of the schedule:
  //   dW_ih = daᵀ x     dW_hh = drecurrentᵀ h'     db = sums over rows     dx = da W_ih
  void finish(Tape& tape, const Tensor& states, float* da, float* drecurrent) const {
    add_sums(tape, weights.input_bias, da);
    add_sums(tape, weights.hidden_bias, drecurrent);
    Arena& scratch = tape.scratch();
    const Arena::Scope scope(scratch);
    if (const Slot dw = tape.slot(weights.input)) {
      const Tensor packed = scratch.tensor({rows(), in});
      pack(schedule, x.value.data, packed.data, in);
      kernel::product_transposed_left({da, rows(), gates}, {packed.data, rows(), in},
                                      {dw.data, gates, in}, dw.store);
    }
    if (const Slot dw = tape.slot(weights.hidden)) {
      // The first step has nothing before it: it takes no part.
      const Index skip = schedule.steps() == 0 ? 0 : schedule.alive(0);
      const Index count = rows() - skip;
      const Tensor earlier = scratch.tensor({count, hidden});
      for (Index t = 1; t < schedule.steps(); ++t) {
        std::copy_n(before(t, states, {}), schedule.alive(t) * hidden,
                    earlier.row(schedule.begin(t) - skip));
      }
      kernel::product_transposed_left({drecurrent + skip * gates, count, gates},
                                      {earlier.data, count, hidden}, {dw.data, gates, hidden},
                                      dw.store);
    }
    if (const Slot dx = tape.slot(x)) {
      const Tensor packed = scratch.tensor({rows(), in});
      kernel::product({da, rows(), gates}, input_weight(), {packed.data, rows(), in},
                      Store::kOverwrite);
      unpack(schedule, packed.data, dx.data, in, dx.store);
    }
  }

  void add_sums(Tape& tape, const Var& bias, float* da) const {
    if (float* sum = tape.slot(bias).adding(gates)) {
      kernel::activation_backward({kernel::Activation::kNone, rows(), gates, nullptr, {}}, nullptr,
                                  nullptr, da, sum);
    }
  }

  // b_ih + b_hh
  Tensor joint_bias(Context& context) const {
    const Tensor bias = context.arena().copy(weights.input_bias.value);
    kernel::scale(gates, 1.0f, weights.hidden_bias.value.data, bias.data, Store::kAdd);
    return bias;
  }

  Tensor packed(Tape& tape, const Tensor& dy) const {
    const Tensor dh = tape.scratch().tensor({rows(), hidden});
    pack(schedule, dy.data, dh.data, hidden);
    return dh;
  }
};

}  // namespace

// h = tanh(a).  Saves h.
//   da = dh (1 − h²)     dh' = da W_hh
Var rnn(Context& context, const Sequences& x, const RecurrentWeights& weights, Direction direction,
        RecurrentState* state) {
  Pass pass("rnn", context, x, weights, direction, 1);
  pass.recall("rnn", context, state);
  const Tensor bias = pass.joint_bias(context);
  const Tensor h = context.arena().tensor({pass.rows(), pass.hidden});
  pass.project(context.tape(), h);
  for (Index t = 0; t < pass.schedule.steps(); ++t) {
    float* now = h.row(pass.schedule.begin(t));
    pass.recur(t, h, now, Store::kAdd);
    kernel::rnn_forward({pass.schedule.alive(t), pass.hidden, bias.data, nullptr}, now);
  }
  if (state != nullptr) pass.keep(h, state->hidden);
  return context.tape().record(
      "rnn", pass.in_batch_order(context, h),
      {x.rows, weights.input, weights.hidden, weights.input_bias, weights.hidden_bias},
      [=](Tape& tape, const Tensor& dy) {
        const Arena::Scope scope(tape.scratch());
        const Tensor dh = pass.packed(tape, dy);
        pass.back(dh, [&](Index t, float* dh_t, float*) {
          const CellStep step{pass.schedule.alive(t), pass.hidden, nullptr, nullptr};
          kernel::rnn_backward(step, h.row(pass.schedule.begin(t)), dh_t);
          return dh_t;
        });
        pass.finish(tape, h, dh.data, dh.data);
      });
}

// c = f c' + i g,  h = o tanh(c).  Saves the gates, c and h; the gates become their gradients.
//   dc += dh o (1 − tanh²c)     dc' = dc f
//   da_i = dc g i (1 − i)     da_f = dc c' f (1 − f)     da_g = dc i (1 − g²)
//   da_o = dh tanh(c) o (1 − o)     dh' = da W_hh
Var lstm(Context& context, const Sequences& x, const RecurrentWeights& weights, Direction direction,
         RecurrentState* state) {
  Pass pass("lstm", context, x, weights, direction, 4);
  pass.recall("lstm", context, state);
  const Tensor bias = pass.joint_bias(context);
  const Tensor gates = context.arena().tensor({pass.rows(), pass.gates});
  const Tensor c = context.arena().tensor({pass.rows(), pass.hidden});
  const Tensor h = context.arena().tensor({pass.rows(), pass.hidden});
  pass.project(context.tape(), gates);
  for (Index t = 0; t < pass.schedule.steps(); ++t) {
    const Index begin = pass.schedule.begin(t);
    pass.recur(t, h, gates.row(begin), Store::kAdd);
    kernel::lstm_forward(
        {pass.schedule.alive(t), pass.hidden, bias.data, pass.before(t, c, pass.first_cells)},
        gates.row(begin), c.row(begin), h.row(begin));
  }
  if (state != nullptr) pass.keep(h, state->hidden);
  if (state != nullptr) pass.keep(c, state->cells);
  return context.tape().record(
      "lstm", pass.in_batch_order(context, h),
      {x.rows, weights.input, weights.hidden, weights.input_bias, weights.hidden_bias},
      [=](Tape& tape, const Tensor& dy) {
        const Arena::Scope scope(tape.scratch());
        const Tensor dh = pass.packed(tape, dy);
        const Index most = pass.schedule.steps() == 0 ? 0 : pass.schedule.alive(0);
        const Tensor dc = tape.scratch().zeros({most, pass.hidden});
        pass.back(dh, [&](Index t, float* dh_t, float*) {
          const Index begin = pass.schedule.begin(t);
          const CellStep step{pass.schedule.alive(t), pass.hidden, nullptr, pass.before(t, c, {})};
          kernel::lstm_backward(step, gates.row(begin), c.row(begin), dh_t, dc.data);
          return gates.row(begin);
        });
        pass.finish(tape, h, gates.data, gates.data);
      });
}

// n = tanh(a_n + r q),  q = h' W_hnᵀ + b_hn,  h = (1 − z) n + z h'.  Saves the gates, q and h; the
// gates become their gradients.
//   da_n = dh (1 − z) (1 − n²)     da_z = dh (h' − n) z (1 − z)     da_r = da_n q r (1 − r)
//   dq = da_n r     dh' = dh z + [da_r da_z dq] W_hh
Var gru(Context& context, const Sequences& x, const RecurrentWeights& weights, Direction direction,
        RecurrentState* state) {
  Pass pass("gru", context, x, weights, direction, 3);
  pass.recall("gru", context, state);
  const Tensor bias = context.arena().tensor({2, pass.gates});
  std::copy_n(weights.input_bias.value.data, pass.gates, bias.row(0));
  std::copy_n(weights.hidden_bias.value.data, pass.gates, bias.row(1));
  const Tensor gates = context.arena().tensor({pass.rows(), pass.gates});
  const Tensor q = context.arena().tensor({pass.rows(), pass.hidden});
  const Tensor h = context.arena().tensor({pass.rows(), pass.hidden});
  pass.project(context.tape(), gates);
  {
    const Arena::Scope scope(context.tape().scratch());
    const Index most = pass.schedule.steps() == 0 ? 0 : pass.schedule.alive(0);
    const Tensor recurrent = context.tape().scratch().tensor({most, pass.gates});
    for (Index t = 0; t < pass.schedule.steps(); ++t) {
      const Index begin = pass.schedule.begin(t);
      pass.recur(t, h, recurrent.data, Store::kOverwrite);
      kernel::gru_forward(
          {pass.schedule.alive(t), pass.hidden, bias.data, pass.before(t, h, pass.first)},
          t == 0 && pass.first.data == nullptr ? nullptr : recurrent.data, gates.row(begin),
          q.row(begin), h.row(begin));
    }
  }
  if (state != nullptr) pass.keep(h, state->hidden);
  return context.tape().record(
      "gru", pass.in_batch_order(context, h),
      {x.rows, weights.input, weights.hidden, weights.input_bias, weights.hidden_bias},
      [=](Tape& tape, const Tensor& dy) {
        const Arena::Scope scope(tape.scratch());
        const Tensor dh = pass.packed(tape, dy);
        const Tensor drecurrent = tape.scratch().tensor({pass.rows(), pass.gates});
        pass.back(dh, [&](Index t, float* dh_t, float* dh_before) {
          const Index begin = pass.schedule.begin(t);
          const CellStep step{pass.schedule.alive(t), pass.hidden, nullptr, pass.before(t, h, {})};
          kernel::gru_backward(step, gates.row(begin), q.row(begin), dh_t, drecurrent.row(begin),
                               dh_before);
          return drecurrent.row(begin);
        });
        pass.finish(tape, h, gates.data, drecurrent.data);
      });
}

}  // namespace heed::grad
