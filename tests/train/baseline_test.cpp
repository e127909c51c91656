#include "heed/train/baseline.h"

#include <gtest/gtest.h>

#include "heed/model/prepared.h"
#include "tests/support/made_examples.h"

namespace heed {
namespace {

Dataset texts(std::initializer_list<std::pair<const char*, const char*>> rows, int times = 1) {
  Dataset data;
  for (int i = 0; i < times; ++i) {
    for (const auto& [text, label] : rows) {
      data.records.push_back(make_record(Text{text}, Label{label}));
    }
  }
  return data;
}

const Dataset kTrain = texts({{"a good film", "good"},
                              {"good and moving", "good"},
                              {"a bad film", "bad"},
                              {"bad and dull", "bad"},
                              {"so so film", "neither"},
                              {"neither so nor so", "neither"}},
                             3);

TEST(Baseline, ALinearClassifierLearnsWhatWordsSay) {
  const Dataset dev = texts({{"good film", "good"}, {"bad film", "bad"}, {"so so", "neither"}});
  for (const int workers : {1, 2}) {
    const std::optional<Baseline> baseline = linear_on_tfidf({kTrain, dev}, 60.0, workers);
    ASSERT_TRUE(baseline.has_value());
    EXPECT_EQ(baseline->name, "a linear SVM and naive Bayes on TF-IDF");
    EXPECT_EQ(baseline->score, 1.0);
  }
}

// Labels that say the opposite of what was learned, and one that was never seen.
TEST(Baseline, ItsScoreIsTheShareThatIsRight) {
  const Dataset dev =
      texts({{"good film", "good"}, {"bad", "good"}, {"bad", "bad"}, {"so", "new"}});
  EXPECT_EQ(linear_on_tfidf({kTrain, dev}, 60.0, 1)->score, 0.5);
}

TEST(Baseline, WithoutTimeThereIsNone) {
  EXPECT_FALSE(linear_on_tfidf({kTrain, kTrain}, 0.0, 1).has_value());
}

TEST(Baseline, EachWordGetsItsMostFrequentTagAndAnUnknownOneTheMostFrequentOfAll) {
  Dataset train, dev;
  const auto add = [](Dataset& data, std::vector<std::string> words,
                      std::vector<std::string> tags) {
    data.records.push_back(make_record(Sentence{std::move(words)}, Tags{std::move(tags)}));
  };
  add(train, {"the", "run", "the", "run"}, {"DET", "NOUN", "DET", "NOUN"});
  add(train, {"we", "run", "dogs", "cats"}, {"PRON", "VERB", "NOUN", "NOUN"});
  // Right: the, run as NOUN, unknown as NOUN. Wrong: run as VERB.
  add(dev, {"the", "run", "run", "unheard"}, {"DET", "NOUN", "VERB", "NOUN"});
  EXPECT_EQ(most_frequent_tag({train, dev}, 60.0, 1)->score, 0.75);
}

// The word before it says what "run" is.
TEST(Baseline, OfTagsIsTheLinearCrfThatAModelHas) {
  Dataset train;
  for (int i = 0; i < 20; ++i) {
    train.records.push_back(make_record(Sentence{{"the", "run"}}, Tags{{"DET", "NOUN"}}));
    train.records.push_back(make_record(Sentence{{"we", "run"}}, Tags{{"PRON", "VERB"}}));
  }
  Config config = test::made_config("tags");
  test::tags_of(config).classes.names.clear();
  config.wide = Choice<Wide>("linear_crf");
  config.input->fit(train);
  config.output->fit(train, false);
  config.wide->fit(train, config.output->classes());
  Model model(config);
  Workers workers(1);
  const PreparedExamples examples(train, model, workers);
  model.learn_wide(examples, 1);
  const BaselineData data{train, train, &model, &examples};
  EXPECT_EQ(linear_crf_alone(data, 60.0, 1)->name, "a linear CRF on features of words");
  EXPECT_EQ(linear_crf_alone(data, 60.0, 1)->score, 1.0);
  EXPECT_EQ(linear_crf_alone({train, train}, 60.0, 1)->score, 0.75) << "most frequent tags";
}

}  // namespace
}  // namespace heed
