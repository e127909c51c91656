#include "heed/train/held_out.h"

#include <gtest/gtest.h>

#include "heed/data/inspect.h"
#include "heed/model/output/label.h"
#include "heed/model/prepared.h"
#include "heed/train/defaults.h"
#include "heed/train/fit_time.h"
#include "heed/train/run.h"

namespace heed {
namespace {

Dataset two_topics(int count) {
  Dataset data;
  for (int i = 0; i < count; ++i) {
    data.records.push_back(
        make_record(Text{(i % 2 == 0 ? "cat dog " : "bread soup ") + std::to_string(i)},
                    Label{i % 2 == 0 ? "animals" : "food"}));
  }
  return data;
}

Config fitted_on(const Dataset& data) {
  Config config = default_config("label");
  apply_preset("tiny", config);
  config.wide = Choice<Wide>("none");
  config.input->fit(data);
  config.output->fit(data, false);
  return config;
}

// The mean over all examples, whatever the workers and batches.
TEST(HeldOut, TheLossIsTheMeanOfAllExamples) {
  const Dataset data = two_topics(50);
  const Model model(fitted_on(data));
  Workers one(1), three(3);
  const PreparedExamples examples(data, model, one);
  const double loss = mean_loss(model, examples, one);
  EXPECT_EQ(loss, mean_loss(model, examples, three));
  double sum = 0.0;
  for (Index i = 0; i < examples.count(); ++i) {
    Batch batch;
    examples.load(i, batch);
    batch.whole_weight = 1.0;
    Context context;
    context.begin(Mode::kEvaluate);
    sum += static_cast<double>(model.loss(context, batch).value[0]);
  }
  EXPECT_NEAR(loss, sum / 50.0, 1e-5);
}

TEST(HeldOut, MeasuresAreChosenByTheirNames) {
  const Config config = fitted_on(two_topics(20));
  const auto measures = config.output->measures();
  EXPECT_EQ(selected_score(*measures, "").name, "accuracy");
  EXPECT_EQ(selected_score(*measures, "loss").name, "accuracy");
  EXPECT_EQ(selected_score(*measures, "macro-f1").name, "macro F1");
  EXPECT_EQ(selected_score(*measures, "f1").name, "macro F1");
  EXPECT_THROW(selected_score(*measures, "bleu"), UsageError);
  EXPECT_EQ(score_text({"accuracy", 0.5}), "50.00 %");
  EXPECT_EQ(score_text({"BLEU", 0.264, ScoreForm::kHundred}), "26.40");
  EXPECT_EQ(score_text({"word error rate", 0.95, ScoreForm::kErrors}), "5.00 %");
  EXPECT_EQ(score_text({"perplexity", 0.04, ScoreForm::kInverse}), "25.00");
}

// √(0.9 · 0.1 / 100) is 0.03.
TEST(HeldOut, AccuraciesAreAsGoodWithinHalfAStandardError) {
  EXPECT_NEAR(as_good_as({"accuracy", 0.9}, two_topics(100)), 0.015, 1e-9);
  EXPECT_EQ(as_good_as({"accuracy", 1.0}, two_topics(100)), 0.0);
  EXPECT_EQ(as_good_as({"perplexity", 0.9, ScoreForm::kInverse}, two_topics(100)), 0.0);
  Dataset tags;
  tags.records.push_back(make_record(Sentence{{"a", "cat"}}, Tags{{"DET", "NOUN"}}));
  EXPECT_EQ(as_good_as({"accuracy", 0.9}, tags), 0.0);
}

// With plenty of time the network stays; with next to none it becomes the smallest.
TEST(HeldOut, ATimeLimitDecidesTheSize) {
  const Dataset data = two_topics(400);
  Config config = default_config("label");
  config.wide = Choice<Wide>("none");
  config.input->fit(data);
  config.output->fit(data, false);
  TrainingOptions training;
  const TimePlan plenty = plan_for_time(config, data, training, 10000.0 / 100.0);
  EXPECT_EQ(plenty.config.width, config.width) << plenty.note;
  EXPECT_GT(plenty.config.output.as<LabelOutput>()->options().consistency, 0.0f);
  EXPECT_GT(plenty.epochs, 4.0);
  const TimePlan little = plan_for_time(config, data, training, 1e-3);
  EXPECT_EQ(little.config.width, 64) << little.note;
  EXPECT_EQ(little.config.output.as<LabelOutput>()->options().consistency, 0.0f);
  EXPECT_NE(little.note.find("would allow attention of width 128"), std::string::npos)
      << little.note;
}

// Few sentences are read often. A network that has no time for half of that gives way to a smaller
// one, unless four epochs are enough for its kind of answer.
TEST(HeldOut, ATimeLimitLeavesTaggersHalfOfTheirEpochs) {
  Dataset data;
  for (Index i = 0; i < 400; ++i) {
    data.records.push_back(make_record(Sentence{{"a", i % 2 == 0 ? "cat" : "dog", "sleeps"}},
                                       Tags{{"DET", "NOUN", "VERB"}}));
  }
  Config config = default_config("tags");
  config.wide = Choice<Wide>("none");
  config.input->fit(data);
  config.output->fit(data, false);
  EXPECT_EQ(default_pace(config).timed_share, 0.5);
  EXPECT_EQ(default_pace(default_config("label")).timed_share, 0.0);
  // What an epoch takes on this machine says how much time leaves room for five.
  const double most = 1000.0;
  const TimePlan plenty = plan_for_time(config, data, {}, most);
  EXPECT_EQ(plenty.config.width, config.width) << plenty.note;
  const TimePlan five = plan_for_time(config, data, {}, most * 5.0 / plenty.epochs);
  EXPECT_LT(five.config.width, config.width) << five.note;
  EXPECT_GT(five.epochs, 5.0) << five.note;
}

// Of few examples all are read, whatever the time; of many, with next to none, a few thousand.
TEST(HeldOut, ATimeLimitDecidesHowManyExamplesAreRead) {
  Config config = default_config("label");
  const Dataset few = two_topics(400), many = two_topics(50000);
  config.output->fit(many, false);
  const TrainingOptions training;
  EXPECT_EQ(examples_for_time(config, few, training, 1e-3), 400);
  EXPECT_EQ(examples_for_time(config, many, training, 1e-3), 4000);
  EXPECT_EQ(examples_for_time(config, many, training, 1e6), 50000);
}

TEST(HeldOut, ATenthIsHeldOutButNeverTooMany) {
  RunOptions options;
  EXPECT_DOUBLE_EQ(options.held_out_of(1000), 0.1);
  EXPECT_DOUBLE_EQ(options.held_out_of(25000), 0.1);
  EXPECT_DOUBLE_EQ(options.held_out_of(250000), 0.01);
  EXPECT_DOUBLE_EQ(options.held_out_of(2000000, 20000), 0.01);
  options.held_out = 0.3;
  EXPECT_DOUBLE_EQ(options.held_out_of(2000000), 0.3);
}

}  // namespace
}  // namespace heed
