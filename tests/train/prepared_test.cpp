#include "heed/model/prepared.h"

#include <gtest/gtest.h>

#include "heed/train/trainer.h"
#include "tests/support/made_examples.h"

namespace heed {
namespace {

// Texts of a few words, with labels, or sentences with tags.
Dataset made_data(const std::string& output, Index count) {
  const std::vector<std::string> words = {"the", "old", "cat", "sees", "a", "house", "dog", "day"};
  const std::vector<std::string> names = {"a", "b", "c"};
  Random random(7);
  Dataset data;
  for (Index i = 0; i < count; ++i) {
    Sentence sentence;
    Tags tags;
    std::string text;
    for (std::uint32_t left = 1 + random.below(9); left > 0; --left) {
      const std::uint32_t word = random.below(static_cast<std::uint32_t>(words.size()));
      sentence.words.push_back(words[word]);
      tags.names.push_back(names[word % 3]);
      text += words[word] + " ";
    }
    const Label label{names[random.below(3)]};
    data.records.push_back(output == "label" ? make_record(Text{text}, label)
                                             : make_record(sentence, tags));
  }
  return data;
}

// A model with everything that can be prepared, fitted to the data.
Config fitted_config(const std::string& output, const Dataset& data) {
  Config config = test::made_config(output, "attention", 0.1f);
  test::text_of(config).char_ngrams.buckets = 50;
  test::text_of(config).char_cnn.filters = 4;
  if (output == "label") test::add_tfidf(config, 0);
  config.input->fit(data);
  config.output->fit(data, false);
  config.wide->fit(data, config.output->classes());
  return config;
}

// Every column of a batch, for comparing.
std::vector<std::int32_t> all_of(const Batch& batch) {
  std::vector<std::int32_t> all(batch.lengths.begin(), batch.lengths.end());
  for (const Columns* columns : {&batch.input, &batch.wide, &batch.answer}) {
    for (std::size_t slot = 0; slot < 5; ++slot) {
      const Ragged<std::int32_t>& column = columns->integers(slot);
      all.insert(all.end(), column.lengths().begin(), column.lengths().end());
      all.insert(all.end(), column.values().begin(), column.values().end());
    }
  }
  return all;
}

TEST(PreparedExamples, AreTheSameWhetherTheyAreKeptOrMadeWhenNeeded) {
  for (const char* output : {"label", "tags"}) {
    const Dataset data = made_data(output, 2500);  // in three chunks
    const Model model(fitted_config(output, data));
    Workers workers(3);
    const PreparedExamples kept(data, model, workers), made(data, model, workers, 0);
    const PreparedExamples some(data, model, workers, 200'000);
    ASSERT_EQ(kept.count(), data.size());
    for (const Index first : {0, 1000, 1023, 1024, 2040, 2490}) {
      Batch expected, one, two, three;
      for (Index i = first; i < first + 10; ++i) {
        model.prepare(data[i], expected);
        kept.load(i, one);
        made.load(i, two);
        some.load(i, three);
        EXPECT_EQ(kept.length(i), expected.lengths.back());
        EXPECT_EQ(made.length(i), expected.lengths.back());
      }
      EXPECT_EQ(all_of(one), all_of(expected));
      EXPECT_EQ(all_of(two), all_of(expected));
      EXPECT_EQ(all_of(three), all_of(expected));
    }
    EXPECT_EQ(kept.rows(), made.rows());
    EXPECT_EQ(kept.lengths(), made.lengths());
  }
}

TEST(PreparedExamples, TrainingOnEitherGivesTheSameBits) {
  for (const char* output : {"label", "tags"}) {
    const Dataset data = made_data(output, 150);
    const auto train = [&](std::size_t bytes) {
      Model model(fitted_config(output, data));
      Workers workers(2);
      const PreparedExamples examples(data, model, workers, bytes);
      model.learn_wide(examples, 2);
      TrainingOptions options;
      options.epochs = 3;
      options.batch_rows = 100;
      options.workers = 2;
      const std::atomic<bool> never = false;
      Trainer(model, examples, options, [](const Model&) { return 0.5; }, {}).run(never);
      std::vector<float> weights;
      for (const Parameter& parameter : model.parameters()) {
        weights.insert(weights.end(), parameter.value.span().begin(), parameter.value.span().end());
      }
      return weights;
    };
    EXPECT_EQ(train(PreparedExamples::kKept), train(0)) << output;
  }
}

TEST(PreparedExamples, OfNoDataAreNone) {
  const Dataset data = made_data("label", 5), none;
  const Model model(fitted_config("label", data));
  Workers workers(2);
  const PreparedExamples examples(none, model, workers);
  EXPECT_EQ(examples.count(), 0);
  EXPECT_EQ(examples.rows(), 0);
}

}  // namespace
}  // namespace heed
