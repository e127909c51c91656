#include "heed/train/text_defaults.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/support/temporary_folder.h"

namespace heed {
namespace {

using test::message_of;

const std::vector<std::string> kNames = {"a", "b", "c"};

OutputOptions settled(std::vector<std::string> names, std::vector<float> weights) {
  OutputOptions output;
  output.names = std::move(names);
  output.class_weights = std::move(weights);
  settle_answers(kNames, output);
  EXPECT_EQ(output.names, kNames);
  return output;
}

TEST(TextDefaults, WeightsStayWithTheirNames) {
  EXPECT_TRUE(settled({}, {}).class_weights.empty());
  EXPECT_TRUE(settled({"c", "a", "b"}, {}).class_weights.empty());
  EXPECT_EQ(settled({}, {1, 2, 3}).class_weights, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(settled({"c", "a", "b"}, {3, 1, 2}).class_weights, (std::vector<float>{1, 2, 3}));
}

TEST(TextDefaults, NamesAndWeightsThatAreNotTheDatasAreRefused) {
  const auto refusal = [](const std::vector<std::string>& names,
                          const std::vector<float>& weights) {
    return message_of<UsageError>([&] { settled(names, weights); });
  };
  EXPECT_EQ(refusal({"a", "b", "d"}, {}),
            "output.names: the data has no label \"d\"; its labels are a,b,c");
  EXPECT_EQ(refusal({"a", "c"}, {}),
            "output.names: \"b\" is missing, a label of the data; give all of them, or none");
  EXPECT_EQ(refusal({"a", "c", "a"}, {}), "output.names: \"a\" is there twice");
  EXPECT_EQ(
      refusal({}, {1, 2}),
      "output.class_weights: 2 weights, expected one for each of the 3 labels in the order of "
      "the alphabet: a,b,c");
}

TEST(TextDefaults, WithoutWordsThereIsNothingThatSuitsWordsAlone) {
  Config config = default_config(OutputKind::kLabel);
  suit_tokenizer(TokenizerOptions::Kind::kWord, config.text);
  EXPECT_GT(config.text.letters.buckets, 0);
  EXPECT_GT(config.text.tokenizer.pairs, 0);
  suit_tokenizer(TokenizerOptions::Kind::kBpe, config.text);
  EXPECT_EQ(config.text.letters.buckets, 0);
  EXPECT_EQ(config.text.tokenizer.pairs, 0);
}

}  // namespace
}  // namespace heed
