#include "heed/train/held_out.h"

#include <gtest/gtest.h>

#include <vector>

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

// The size that is chosen where so many epochs of each fit.
std::size_t size_for(const std::string& output, const std::vector<double>& fitting, double wanted) {
  const SizeFound found = first_with_enough_epochs(
      fitting.size(), default_pace(default_config(output)), [&](std::size_t i) {
        return EpochsThatFit{fitting[i], wanted};
      });
  EXPECT_EQ(found.epochs, fitting[found.index]);
  EXPECT_EQ(found.wanted, wanted);
  return found.index;
}

TEST(HeldOut, TheLargestNetworkWithEnoughEpochsIsTaken) {
  EXPECT_EQ(size_for("label", {4.0, 8.0, 16.0}, 10.0), 0);  // four are enough
  EXPECT_EQ(size_for("label", {3.9, 8.0, 16.0}, 10.0), 1);
  EXPECT_EQ(size_for("label", {2.0, 4.0, 8.0}, 2.0), 0);  // and fewer where fewer are wanted
  EXPECT_EQ(size_for("label", {1.0, 2.0, 3.0}, 10.0), 2);
  // The last is the quickest, even if a moment of measuring says something else.
  EXPECT_EQ(size_for("label", {1.0, 2.0, 1.5}, 10.0), 2);
}

// Few sentences are read often: a tagger that has no time for half of that gives way to a smaller
// one.
TEST(HeldOut, ATimeLimitLeavesTaggersHalfOfTheirEpochs) {
  EXPECT_EQ(size_for("tags", {20.0, 40.0, 80.0}, 40.0), 0);
  EXPECT_EQ(size_for("tags", {19.0, 38.0, 76.0}, 40.0), 1);
  EXPECT_EQ(size_for("tags", {3.0, 6.0, 12.0}, 6.0), 1);  // four of them all the same
  EXPECT_EQ(size_for("label", {19.0, 38.0, 76.0}, 40.0), 0);
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
