// What a bag of words cannot do: texts with the same words and different labels.
#include <gtest/gtest.h>

#include "heed/base/random.h"
#include "heed/train/defaults.h"
#include "heed/train/run.h"
#include "heed/train/settings.h"
#include "tests/support/training.h"

namespace heed {
namespace {

using test::kNever;

// Some filler words with "north" and "south" among them; the label is the one that comes first.
Dataset which_comes_first(int count, std::uint64_t seed) {
  Random random(seed);
  Dataset data;
  for (int i = 0; i < count; ++i) {
    std::vector<std::string> words;
    for (std::uint32_t j = 4 + random.below(8); j > 0; --j) {
      words.push_back("w" + std::to_string(random.below(30)));
    }
    const std::uint32_t first = random.below(static_cast<std::uint32_t>(words.size() - 1));
    const std::uint32_t second =
        first + 1 + random.below(static_cast<std::uint32_t>(words.size()) - first - 1);
    const bool north = i % 2 == 0;
    words[first] = north ? "north" : "south";
    words[second] = north ? "south" : "north";
    std::string text;
    for (const std::string& word : words) text += word + " ";
    data.records.push_back(make_record(Text{text}, Label{north ? "north" : "south"}));
  }
  return data;
}

double score_of(const std::string& body) {
  RunOptions options;
  Settings said{default_config("label"), options.training};
  const std::vector<std::string> settings = {
      "body.kind=" + body,           "wide.kind=none",    "width=32",
      "input.char_ngrams.buckets=0", "training.epochs=8", "training.workers=2",
      "training.batch_rows=512"};
  for (const std::string& setting : settings) apply_setting(setting, said);
  Settings chosen{default_config(said.config), options.training};
  for (const std::string& setting : settings) apply_setting(setting, chosen);
  options.config = chosen.config;
  options.training = chosen.training;
  const std::unique_ptr<Model> model =
      train_records(which_comes_first(2000, 1), {}, options, {}, kNever);
  return evaluate(*model, which_comes_first(400, 2), 2)->score();
}

// Each sees all of a text of at most 12 words, or, as the CNN, 4 words on each side.
TEST(Order, ConformerConvolutionsAndLstmSeeItToo) {
  EXPECT_GT(score_of("conformer"), 0.98);
  EXPECT_GT(score_of("cnn"), 0.95);
  EXPECT_GT(score_of("lstm"), 0.95);
}

TEST(Order, AttentionSeesWhichWordComesFirstAndABagIsAtChance) {
  EXPECT_GT(score_of("attention"), 0.98);
  EXPECT_LT(score_of("bag"), 0.62);
}

}  // namespace
}  // namespace heed
