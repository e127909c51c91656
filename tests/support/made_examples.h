#pragma once

#include <vector>

#include "heed/base/random.h"
#include "heed/model/config.h"
#include "heed/model/parts.h"

namespace heed::test {

inline constexpr Index kEntries = 30;

// Examples that can be learned: every token's tag is what it leaves when divided by three, and
// most tokens of a text have its label as their tag.
inline std::vector<Example> made_examples(Index count, std::uint64_t seed, Index buckets = 0,
                                          Index clues = 0, bool spelled = false) {
  Random random(seed);
  const auto below = [&](std::uint32_t limit) {
    return static_cast<std::int32_t>(random.below(limit));
  };
  std::vector<Example> examples;
  for (Index i = 0; i < count; ++i) {
    Example example;
    example.label = below(3);
    const std::int32_t length = 1 + below(12);
    for (std::int32_t row = 0; row < length; ++row) {
      const bool noise = row > 0 && row + 1 < length && below(5) == 0;
      example.tokens.push_back(noise ? below(kEntries) : 3 * below(kEntries / 3) + example.label);
      example.tags.push_back(example.tokens.back() % 3);
      if (spelled) {
        example.letter_counts.push_back(1 + below(5));
        for (std::int32_t letter = 0; letter < example.letter_counts.back(); ++letter) {
          example.letters.push_back('a' + below(26));
        }
      }
      if (buckets == 0) continue;
      example.gram_counts.push_back(below(4));
      for (std::int32_t gram = 0; gram < example.gram_counts.back(); ++gram) {
        example.grams.push_back(below(static_cast<std::uint32_t>(buckets)));
      }
    }
    for (std::int32_t id = clues > 0 ? below(3) : 0; id < clues; id += 1 + below(8)) {
      example.clues.push_back(id);
      example.clue_counts.push_back(1 + below(3));
    }
    examples.push_back(std::move(example));
  }
  return examples;
}

inline Batch made_batch(const std::vector<Example>& examples) {
  Batch batch;
  for (const Example& example : examples) batch.add(example);
  return batch;
}

// A small model for them.
inline Config made_config(OutputKind kind, BodyKind body = BodyKind::kAttention,
                          float dropout = 0.0f) {
  Config config;
  config.width = 16;
  config.text.entries = kEntries;
  config.text.dropout = config.text.word_dropout = dropout;
  config.body.kind = body;
  config.body.position.longest = 32;
  config.body.window.hidden = 24;
  nn::EncoderOptions& encoder = config.body.encoder;
  encoder.layers = 2;
  encoder.attention.heads = 2;
  encoder.feed_forward.hidden = 24;
  encoder.dropout = encoder.feed_forward.dropout = encoder.attention.dropout = dropout;
  config.output.kind = kind;
  config.output.dropout = dropout;
  config.output.names = {"a", "b", "c"};
  return config;
}

}  // namespace heed::test
