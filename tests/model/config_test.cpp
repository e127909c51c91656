#include "heed/model/config.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/model/body/recurrent.h"
#include "heed/model/model.h"
#include "tests/support/made_examples.h"
#include "tests/support/messages.h"

namespace heed {
namespace {

// Each of these would take more memory than there is, or forever.
TEST(ModelConfig, SizesThatCannotBeAreRefusedByName) {
  const std::pair<std::string, std::string> cases[] = {
      {R"({"width": 1000000000})",
       "width: expected a whole number from 1 to 65536, got 1000000000"},
      {R"({"input": {"tokenizer": {"vocabulary": 1000000000000}}})",
       "input.tokenizer.vocabulary: expected a whole number from 2 to 100000000, got "
       "1000000000000"},
      {R"({"body": {"layers": 1000000}})",
       "body.layers: expected a whole number from 1 to 1000, got 1000000"},
      {R"({"input": {"truncation": 1000000000}})",
       "input.truncation: expected a whole number from 0 to 1000000, got 1000000000"},
      {R"({"input": {"char_ngrams": {"buckets": 1000000000000}}})",
       "input.char_ngrams.buckets: expected a whole number from 0 to 100000000, got "
       "1000000000000"},
      {R"({"wide": {"kind": "tfidf", "pairs": 1000000000000}})",
       "wide.pairs: expected a whole number from 0 to 100000000, got 1000000000000"},
      {R"({"body": {"feed_forward": {"hidden": 1000000000}}})",
       "body.feed_forward.hidden: expected a whole number from 0 to 1000000, got 1000000000"},
      {R"({"body": {"position": {"longest": 1000000000}}})",
       "body.position.longest: expected a whole number from 1 to 1000000, got 1000000000"},
      {R"({"body": {"memory": 1000000000}})",
       "body.memory: expected a whole number from 0 to 1000000, got 1000000000"},
      {R"({"body": {"segment": 1000000000}})",
       "body.segment: expected a whole number from 0 to 1000000, got 1000000000"},
      {R"({"body": {"kind": "gru", "layers": 1000000}})",
       "body.layers: expected a whole number from 1 to 1000, got 1000000"},
      {R"({"body": {"kind": "window", "neighbours": 1000000000}})",
       "body.neighbours: expected a whole number from 0 to 1000000, got 1000000000"},
      {R"({"ensemble": {"size": 1000000}})",
       "ensemble.size: expected a whole number from 1 to 1000, got 1000000"},
  };
  for (const auto& [text, expected] : cases) {
    try {
      parse_config(text, "c.json");
      ADD_FAILURE() << text << " was read";
    } catch (const FormatError& error) {
      EXPECT_EQ(error.what(), "c.json: " + expected);
    }
  }
}

// The parts' own options, the parts together, and keys of another kind.
TEST(ModelConfig, WhatDoesNotFitTogetherIsRefusedByName) {
  const std::pair<std::string, std::string> cases[] = {
      {R"({"output": {"kind": "tags", "crf": true, "smoothing": 0.1}})",
       "output.crf: expected false with label smoothing: a CRF's loss is of whole sequences, got "
       "true"},
      {R"({"output": {"kind": "tags", "crf": true, "class_weights": [1, 2]}})",
       "output.crf: expected false with class weights: a CRF's loss is of whole sequences, got "
       "true"},
      {R"({"output": {"names": ["a", "b"], "class_weights": [1]}})",
       "output.class_weights: expected one for each name, or none"},
      {R"({"output": {"kind": "tags"}, "wide": {"kind": "tfidf"}})",
       "wide: expected none where the output is \"tags\": it scores the label of a whole text"},
      {R"({"wide": {"kind": "linear_crf"}})",
       "wide: expected none where the output is \"label\": it scores the tag of each word"},
      {R"({"input": {"kind": "image", "augmentation": {"mixup": 0.2}}, "output": {"kind": "tags"}})",
       "input: expected a mixup of 0 where the output is \"tags\": its answers have no shares"},
      {R"({"output": {"kind": "tags", "crf": true}, "ensemble": {"size": 2}})",
       "ensemble: expected of size 1 with a CRF: sequences of tags have no mean"},
      {R"({"ensemble": {"size": 3, "bodies": [{"kind": "bag"}]}})",
       "ensemble.bodies: expected none, or one for each network after the first"},
      {R"({"ensemble": {"size": 2, "bodies": [{"attention": {"heads": 3}}]}})",
       "ensemble.bodies.attention.heads 3: expected a divisor of the width "
       "128"},
      {R"({"input": {"tokenizer": {"kind": "bpe"}, "char_ngrams": {"buckets": 5}}})",
       "input.char_ngrams: expected none (buckets 0) unless the tokenizer is \"word\""},
      {R"({"input": {"tokenizer": {"kind": "bpe"}, "char_cnn": {"filters": 5}}})",
       "input.char_cnn: expected none (filters 0) unless the tokenizer is \"word\""},
      {R"({"body": {"kind": "recurrent"}})",
       "body.kind: expected one of \"attention\", \"conformer\", \"cnn\", \"lstm\", \"gru\", "
       "\"rnn\", \"window\", "
       "\"bag\", got \"recurrent\""},
      {R"({"body": {"kind": "bag", "layers": 2}})",
       "body: there is no key \"layers\"; the keys are kind"},
      {R"({"text": {}})",
       "there is no key \"text\"; the keys are width, input, body, output, wide, ensemble, "
       "columns, "
       "seed"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(test::message_of<FormatError>([&] { parse_config(text, "c.json"); }),
              "c.json: " + expected)
        << text;
  }
}

TEST(ModelConfig, EveryChoiceIsWrittenAndReadBackAsItWas) {
  for (const std::string& body : Registry<Body>::instance().names()) {
    for (const std::string& output : Registry<Output>::instance().names()) {
      const bool language = output == "next_token";
      Config config = test::made_config(language ? "label" : output, body, 0.25f);
      if (language) {
        config.output = Choice<Output>(output);
        test::text_of(config).tied = true;
        if (body == "attention") test::attention_of(config).encoder.attention.mask.causal = true;
        if (auto* recurrent = config.body.as<RecurrentBody>()) {
          recurrent->options().bidirectional = false;
        }
        if (!config.body->causal_problem().empty()) continue;
      }
      if (config.output->answers_rows()) {
        config.wide = Choice<Wide>("linear_crf");
      } else if (config.output->takes_wide()) {
        test::add_tfidf(config, 9).svm = 2.0f;
      }
      if (config.output->can_average()) {
        config.ensemble.size = 2;
        config.ensemble.bodies = {Choice<Body>("gru")};
      }
      const std::string text = config_text(config);
      const Config again = parse_config(text, "c.json");
      EXPECT_EQ(config_text(again), text);
      EXPECT_EQ(again.body.kind(), body);
      EXPECT_EQ(again.output.kind(), output);
    }
  }
}

TEST(ModelConfig, AnotherKindBeginsWithItsOwnDefaultsAndTheSameKindKeepsItsOptions) {
  Config config = test::made_config("label", "lstm", 0.25f);
  from_json(R"({"body": {"layers": 3}})", "c.json", config);
  EXPECT_EQ(config.body.kind(), "lstm");
  EXPECT_NE(config_text(config).find("\"layers\": 3"), std::string::npos);
  from_json(R"({"body": {"kind": "attention"}})", "c.json", config);
  EXPECT_EQ(test::attention_of(config).encoder.layers, AttentionBodyOptions{}.encoder.layers);
}

TEST(ModelConfig, ACrfHasNoClassWeightsToBalance) {
  Dataset train;
  train.records.push_back(make_record(Sentence{{"x", "y"}}, Tags{{"a", "b"}}));
  TagsOutput output;
  output.fit(train, false);
  output.balance(train);
  EXPECT_EQ(output.options().classes.class_weights.size(), 2u);
  output.options().crf = true;
  EXPECT_EQ(test::message_of<UsageError>([&] { output.balance(train); }),
            "--balance: a CRF has no class weights; leave out --balance or --crf");
}

TEST(ModelConfig, APresetReachesEveryPart) {
  for (const std::string& body : Registry<Body>::instance().names()) {
    Config config = test::made_config("label", body);
    config.ensemble.size = 2;
    config.ensemble.bodies = {Choice<Body>("attention")};
    apply_preset("base", config);
    EXPECT_EQ(config.width, 256);
    EXPECT_EQ(test::text_of(config).dropout, 0.2f);
    EXPECT_EQ(test::classes_of(config).dropout, 0.2f);
    for (const Index i : {0, 1}) {
      if (const auto* attention = config.body_of(i).as<AttentionBody>()) {
        EXPECT_EQ(attention->options().encoder.layers, 4);
        EXPECT_EQ(attention->options().encoder.attention.heads, 8);
      }
    }
  }
  Config config;
  EXPECT_THROW(apply_preset("huge", config), UsageError);
}

// Sizes that could be, but not all of them at once on this machine.
TEST(ModelConfig, AModelThatDoesNotFitIntoMemoryIsRefused) {
  Config config;
  test::text_of(config).entries = 100'000'000;
  config.width = 65536;
  test::classes_of(config).names = {"a", "b"};
  try {
    const Model model(config);
    ADD_FAILURE() << "it was built";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("input.words.weight (100000000, 65536)"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace heed
