#include "heed/train/defaults.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/model/body/cnn.h"
#include "heed/train/settings.h"
#include "tests/support/made_examples.h"
#include "tests/support/messages.h"

namespace heed {
namespace {

using test::message_of;

const std::vector<std::string> kNames = {"a", "b", "c"};

// What a label's output makes of data with the labels a, b and c.
ClassOptions settled(std::vector<std::string> names, std::vector<float> weights) {
  Dataset data;
  for (const std::string& name : kNames) {
    data.records.push_back(make_record(Text{"x"}, Label{name}));
  }
  LabelOutput output;
  output.options().classes.names = std::move(names);
  output.options().classes.class_weights = std::move(weights);
  output.fit(data, false);
  EXPECT_EQ(output.names(), kNames);
  return output.options().classes;
}

TEST(Defaults, MuchTextAsksForAWiderNetwork) {
  const Config config = default_config("label");
  EXPECT_EQ(default_width(config, 19'999), config.width);
  EXPECT_EQ(default_width(config, 20'000), 192);
  const Config tags = default_config("tags");
  EXPECT_EQ(default_width(tags, 1'000'000), tags.width);
}

TEST(Classes, WeightsStayWithTheirNames) {
  EXPECT_TRUE(settled({}, {}).class_weights.empty());
  EXPECT_TRUE(settled({"c", "a", "b"}, {}).class_weights.empty());
  EXPECT_EQ(settled({}, {1, 2, 3}).class_weights, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(settled({"c", "a", "b"}, {3, 1, 2}).class_weights, (std::vector<float>{1, 2, 3}));
}

TEST(Classes, NamesAndWeightsThatAreNotTheDatasAreRefused) {
  const auto refusal = [](const std::vector<std::string>& names,
                          const std::vector<float>& weights) {
    return message_of<UsageError>([&] { settled(names, weights); });
  };
  EXPECT_EQ(refusal({"a", "b", "d"}, {}),
            "output.names: the data has no class \"d\"; it has a,b,c");
  EXPECT_EQ(refusal({"a", "c"}, {}),
            "output.names: \"b\" is missing, a class of the data; give all of them, or none");
  EXPECT_EQ(refusal({"a", "c", "a"}, {}), "output.names: \"a\" is there twice");
  EXPECT_EQ(refusal({}, {1, 2}),
            "output.class_weights: 2 weights, expected 3, one for each class in the order of the "
            "alphabet: a,b,c");
}

// The weight of a class is inverse to how often it is there, and the mean over the data is 1.
TEST(Classes, BalancedWeightsMakeAllClassesEqual) {
  Dataset data;
  for (const char* name : {"a", "a", "a", "b"}) {
    data.records.push_back(make_record(Text{"x"}, Label{name}));
  }
  LabelOutput output;
  output.fit(data, false);
  output.balance(data);
  const std::vector<float>& weights = output.options().classes.class_weights;
  ASSERT_EQ(weights.size(), 2u);
  EXPECT_FLOAT_EQ(3.0f * weights[0], weights[1]);
  EXPECT_FLOAT_EQ((3.0f * weights[0] + weights[1]) / 4.0f, 1.0f);
}

Config defaults_with(const char* output, const std::vector<std::string>& set) {
  Settings said{default_config(output), {}};
  for (const std::string& setting : set) apply_setting(setting, said);
  Settings settings{default_config(said.config), {}};
  for (const std::string& setting : set) apply_setting(setting, settings);
  EXPECT_NO_THROW(check_settings(settings));
  return settings.config;
}

TEST(Defaults, WithoutWordsThereIsNothingThatSuitsWordsAlone) {
  Config words = defaults_with("label", {});
  EXPECT_GT(test::text_of(words).char_ngrams.buckets, 0);
  EXPECT_EQ(test::text_of(words).tokenizer.vocabulary, 100000);
  for (const char* kind : {"bpe", "unigram", "character"}) {
    Config other = defaults_with("label", {std::string("input.tokenizer.kind=") + kind});
    EXPECT_EQ(test::text_of(other).char_ngrams.buckets, 0) << kind;
    EXPECT_EQ(test::text_of(other).tokenizer.vocabulary, 30000) << kind;
    EXPECT_EQ(other.wide.kind(), "tfidf") << kind;
  }
}

TEST(Defaults, EveryTaskHasItsBodyUnlessAnotherIsChosen) {
  EXPECT_EQ(defaults_with("label", {}).body.kind(), "attention");
  EXPECT_EQ(defaults_with("tags", {}).body.kind(), "attention");
  EXPECT_EQ(defaults_with("tags", {"body.layers=3"}).body.kind(), "attention");
  EXPECT_EQ(defaults_with("tags", {"body.kind=bag"}).body.kind(), "bag");
  for (const char* output : {"label", "tags"}) {
    for (const std::string& body : Registry<Body>::instance().names()) {
      EXPECT_EQ(defaults_with(output, {"body.kind=" + body}).body.kind(), body);
    }
  }
}

// A CRF has no meaning with label smoothing, class weights or an ensemble.
TEST(Defaults, TagsHaveACrfUnlessSomethingElseWasChosen) {
  const auto crf = [](const std::vector<std::string>& settings) {
    return defaults_with("tags", settings).output.as<TagsOutput>()->options().crf;
  };
  EXPECT_TRUE(crf({}));
  EXPECT_FALSE(crf({"output.smoothing=0.1"}));
  EXPECT_FALSE(crf({"output.class_weights=[1, 2]"}));
  EXPECT_FALSE(crf({"ensemble.size=2"}));
}

TEST(Defaults, AttentionThatTagsReadsEveryWord) {
  Config config = defaults_with("tags", {"body.kind=attention"});
  EXPECT_EQ(test::text_of(config).truncation, 0);
  EXPECT_GT(test::attention_of(config).segment, 0);
  EXPECT_EQ(config.body->longest(), 0);
}

// Near words are seen by heads of their own. However few heads there are, one sees everything.
TEST(Defaults, HeadsThatTagSeeDifferentlyFar) {
  for (const Index heads : {1, 2, 4, 8}) {
    Config config = defaults_with("tags", {"body.attention.heads=" + std::to_string(heads)});
    nn::AttentionOptions options = test::attention_of(config).encoder.attention;
    const std::vector<Index> windows = nn::head_windows(options);
    ASSERT_EQ(std::ssize(windows), heads);
    EXPECT_EQ(windows.back(), kernel::AttentionMask::kUnlimited);
    if (heads > 1) {
      EXPECT_EQ(windows[windows.size() - 2], 8);
    }
  }
}

TEST(Defaults, TagsAreLearnedBesideMaskedWords) {
  Config tags = default_config("tags"), label = default_config("label");
  EXPECT_GT(test::text_of(tags).masked_words.share, 0.0f);
  EXPECT_TRUE(test::text_of(tags).char_ngrams.lowercase);
  EXPECT_EQ(test::text_of(label).masked_words.share, 0.0f);
}

// Of long texts a random part is learned from, and all of it is read in segments for an answer.
TEST(Defaults, LongTextsAreLearnedFromInParts) {
  Config config = default_config("label");
  EXPECT_EQ(config.body.kind(), "attention");
  EXPECT_EQ(config.input->varied_length(100), 100);
  EXPECT_LT(config.input->varied_length(1000), 200);
  EXPECT_GT(test::attention_of(config).segment, 0);
  EXPECT_EQ(default_config("tags").input->varied_length(1000), 1000);
}

TEST(Defaults, ACnnSeesPicturesInBothDirections) {
  for (const char* output : {"label", "tags"}) {
    Config pictures = default_config(output, ContentKind::kImage);
    pictures.body = Choice<Body>("cnn");
    Config texts = default_config(output);
    texts.body = Choice<Body>("cnn");
    EXPECT_EQ(default_config(pictures).body.as<CnnBody>()->options().dimensions, 2);
    EXPECT_EQ(default_config(texts).body.as<CnnBody>()->options().dimensions, 1);
  }
}

TEST(Settings, OfTrainingAndOfTheModelAreSetByTheirPath) {
  Settings settings{default_config("label"), {}};
  apply_setting("training.rate=0.5", settings);
  apply_setting("body.layers=3", settings);
  apply_setting("output.names=[\"x\", \"y\"]", settings);
  EXPECT_EQ(settings.training.rate, 0.5f);
  EXPECT_EQ(test::attention_of(settings.config).encoder.layers, 3);
  EXPECT_EQ(settings.config.output->classes(), 2);
  const auto refusal = [&](const std::string& setting) {
    return message_of<UsageError>([&] { apply_setting(setting, settings); });
  };
  EXPECT_EQ(refusal("body.layers"),
            "--set body.layers: expected NAME=VALUE, such as body.layers=4");
  EXPECT_EQ(refusal("body.layer=2"),
            "--set: body: there is no key \"layer\"; did you mean \"layers\"?");
  EXPECT_EQ(refusal("training.rate=0"), "--set: training.rate: expected a number above 0, got 0");
  apply_setting("width=70", settings);  // the heads may still change
  EXPECT_THROW(check_settings(settings), UsageError);
  apply_setting("body.attention.heads=5", settings);
  EXPECT_NO_THROW(check_settings(settings));
}

}  // namespace
}  // namespace heed
