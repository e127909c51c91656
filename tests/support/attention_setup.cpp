#include "tests/support/attention_setup.h"

#include <cmath>

namespace heed::test {

std::vector<Shape> AttentionSetup::inputs() const {
  const Index query_rows = total(queries), key_rows = total(keys);
  std::vector<Shape> shapes;
  switch (parts) {
    case Parts::kSeparate:
      shapes = {{query_rows, width()}, {key_rows, width()}, {key_rows, value_width()}};
      break;
    case Parts::kFused:
      shapes = {{query_rows, 2 * width() + value_width() + spare}};
      break;
    case Parts::kOneForAll:
      shapes = {{query_rows, width()}};
      break;
    case Parts::kSharedKey:
      shapes = {{query_rows, 2 * width()}, {key_rows, value_width()}};
      break;
  }
  if (additive) shapes.push_back({heads, depth});
  if (reach >= 0) shapes.push_back({heads, 2 * reach + 1});
  return shapes;
}

AttentionSetup::Place AttentionSetup::place_of_keys() const {
  if (parts == Parts::kSeparate) return {1, 0};
  return {0, parts == Parts::kFused ? width() : 0};
}

AttentionSetup::Place AttentionSetup::place_of_values() const {
  switch (parts) {
    case Parts::kSeparate:
      return {2, 0};
    case Parts::kFused:
      return {0, 2 * width()};
    case Parts::kOneForAll:
      return {0, 0};
    case Parts::kSharedKey:
      return {1, 0};
  }
  return {0, 0};
}

std::size_t AttentionSetup::place_of_additive() const { return place_of_values().input + 1; }

grad::AttentionCall AttentionSetup::call(Context& context, std::span<const Var> x) const {
  const auto columns = [&](Place place) { return grad::Columns{x[place.input], place.begin}; };
  return {.queries = columns(place_of_queries()),
          .keys = columns(place_of_keys()),
          .values = columns(place_of_values()),
          .query_layout = layout_of(context, queries),
          .key_layout = layout_of(context, keys),
          .heads = heads,
          .depth = depth,
          .value_depth = value_depth,
          .scale = scale,
          .additive = additive ? x[place_of_additive()] : Var{},
          .mask = mask,
          .align = align,
          .hidden = hidden,
          .windows = windows,
          .slopes = slopes,
          .relative = reach >= 0 ? x[place_of_relative()] : Var{},
          .dropout = context.dropout(dropout)};
}

AttentionSetup fused(const std::vector<Index>& lengths, Index heads, Index depth) {
  return {.queries = lengths,
          .keys = lengths,
          .heads = heads,
          .depth = depth,
          .value_depth = depth,
          .parts = AttentionSetup::Parts::kFused,
          .scale = 1.0f / std::sqrt(static_cast<float>(depth))};
}

}  // namespace heed::test
