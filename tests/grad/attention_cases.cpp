#include "tests/grad/cases.h"
#include "tests/support/attention_setup.h"

namespace heed::test {
namespace {

using grad::Align;
using Parts = AttentionSetup::Parts;
constexpr Index kUnlimited = kernel::AttentionMask::kUnlimited;

OperationCase row(const std::string& name, const AttentionSetup& setup, double tolerance = 4.0) {
  return operation_case(
      "attention", name, setup.inputs(),
      [setup](Context& context, std::span<const Var> x) { return setup.run(context, x); },
      [setup](const auto& x) { return setup.slow(x); }, tolerance);
}

AttentionSetup cross(const std::vector<Index>& queries, const std::vector<Index>& keys, Index heads,
                     Index depth, Index value_depth) {
  return {.queries = queries,
          .keys = keys,
          .heads = heads,
          .depth = depth,
          .value_depth = value_depth,
          .scale = 0.7f,
          .align = Align::kStart};
}

std::vector<std::uint8_t> every(Index count, Index step) {
  std::vector<std::uint8_t> hidden(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; i += step) hidden[static_cast<std::size_t>(i)] = 1;
  return hidden;
}

void add_shapes(std::vector<OperationCase>& rows) {
  rows.push_back(row("fused_ragged", fused({1, 5, 0, 17}, 2, 3)));
  rows.push_back(row("fused_one_row", fused({1}, 1, 1)));
  rows.push_back(row("fused_depth_16", fused({9, 4}, 2, 16)));
  rows.push_back(row("no_sequences", fused({}, 2, 3)));
  rows.push_back(row("only_empty_sequences", fused({0, 0}, 2, 3)));
  AttentionSetup one = fused({4, 3}, 2, 3);
  one.parts = Parts::kOneForAll;
  rows.push_back(row("queries_are_keys_are_values", one));
  AttentionSetup shared = fused({4, 3}, 2, 3);
  shared.parts = Parts::kSharedKey;
  rows.push_back(row("queries_are_keys_beside_unused_columns", shared));

  AttentionSetup spare = fused({4, 0, 3}, 2, 3);
  spare.spare = 5;
  rows.push_back(row("unused_columns", spare));

  rows.push_back(row("cross", cross({3, 1, 4}, {2, 6, 5}, 2, 3, 5)));
  rows.push_back(row("cross_one_query", cross({1}, {19}, 1, 7, 2)));
  rows.push_back(row("cross_depth_1", cross({6, 2}, {4, 18}, 3, 1, 1)));
  rows.push_back(row("cross_empty_memory", cross({3, 2, 0}, {0, 4, 3}, 1, 2, 3)));
  rows.push_back(row("several_query_tiles", cross({70}, {33}, 1, 2, 3)));
  rows.push_back(row("queries_just_over_a_tile", cross({65, 64}, {16, 17}, 1, 1, 2)));
  rows.push_back(row("several_key_tiles", cross({3}, {530}, 1, 1, 1)));
  rows.push_back(row("keys_just_a_tile", cross({2, 2}, {512, 513}, 1, 1, 1)));
  rows.push_back(row("three_key_tiles", cross({2}, {1100}, 1, 1, 1)));
  AttentionSetup dot = cross({3, 4}, {5, 2}, 1, 3, 2);
  dot.scale = 1.0f;
  rows.push_back(row("scale_one", dot));
  dot.scale = -3.5f;
  rows.push_back(row("scale_large_and_negative", dot, 16.0));
}

void add_masks(std::vector<OperationCase>& rows) {
  const auto masked = [](AttentionSetup setup, const kernel::AttentionMask& mask) {
    setup.mask = mask;
    return setup;
  };
  rows.push_back(row("causal", masked(fused({1, 5, 0, 17}, 2, 3), {.after = 0})));
  rows.push_back(row("causal_over_tiles", masked(fused({130}, 1, 1), {.after = 0})));
  rows.push_back(row("window", masked(fused({1, 5, 0, 17}, 2, 3), {.before = 2, .after = 1})));
  rows.push_back(row("window_over_tiles", masked(fused({140}, 1, 1), {.before = 9, .after = 3})));
  rows.push_back(
      row("window_of_nothing_but_self", masked(fused({4, 40}, 1, 2), {.before = 0, .after = 0})));
  rows.push_back(row("not_self", masked(fused({2, 5, 17}, 2, 3), {.not_self = true})));
  // Alone in its sequence, or first of it, a row then sees nothing: zeros and zero gradients.
  rows.push_back(row("not_self_alone", masked(fused({1, 1, 3}, 1, 2), {.not_self = true})));
  rows.push_back(
      row("causal_not_self", masked(fused({1, 5, 0, 17}, 2, 3), {.after = 0, .not_self = true})));
  rows.push_back(row("window_causal_not_self",
                     masked(fused({6, 20}, 1, 2), {.before = 3, .after = 0, .not_self = true})));
  AttentionSetup all =
      masked(fused({3, 8, 20}, 2, 2), {.slots = 2, .before = 4, .after = 1, .not_self = true});
  all.hidden = every(31, 3);
  all.align = Align::kStart;
  rows.push_back(row("all_masks", all));
  AttentionSetup scales = fused({1, 9, 0, 17}, 3, 2);
  scales.windows = {0, 2, kUnlimited};
  rows.push_back(row("windows_of_heads", scales));
  scales = masked(fused({70, 6}, 2, 1), {.before = 3, .after = 0});
  scales.windows = {1, 40};
  rows.push_back(row("windows_of_heads_within_a_mask", scales));
  AttentionSetup hidden = fused({4, 7, 1}, 2, 3);
  hidden.hidden = every(12, 2);
  rows.push_back(row("hidden", hidden));
  hidden.hidden = every(12, 1);
  rows.push_back(row("all_hidden", hidden));
  hidden = cross({3}, {530}, 1, 1, 1);
  hidden.hidden = every(530, 7);
  rows.push_back(row("hidden_over_key_tiles", hidden));

  // Keys have memory slots before them: of their own lengths, in inputs of their own.
  const auto slotted = [&](const kernel::AttentionMask& mask) {
    AttentionSetup setup = masked(cross({1, 5, 0, 9}, {1, 5, 0, 9}, 2, 2, 3), mask);
    for (Index& length : setup.keys) length += mask.slots;
    setup.align = Align::kEnd;
    return setup;
  };
  rows.push_back(row("slots", slotted({.slots = 3})));
  rows.push_back(row("slots_causal", slotted({.slots = 3, .after = 0})));
  rows.push_back(row("slots_window", slotted({.slots = 1, .before = 1, .after = 2})));
  rows.push_back(row("slots_causal_not_self",
                     slotted({.slots = 2, .before = 3, .after = 0, .not_self = true})));
  // Far behind the slots, a window is a second range of keys.
  AttentionSetup far = masked(cross({70}, {75}, 1, 1, 1), {.slots = 5, .before = 2, .after = 0});
  far.align = Align::kEnd;
  rows.push_back(row("slots_far_from_the_window", far));
  far.queries = {4};
  far.keys = {1105};
  far.mask = {.slots = 5, .before = 560, .after = 0};
  rows.push_back(row("slots_window_over_key_tiles", far));
  far.mask = {.slots = 40, .before = 3, .after = 0};
  far.keys = {200};
  rows.push_back(row("many_slots_far_from_the_window", far));
  far.keys = {60};
  rows.push_back(row("many_slots_in_one_range_with_the_window", far));
}

void add_positions_and_scores(std::vector<OperationCase>& rows) {
  AttentionSetup end = cross({2, 3, 1}, {6, 3, 20}, 1, 2, 2);
  end.align = Align::kEnd;
  end.mask.after = 0;
  rows.push_back(row("end_aligned_causal", end));
  end.mask = {.before = 2, .after = 1, .not_self = true};
  rows.push_back(row("end_aligned_window", end));
  end.align = Align::kStart;
  rows.push_back(row("start_aligned_window", end));
  end.queries = {5};
  end.keys = {2};
  rows.push_back(row("start_aligned_more_queries_than_keys", end));
  end.align = Align::kEnd;
  rows.push_back(row("end_aligned_more_queries_than_keys", end));
  // Queries before the first position are not a slot's self.
  end.keys = {5};
  end.mask = {.slots = 3, .not_self = true};
  rows.push_back(row("end_aligned_more_queries_than_keys_slots", end));

  AttentionSetup alibi = fused({1, 6, 20}, 2, 3);
  alibi.slopes = {0.25f, 0.5f};
  rows.push_back(row("alibi", alibi));
  alibi.mask = {.before = 4, .after = 0};
  rows.push_back(row("alibi_window", alibi));
  AttentionSetup slots = cross({7}, {9}, 2, 2, 2);
  slots.align = Align::kEnd;
  slots.mask.slots = 2;
  slots.slopes = {0.25f, 0.5f};
  slots.reach = 2;
  rows.push_back(row("biases_leave_slots_alone", slots));

  AttentionSetup relative = fused({1, 6, 20}, 2, 3);
  relative.reach = 3;
  rows.push_back(row("relative", relative));
  relative.mask = {.after = 0};
  rows.push_back(row("relative_causal", relative));
  relative = cross({5, 2}, {8, 70}, 1, 2, 1);
  relative.reach = 0;
  rows.push_back(row("relative_reach_0", relative));
  relative.reach = 90;
  rows.push_back(row("relative_reach_beyond_the_keys", relative));
  relative = cross({3}, {530}, 1, 1, 1);
  relative.reach = 2;
  relative.align = Align::kEnd;
  rows.push_back(row("relative_over_key_tiles", relative));

  AttentionSetup additive = fused({1, 5, 0, 17}, 2, 3);
  additive.additive = true;
  additive.scale = 0.8f;
  rows.push_back(row("additive", additive));
  additive.mask = {.before = 3, .after = 0, .not_self = true};
  additive.reach = 2;
  rows.push_back(row("additive_masked_relative", additive));
  additive = cross({70, 1}, {18, 3}, 1, 1, 2);
  additive.additive = true;
  rows.push_back(row("additive_over_query_tiles", additive));
  additive = cross({2}, {530}, 1, 1, 1);
  additive.additive = true;
  rows.push_back(row("additive_over_key_tiles", additive));
}

void add_dropout(std::vector<OperationCase>& rows) {
  AttentionSetup setup = fused({1, 5, 0, 40}, 2, 3);
  setup.dropout = 0.4f;
  rows.push_back(row("dropout", setup));
  setup.mask = {.before = 5, .after = 0, .not_self = true};
  rows.push_back(row("dropout_window", setup));
  setup = cross({70, 2}, {33, 7}, 1, 2, 1);
  setup.dropout = 0.1f;
  setup.additive = true;
  setup.reach = 1;
  rows.push_back(row("dropout_additive_relative", setup));
  setup = cross({3}, {1100}, 1, 1, 1);
  setup.dropout = 0.5f;
  setup.align = Align::kEnd;
  setup.mask = {.slots = 3, .before = 560, .after = kUnlimited};
  rows.push_back(row("dropout_over_key_tiles", setup));
}

}  // namespace

std::vector<OperationCase> attention_cases() {
  std::vector<OperationCase> rows;
  add_shapes(rows);
  add_masks(rows);
  add_positions_and_scores(rows);
  add_dropout(rows);
  return rows;
}

}  // namespace heed::test
