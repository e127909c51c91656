#include "heed/grad/attention.h"

#include <algorithm>

#include "heed/grad/check.h"

namespace heed::grad {
namespace {

constexpr const char* kName = "attention";

Index reach(const Var& relative) { return (relative.columns() - 1) / 2; }

void expect_columns(const char* name, const Columns& columns, Index width, const Layout& layout) {
  expect_rows(kName, {columns.var, layout});
  if (columns.begin < 0 || columns.begin + width > columns.var.columns()) {
    fail<ShapeError>(kName, "expected {} of (rows, {} or more), got {}", name,
                     columns.begin + width, columns.var.shape().text());
  }
}

void check(const AttentionCall& call) {
  if (call.heads < 1 || call.depth < 1 || call.value_depth < 1) {
    fail<ShapeError>(kName, "expected at least one head, depth and value depth, got {}, {}, {}",
                     call.heads, call.depth, call.value_depth);
  }
  expect_columns("queries", call.queries, call.heads * call.depth, call.query_layout);
  if (call.kept.empty()) {
    expect_columns("keys", call.keys, call.heads * call.depth, call.key_layout);
    expect_columns("values", call.values, call.heads * call.value_depth, call.key_layout);
  } else if (static_cast<Index>(call.kept.size()) != call.key_layout.count()) {
    fail<ShapeError>(kName, "expected kept rows for {} sequences, got {}", call.key_layout.count(),
                     call.kept.size());
  }
  if (call.query_layout.count() != call.key_layout.count()) {
    fail<ShapeError>(kName, "expected keys for {} sequences of queries, got {}",
                     call.query_layout.count(), call.key_layout.count());
  }
  if (!call.hidden.empty() && static_cast<Index>(call.hidden.size()) != call.key_layout.rows()) {
    fail<ShapeError>(kName, "expected a padding mask for {} key rows, got {}",
                     call.key_layout.rows(), call.hidden.size());
  }
  if (!call.windows.empty() && static_cast<Index>(call.windows.size()) != call.heads) {
    fail<ShapeError>(kName, "expected {} windows, one for each head, got {}", call.heads,
                     call.windows.size());
  }
  if (!call.slopes.empty() && static_cast<Index>(call.slopes.size()) != call.heads) {
    fail<ShapeError>(kName, "expected {} slopes, one for each head, got {}", call.heads,
                     call.slopes.size());
  }
  if (call.additive.value.data != nullptr) {
    expect_shape(kName, "additive", call.additive, {call.heads, call.depth});
  }
  if (call.relative.value.data != nullptr) {
    expect_shape(kName, "relative", call.relative, {call.heads, 2 * reach(call.relative) + 1});
  }
  if (call.query_positions.count() > 0 &&
      call.query_positions.count() != call.query_layout.count()) {
    fail<ShapeError>(kName, "expected positions for {} sequences of queries, got {}",
                     call.query_layout.count(), call.query_positions.count());
  }
  for (Index s = 0; s < call.key_layout.count(); ++s) {
    if (call.key_layout.length(s) < call.mask.slots) {
      fail<ShapeError>(kName, "expected at least {} keys (the memory slots), sequence {} has {}",
                       call.mask.slots, s, call.key_layout.length(s));
    }
  }
}

kernel::Rows part(float* data, const Columns& columns, Index row, Index head, Index depth) {
  const Index stride = columns.var.columns();
  return {data + row * stride + columns.begin + head * depth, stride};
}

kernel::AttentionHead head_of(const AttentionCall& call, Index sequence, Index head) {
  const Index query = call.query_layout.begin(sequence);
  const Index key = call.key_layout.begin(sequence);
  kernel::AttentionHead result;
  result.queries = call.query_layout.length(sequence);
  result.keys = call.key_layout.length(sequence);
  result.depth = call.depth;
  result.value_depth = call.value_depth;
  result.q = part(call.queries.var.value.data, call.queries, query, head, call.depth);
  if (call.kept.empty()) {
    result.k = part(call.keys.var.value.data, call.keys, key, head, call.depth);
    result.v = part(call.values.var.value.data, call.values, key, head, call.value_depth);
  } else {
    const KeptRows& kept = call.kept[static_cast<std::size_t>(sequence)];
    result.k = {kept.keys + head * call.depth, call.heads * call.depth};
    result.v = {kept.values + head * call.value_depth, call.heads * call.value_depth};
  }
  result.scale = call.scale;
  if (call.additive.value.data != nullptr) result.additive = call.additive.value.row(head);
  result.mask = call.mask;
  if (!call.windows.empty()) {
    const Index window = call.windows[static_cast<std::size_t>(head)];
    result.mask.before = std::min(result.mask.before, window);
    result.mask.after = std::min(result.mask.after, window);
  }
  if (call.align == Align::kEnd) {
    result.mask.first_query = result.keys - call.mask.slots - result.queries;
  } else if (call.query_positions.count() > 0) {
    result.mask.first_query = call.query_positions.length(sequence) - result.queries;
  }
  if (!call.hidden.empty()) result.mask.hidden = call.hidden.data() + key;
  if (!call.slopes.empty()) result.bias.slope = call.slopes[static_cast<std::size_t>(head)];
  if (call.relative.value.data != nullptr) {
    result.bias.relative = call.relative.value.row(head);
    result.bias.reach = reach(call.relative);
  }
  if (call.dropout) {
    result.dropout = call.dropout.sequence(call.query_layout.first() + sequence).sequence(head);
  }
  return result;
}

template <typename Body>
void for_each_head(const AttentionCall& call, Body body) {
  for (Index s = 0; s < call.query_layout.count(); ++s) {
    for (Index h = 0; h < call.heads; ++h) body(s, h);
  }
}

// The places of the gradients of queries, keys and values, which may be columns of one value: that
// value's place is asked for once. It may be overwritten when the parts fill it and do not overlap.
struct PartSlots {
  Slot queries, keys, values;

  PartSlots(Tape& tape, const AttentionCall& call) {
    const Index width = call.heads * call.depth, value_width = call.heads * call.value_depth;
    const Part parts[] = {{&call.queries, width}, {&call.keys, width}, {&call.values, value_width}};
    const std::int32_t q = call.queries.var.node, k = call.keys.var.node, v = call.values.var.node;
    queries = open(tape, parts, call.queries.var);
    keys = k == q ? queries : open(tape, parts, call.keys.var);
    values = v == q ? queries : v == k ? keys : open(tape, parts, call.values.var);
  }

 private:
  struct Part {
    const Columns* columns;
    Index width;
  };

  static Slot open(Tape& tape, std::span<const Part> parts, const Var& var) {
    Slot slot = tape.slot(var);
    if (slot && !filled_once(parts, var)) {
      slot.adding(var.value.count());
      slot.store = kernel::Store::kAdd;
    }
    return slot;
  }

  static bool filled_once(std::span<const Part> parts, const Var& var) {
    Index written = 0;
    for (const Part& part : parts) {
      if (part.columns->var.node != var.node) continue;
      written += part.width;
      for (const Part& other : parts) {
        if (&other == &part || other.columns->var.node != var.node) continue;
        const Index begin = part.columns->begin, other_begin = other.columns->begin;
        if (begin < other_begin + other.width && other_begin < begin + part.width) return false;
      }
    }
    return written == var.columns();
  }
};

}  // namespace

// The mathematics of forward and backward stand in kernel/attention.
Var attention(Context& context, const AttentionCall& asked) {
  check(asked);
  if (!asked.kept.empty() && (context.tape().recording() || context.trace != nullptr)) {
    fail<UsageError>(kName, "kept rows are for evaluation without a trace: they may move later");
  }
  AttentionCall call = asked;
  call.hidden = context.arena().copy(asked.hidden);
  call.mask.before = std::min(asked.mask.before, kernel::AttentionMask::kUnlimited);
  call.mask.after = std::min(asked.mask.after, kernel::AttentionMask::kUnlimited);
  call.windows = context.arena().copy(asked.windows);
  call.slopes = context.arena().copy(asked.slopes);
  const Index rows = call.query_layout.rows();
  const Index width = call.heads * call.value_depth;
  const Tensor out = context.arena().tensor({rows, width});
  float* log_sums = context.arena().array<float>(call.heads * rows).data();  // (heads, rows)
  const auto out_part = [=](float* data, Index sequence, Index head) -> kernel::Rows {
    return {data + call.query_layout.begin(sequence) * width + head * call.value_depth, width};
  };
  const auto log_sums_of = [=](Index sequence, Index head) {
    return log_sums + head * rows + call.query_layout.begin(sequence);
  };
  Arena& scratch = context.tape().scratch();
  for_each_head(call, [&](Index s, Index h) {
    kernel::attention_forward(head_of(call, s, h), scratch, out_part(out.data, s, h),
                              log_sums_of(s, h));
  });
  if (context.trace != nullptr) context.trace->calls_.push_back({call, log_sums});

  return context.tape().record(
      "attention", out,
      {call.queries.var, call.keys.var, call.values.var, call.additive, call.relative},
      [=](Tape& tape, const Tensor& dout) {
        const PartSlots slots(tape, call);
        float* drelative = tape.slot(call.relative).adding(call.relative.value.count());
        float* dadditive = tape.slot(call.additive).adding(call.additive.value.count());
        const auto place = [&](const Slot& slot, const Columns& columns, Index row, Index h,
                               Index depth) {
          return slot ? part(slot.data, columns, row, h, depth) : kernel::Rows{};
        };
        for_each_head(call, [&](Index s, Index h) {
          const Index query = call.query_layout.begin(s), key = call.key_layout.begin(s);
          kernel::AttentionGradients gradients;
          gradients.dq = place(slots.queries, call.queries, query, h, call.depth);
          gradients.dk = place(slots.keys, call.keys, key, h, call.depth);
          gradients.dv = place(slots.values, call.values, key, h, call.value_depth);
          gradients.dq_store = slots.queries.store;
          gradients.dk_store = slots.keys.store;
          gradients.dv_store = slots.values.store;
          if (drelative != nullptr) gradients.drelative = drelative + h * call.relative.columns();
          if (dadditive != nullptr) gradients.dadditive = dadditive + h * call.depth;
          kernel::attention_backward(head_of(call, s, h), tape.scratch(), out_part(out.data, s, h),
                                     out_part(dout.data, s, h), log_sums_of(s, h), gradients);
        });
      });
}

}  // namespace heed::grad

namespace heed {

const AttentionTrace::Call& AttentionTrace::at(Index call) const {
  if (call < 0 || call >= calls()) {
    fail<UsageError>("trace", "expected a layer from 0 to {}, got {}", calls() - 1, call);
  }
  return calls_[static_cast<std::size_t>(call)];
}

const AttentionTrace::Call& AttentionTrace::at(Index call, Index sequence, Index head) const {
  const Call& found = at(call);
  if (sequence < 0 || sequence >= found.call.query_layout.count()) {
    fail<UsageError>("trace", "expected a sequence from 0 to {}, got {}",
                     found.call.query_layout.count() - 1, sequence);
  }
  if (head < 0 || head >= found.call.heads) {
    fail<UsageError>("trace", "expected a head from 0 to {}, got {}", found.call.heads - 1, head);
  }
  return found;
}

Index AttentionTrace::heads(Index call) const { return at(call).call.heads; }

Index AttentionTrace::queries(Index call, Index sequence) const {
  return at(call, sequence, 0).call.query_layout.length(sequence);
}

Index AttentionTrace::keys(Index call, Index sequence) const {
  return at(call, sequence, 0).call.key_layout.length(sequence);
}

std::vector<float> AttentionTrace::weights(Index call, Index sequence, Index head, Index first_row,
                                           Index rows) const {
  const Call& found = at(call, sequence, head);
  const Index queries = found.call.query_layout.length(sequence);
  if (first_row < 0 || rows < 0 || first_row > queries || rows > queries - first_row) {
    fail<UsageError>("trace", "expected rows of the {} queries, got {} rows from row {}", queries,
                     rows, first_row);
  }
  std::vector<float> weights(
      static_cast<std::size_t>(rows * found.call.key_layout.length(sequence)));
  Arena scratch;
  kernel::attention_weights(grad::head_of(found.call, sequence, head), scratch,
                            found.log_sums + head * found.call.query_layout.rows() +
                                found.call.query_layout.begin(sequence),
                            first_row, rows, weights.data());
  return weights;
}

std::vector<float> AttentionTrace::weights(Index call, Index sequence, Index head) const {
  return weights(call, sequence, head, 0, queries(call, sequence));
}

}  // namespace heed
