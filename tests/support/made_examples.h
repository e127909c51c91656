#pragma once

#include <string>
#include <vector>

#include "heed/base/random.h"
#include "heed/data/examples.h"
#include "heed/model/body/attention.h"
#include "heed/model/body/window.h"
#include "heed/model/config.h"
#include "heed/model/input/text.h"
#include "heed/model/output/label.h"
#include "heed/model/output/labels.h"
#include "heed/model/output/tags.h"
#include "heed/model/wide/tfidf.h"

namespace heed::test {

inline constexpr Index kEntries = 30;

// The options of a config whose choices are known.
inline TextOptions& text_of(Config& config) { return config.input.as<TextInput>()->options(); }
inline AttentionBodyOptions& attention_of(Config& config) {
  return config.body.as<AttentionBody>()->options();
}
inline LabelOptions& label_of(Config& config) { return config.output.as<LabelOutput>()->options(); }
inline TagsOptions& tags_of(Config& config) { return config.output.as<TagsOutput>()->options(); }
inline ClassOptions& classes_of(Config& config) {
  if (auto* labels = config.output.as<LabelsOutput>()) return labels->options().classes;
  return config.output.kind() == "label" ? label_of(config).classes : tags_of(config).classes;
}
// Puts a TF-IDF part beside the network.
inline TfidfOptions& add_tfidf(Config& config, Index entries) {
  config.wide = Choice<Wide>("tfidf");
  TfidfOptions& options = config.wide.as<TfidfWide>()->options();
  options.entries = entries;
  options.min_count = 1;
  return options;
}

// A small model for the examples below.
inline Config made_config(const std::string& output, const std::string& body = "attention",
                          float dropout = 0.0f) {
  Config config;
  config.width = 16;
  config.body = Choice<Body>(body);
  config.output = Choice<Output>(output);
  TextOptions& text = text_of(config);
  text.entries = kEntries;
  text.word_dropout = dropout;
  config.input->set_dropout(dropout);
  if (config.body.as<AttentionBody>() != nullptr) {
    AttentionBodyOptions& attention = attention_of(config);
    attention.position.longest = 32;
    attention.encoder.layers = 2;
    attention.encoder.attention.heads = 2;
    attention.encoder.attention.dropout = dropout;
    attention.encoder.feed_forward.hidden = 24;
  }
  if (auto* window = config.body.as<WindowBody>()) window->options().hidden = 24;
  config.body->set_dropout(dropout);
  config.output->set_dropout(dropout);
  if (output != "sequence") classes_of(config).names = {"a", "b", "c"};
  return config;
}

// Gives a batch the weight that its losses are divided by, as the batch of a whole step.
inline Batch whole(Batch batch, const Config& config) {
  batch.whole_weight = config.output->weight(batch);
  return batch;
}

// Examples that can be learned: every token's tag is what it leaves when divided by three, and
// most tokens of a text have its label as their tag. They have the columns that the parts of the
// config ask for.
inline Batch made_examples(const Config& config, Index count, std::uint64_t seed) {
  Random random(seed);
  const auto below = [&](std::uint32_t limit) {
    return static_cast<std::int32_t>(random.below(limit));
  };
  const TextOptions& text = config.input.as<TextInput>()->options();
  const auto* wide = config.wide.as<TfidfWide>();
  Batch batch;
  using Column = Ragged<std::int32_t>;
  for (Index i = 0; i < count; ++i) {
    const std::int32_t label = below(3);
    const std::int32_t length = 1 + below(12);
    std::vector<std::int32_t> tokens, tags, masked;
    for (std::int32_t row = 0; row < length; ++row) {
      const bool noise = row > 0 && row + 1 < length && below(5) == 0;
      tokens.push_back(noise ? below(kEntries) : 3 * below(kEntries / 3) + label);
      tags.push_back(tokens.back() % 3);
      if (text.masked_words.share > 0.0f) {
        masked.push_back(below(3) == 0 ? tokens.back() : TextInput::kNotMasked);
      }
      if (text.char_cnn.filters > 0) {
        const std::int32_t characters = 1 + below(5);
        batch.input.integers(TextInput::kCharacterCounts).push(characters);
        for (std::int32_t at = 0; at < characters; ++at) {
          batch.input.integers(TextInput::kCharacterIds).push('a' + below(26));
        }
      }
      if (text.char_ngrams.buckets == 0) continue;
      const std::int32_t ngrams = below(4);
      batch.input.integers(TextInput::kNgramCounts).push(ngrams);
      for (std::int32_t at = 0; at < ngrams; ++at) {
        batch.input.integers(TextInput::kNgrams)
            .push(below(static_cast<std::uint32_t>(text.char_ngrams.buckets)));
      }
    }
    if (text.char_cnn.filters > 0) {
      for (const auto column : {TextInput::kCharacterCounts, TextInput::kCharacterIds}) {
        batch.input.integers(column).close();
      }
    }
    if (text.char_ngrams.buckets > 0) {
      for (const auto column : {TextInput::kNgramCounts, TextInput::kNgrams}) {
        batch.input.integers(column).close();
      }
    }
    if (wide != nullptr) {
      Column& features = batch.wide.integers(TfidfWide::kFeatures);
      Column& counts = batch.wide.integers(TfidfWide::kCounts);
      for (std::int32_t id = below(3); id < wide->options().entries; id += 1 + below(8)) {
        features.push(id);
        counts.push(1 + below(3));
      }
      features.close();
      counts.close();
    }
    batch.input.integers(TextInput::kTokens).add(tokens);
    if (!masked.empty()) batch.input.integers(TextInput::kMasked).add(masked);
    batch.lengths.push_back(length);
    if (config.output.kind() == "label") {
      batch.answer.integers(0).add({&label, 1});
    } else {
      batch.answer.integers(0).add(tags);
    }
  }
  return whole(std::move(batch), config);
}

// Some sequences of a batch that follow each other, as one worker gets them.
inline Batch part_of(const Batch& batch, Index first, Index count) {
  Batch part;
  for (Index i = first; i < first + count; ++i) part.append(batch, i);
  part.first = first;
  part.whole_weight = batch.whole_weight;
  return part;
}

// One sequence of a batch, as a batch by itself.
inline Batch alone(const Batch& batch, Index sequence, const Config& config) {
  return whole(
      [&] {
        Batch one;
        one.append(batch, sequence);
        return one;
      }(),
      config);
}

}  // namespace heed::test
