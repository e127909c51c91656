#include "heed/model/options.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/model/config.h"
#include "tests/support/made_examples.h"
#include "tests/support/messages.h"

namespace heed {
namespace {

template <typename T>
std::string message_of_json(const std::string& text) {
  T options;
  return test::message_of<FormatError>([&] { from_json(text, "config.json", options); });
}

// A struct with a field of every kind.
struct Inner {
  Index size = 3;
};
template <class Archive>
void describe(Archive& archive, Inner& inner) {
  archive.field("size", inner.size, at_least(1));
}

struct Everything {
  bool flag = false;
  int small = 1;
  Index whole = 2;
  std::uint64_t seed = 3;
  float single = 0.1f;
  double number = 0.2;
  std::string text = "x";
  std::vector<std::string> labels = {"a"};
  std::optional<Index> maybe;
  kernel::Norm norm = kernel::Norm::kLayer;
  Inner inner;
  std::vector<Inner> inners;
  std::string task;
};
template <class Archive>
void describe(Archive& archive, Everything& all) {
  archive.field("flag", all.flag);
  archive.field("small", all.small, at_least(1));
  archive.field("whole", all.whole);
  archive.field("seed", all.seed);
  archive.field("single", all.single);
  archive.field("number", all.number, between(0, 1));
  archive.field("text", all.text);
  archive.field("labels", all.labels);
  archive.field("maybe", all.maybe, at_least(0));
  archive.field("norm", all.norm);
  archive.field("inner", all.inner);
  archive.field("inners", all.inners);
  archive.required("task", all.task);
}

constexpr const char* kEverything = R"({
  "flag": true,
  "small": 7,
  "whole": -9007199254740993,
  "seed": 18446744073709551615,
  "single": 0.3,
  "number": 0.7,
  "text": "Grüße",
  "labels": [
    "b",
    "c"
  ],
  "maybe": 5,
  "norm": "rms",
  "inner": {
    "size": 4
  },
  "inners": [
    {
      "size": 5
    },
    {
      "size": 6
    }
  ],
  "task": "tag"
}
)";

TEST(JsonOptions, EveryKindOfFieldIsReadAndWrittenBackAsItWas) {
  Everything all;
  from_json(kEverything, "config.json", all);
  EXPECT_EQ(all.whole, -9007199254740993);  // no double could hold it
  EXPECT_EQ(all.seed, 18446744073709551615u);
  EXPECT_EQ(all.inners.at(1).size, 6);
  EXPECT_EQ(all.norm, kernel::Norm::kRms);
  EXPECT_EQ(to_json(all), kEverything);
}

TEST(JsonOptions, WhatIsNotGivenStaysAndNullIsNothing) {
  Everything all;
  all.maybe = 8;
  all.inner.size = 9;
  from_json(R"({"task": "t", "inner": {}})", "config.json", all);
  EXPECT_EQ(all.maybe, 8);
  EXPECT_EQ(all.inner.size, 9);
  EXPECT_EQ(all.labels, std::vector<std::string>{"a"});
  from_json(R"({"task": "t", "maybe": null, "labels": []})", "config.json", all);
  EXPECT_EQ(all.maybe, std::nullopt);
  EXPECT_TRUE(all.labels.empty());
}

TEST(JsonOptions, EveryMistakeIsToldWithItsPlace) {
  const struct {
    const char* text;
    const char* expected;
  } rows[] = {
      {R"([])", "config.json: expected an object, got a list"},
      {R"({})", "config.json: the key \"task\" is missing"},
      {R"({"flag": 1})", "config.json: flag: expected true or false, got 1"},
      {R"({"small": 0})", "config.json: small: expected a whole number of at least 1, got 0"},
      {R"({"small": 3000000000})",
       "config.json: small: expected a whole number of fewer than ten digits, got 3000000000"},
      {R"({"whole": 8.0})", "config.json: whole: expected a whole number, got 8.0"},
      {R"({"seed": -1})", "config.json: seed: expected a whole number of at least 0, got -1"},
      {R"({"single": "0.1"})", "config.json: single: expected a number, got \"0.1\""},
      {R"({"number": 1.5})", "config.json: number: expected a number from 0 to 1, got 1.5"},
      {R"({"text": null})", "config.json: text: expected a text in quotation marks, got null"},
      {R"({"labels": "a"})", "config.json: labels: expected a list, got \"a\""},
      {R"({"labels": ["a", 2]})",
       "config.json: labels[1]: expected a text in quotation marks, got 2"},
      {R"({"maybe": -1})", "config.json: maybe: expected a whole number of at least 0, got -1"},
      {R"({"norm": "batch"})",
       "config.json: norm: expected one of \"layer\", \"rms\", got \"batch\""},
      {R"({"norm": "Layer"})",
       "config.json: norm: expected one of \"layer\", \"rms\", got \"Layer\"; "
       "did you mean \"layer\"?"},
      {R"({"inner": 3})", "config.json: inner: expected an object, got 3"},
      {R"({"inner": {"size": "eight"}})",
       "config.json: inner.size: expected a whole number of at least 1, got \"eight\""},
      {R"({"inner": {"sise": 8}})",
       "config.json: inner: there is no key \"sise\"; did you mean \"size\"?"},
      {R"({"inners": [{}, {"heads": 8}]})",
       "config.json: inners[1]: there is no key \"heads\"; the keys are size"},
      {R"({"task": "t", "lables": []})",
       "config.json: there is no key \"lables\"; did you mean \"labels\"?"},
  };
  for (const auto& row : rows) EXPECT_EQ(message_of_json<Everything>(row.text), row.expected);
}

TEST(JsonOptions, WhetherValuesFitTogetherCanBeAskedLater) {
  Config config;
  const std::string width = R"({"width": 65})", heads = R"({"body": {"attention": {"heads": 5}}})";
  test::attention_of(config).encoder.attention.heads = 4;
  EXPECT_THROW(from_json(width, "c.json", config), FormatError);
  from_json(width, "c.json", config, Checks::kEachValue);
  from_json(heads, "c.json", config, Checks::kEachValue);
  EXPECT_NO_THROW(from_json(to_json(config), "", config));
  EXPECT_THROW(from_json(R"({"width": 0})", "c.json", config, Checks::kEachValue), FormatError);
  config.width = 66;
  try {
    from_json(to_json(config), "", config);
    ADD_FAILURE() << "66 is no multiple of 5";
  } catch (const FormatError& error) {
    EXPECT_STREQ(error.what(),
                 "body.attention.heads 5: expected a divisor of the "
                 "width 66");
  }
}

template <typename Enum>
void expect_names(const std::vector<std::string>& names) {
  EXPECT_EQ(all_names<Enum>(), names);
  for (const std::string& name : names) {
    ASSERT_TRUE(value_named<Enum>(name).has_value()) << name;
    EXPECT_EQ(name_of(*value_named<Enum>(name)), name);
  }
  EXPECT_EQ(value_named<Enum>("?"), std::nullopt);
}

TEST(Options, ChoicesHaveTheirNames) {
  expect_names<nn::Score>({"scaled-dot", "dot", "additive", "bilinear", "cosine", "location"});
  expect_names<nn::Position>(
      {"none", "sinusoidal", "triangular", "learned", "rotary", "alibi", "relative"});
  expect_names<nn::HeadJoin>({"concatenate", "average"});
  expect_names<nn::Linear::Bias>({"none", "learned"});
  expect_names<nn::NormOrder>({"pre", "post"});
  expect_names<kernel::Norm>({"layer", "rms"});
  expect_names<kernel::Activation>({"none", "relu", "gelu", "silu", "tanh", "sigmoid"});
  expect_names<nn::PoolingKind>({"mean", "sum", "max", "first", "last", "attention", "mean-max"});
}

constexpr const char* kEncoder = R"({
  "layers": 4,
  "convolution": {
    "taps": 5,
    "dimensions": 2,
    "layers": 1,
    "recurrent": false
  },
  "attention": {
    "width": 96,
    "heads": 6,
    "memory_width": 80,
    "value_width": 48,
    "score": "cosine",
    "temperature": {
      "value": 0.25,
      "learned": true
    },
    "join": "average",
    "memory_slots": 3,
    "mask": {
      "causal": true,
      "not_self": true,
      "before": 16,
      "after": null
    },
    "windows": [
      4,
      0
    ],
    "position": "alibi",
    "longest": 77,
    "dropout": 0.1,
    "bias": "none"
  },
  "feed_forward": {
    "hidden": 384,
    "activation": "silu",
    "gated": true,
    "dropout": 0.2
  },
  "order": "pre",
  "norm": "rms",
  "epsilon": 1e-06,
  "dropout": 0.3,
  "branch": 0.5,
  "last_norm": false
}
)";

TEST(Options, AnEncoderIsReadWholeAndWrittenBackAsItWas) {
  nn::EncoderOptions options;
  from_json(kEncoder, "config.json", options);
  EXPECT_EQ(options.layers, 4);
  EXPECT_EQ(options.attention.width, 96);
  EXPECT_EQ(options.attention.score, nn::Score::kCosine);
  EXPECT_EQ(options.attention.temperature.value, 0.25f);
  EXPECT_TRUE(options.attention.temperature.learned);
  EXPECT_EQ(options.attention.mask.before, 16);
  EXPECT_EQ(options.attention.mask.after, std::nullopt);
  EXPECT_EQ(options.attention.position, nn::Position::kAlibi);
  EXPECT_EQ(options.attention.bias, nn::Linear::Bias::kNone);
  EXPECT_EQ(options.feed_forward.width, 96);  // that of attention
  EXPECT_EQ(options.feed_forward.activation, kernel::Activation::kSilu);
  EXPECT_EQ(options.order, nn::NormOrder::kPre);
  EXPECT_EQ(options.norm, kernel::Norm::kRms);
  EXPECT_EQ(options.epsilon, 1e-6f);
  EXPECT_EQ(to_json(options), kEncoder);
}

template <typename T>
void expect_round_trip(const std::string& text) {
  T options;
  const std::string defaults = to_json(options);
  from_json(text, "config.json", options);
  const std::string changed = to_json(options);
  EXPECT_NE(changed, defaults);
  T again;
  from_json(changed, "config.json", again);
  EXPECT_EQ(to_json(again), changed);
  EXPECT_EQ(Json::parse(changed, "c").keys(), Json::parse(text, "c").keys());
}

TEST(Options, TheOthersComeBackAsTheyWere) {
  expect_round_trip<nn::FeedForwardOptions>(
      R"({"width": 8, "hidden": 16, "activation": "gelu", "gated": true, "dropout": 0.5})");
  expect_round_trip<nn::PositionOptions>(R"({"kind": "learned", "width": 8, "longest": 9})");
}

TEST(Options, WhatTheEngineWouldRefuseIsRefusedWithItsKey) {
  using nn::AttentionOptions, nn::EncoderOptions, nn::FeedForwardOptions;
  EXPECT_EQ(message_of_json<AttentionOptions>(R"({"width": 10, "heads": 4})"),
            "config.json: heads: expected a divisor of the width 10, got 4");
  EXPECT_EQ(message_of_json<AttentionOptions>(R"({"width": 8, "heads": 4, "value_width": 6})"),
            "config.json: heads: expected a divisor of the value width 6, got 4");
  EXPECT_EQ(message_of_json<AttentionOptions>(R"({"position": "learned"})"),
            "config.json: position: expected \"none\", \"rotary\", \"alibi\" or \"relative\" (the "
            "others are added to the input, not to attention), got \"learned\"");
  EXPECT_EQ(message_of_json<EncoderOptions>(R"({"attention": {"mask": {"before": -1}}})"),
            "config.json: attention.mask.before: expected a whole number of at least 0, got -1");
  EXPECT_EQ(message_of_json<EncoderOptions>(R"({"attention": {"temperature": {"value": 0}}})"),
            "config.json: attention.temperature.value: expected a number above 0, got 0");
  EXPECT_EQ(message_of_json<EncoderOptions>(R"({"dropout": 1})"),
            "config.json: dropout: expected a number of at least 0 and below 1, got 1");
  EXPECT_EQ(message_of_json<EncoderOptions>(R"({"feed_forward": {"width": 1}})"),
            "config.json: feed_forward: there is no key \"width\"; the keys are hidden, "
            "activation, gated, dropout");
  EXPECT_EQ(message_of_json<FeedForwardOptions>(R"({"activation": "mish"})"),
            "config.json: activation: expected one of \"none\", \"relu\", \"gelu\", \"silu\", "
            "\"tanh\", \"sigmoid\", got \"mish\"");
}

// Whatever happens to the text, it is read or refused, never more.
TEST(Options, ADamagedTextIsReadOrRefused) {
  const std::uint64_t seed = 11;
  Random random(seed);
  int refused = 0;
  constexpr int kTries = 3000;
  for (int i = 0; i < kTries; ++i) {
    std::string text = kEncoder;
    for (std::uint32_t change = random.below(3) + 1; change > 0; --change) {
      const auto at = random.below(static_cast<std::uint32_t>(text.size()));
      switch (random.below(3)) {
        case 0:
          text[at] = static_cast<char>(random.next());
          break;
        case 1:
          text.erase(at, random.below(20));
          break;
        default:
          text.insert(at, text.substr(random.below(static_cast<std::uint32_t>(text.size())), 20));
      }
    }
    try {
      nn::EncoderOptions options;
      from_json(text, "config.json", options);
      to_json(options);
    } catch (const FormatError&) {
      ++refused;
    } catch (const std::exception& error) {
      FAIL() << error.what() << " (seed " << seed << ", try " << i << ")\n" << text;
    }
  }
  EXPECT_GT(refused, kTries / 2);
  EXPECT_LT(refused, kTries);
}

}  // namespace
}  // namespace heed
