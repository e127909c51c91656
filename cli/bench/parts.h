#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/random.h"
#include "heed/nn/encoder.h"

namespace heed::cli {

// What the workloads are made of: sizes and made-up data.

inline constexpr float kDropout = 0.1f;

inline nn::EncoderOptions encoder_options(Index width, Index heads, Index hidden, Index layers) {
  nn::EncoderOptions options;
  options.attention.width = width;
  options.attention.heads = heads;
  options.attention.dropout = kDropout;
  options.feed_forward.hidden = hidden;
  options.feed_forward.dropout = kDropout;
  options.dropout = kDropout;
  options.layers = layers;
  return options;
}

inline Index sum(std::span<const Index> lengths) {
  Index total = 0;
  for (const Index length : lengths) total += length;
  return total;
}

inline std::vector<std::int32_t> random_ids(Index count, Index bound, std::uint64_t key) {
  Random random(key);
  std::vector<std::int32_t> ids;
  for (Index i = 0; i < count; ++i) {
    ids.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(bound))));
  }
  return ids;
}

inline std::vector<float> random_numbers(Index count, std::uint64_t key) {
  Random random(key);
  std::vector<float> numbers;
  for (Index i = 0; i < count; ++i) numbers.push_back(random.normal());
  return numbers;
}

// One worker's share of a batch of sequences.
struct Part {
  Index first_sequence, sequences;
  Index first_row, rows;
};

inline std::vector<Part> parts_of(std::span<const Index> lengths, std::span<const Index> bounds) {
  std::vector<Part> parts;
  for (std::size_t w = 0; w + 1 < bounds.size(); ++w) {
    const auto first = static_cast<std::size_t>(bounds[w]);
    const auto count = static_cast<std::size_t>(bounds[w + 1]) - first;
    parts.push_back({bounds[w], static_cast<Index>(count), sum(lengths.first(first)),
                     sum(lengths.subspan(first, count))});
  }
  return parts;
}

template <typename T>
std::span<const T> slice(const std::vector<T>& all, Index first, Index count) {
  return std::span<const T>(all).subspan(static_cast<std::size_t>(first),
                                         static_cast<std::size_t>(count));
}

}  // namespace heed::cli
