#include "heed/train/trainer.h"

#include <gtest/gtest.h>

#include "heed/base/file.h"
#include "heed/train/checkpoint.h"
#include "tests/support/made_examples.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/training.h"

namespace heed {
namespace {

using test::kNever;
using test::made_config;
using test::made_examples;
using test::message_of;
using test::short_training;
using test::TemporaryFolder;
using test::Training;
using test::weights_of;

TEST(Trainer, GoesThroughTheDataAsOftenAsAskedAndEvaluatesAsOften) {
  for (const Index evaluations : {1, 3}) {
    Training run(short_training(1));
    run.options.evaluations_per_epoch = evaluations;
    Index steps = 0;
    run.events.step = [&](const TrainingState& state, const StepResult&, float) {
      EXPECT_EQ(state.steps, ++steps);
    };
    Trainer trainer = run.trainer();
    EXPECT_EQ(trainer.run(kNever), Trainer::End::kFinished);
    EXPECT_EQ(steps, trainer.state().total_steps);
    EXPECT_EQ(steps % 3, 0);
    ASSERT_EQ(static_cast<Index>(trainer.state().evaluations.size()), 3 * evaluations);
    EXPECT_EQ(trainer.state().evaluations.back().step, steps);
    EXPECT_EQ(trainer.state().evaluations.back().epoch, 3);
  }
}

// Batches of an epoch are cut after shuffling, so epochs differ in their number.
TEST(Trainer, TheLastStepIsTheLastOfTheLastEpoch) {
  bool longer = false, shorter = false;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Training run(short_training(1));
    run.options.epochs = 4;
    run.options.batch_rows = 8;
    run.options.seed = seed;
    std::vector<Index> steps(4);  // of each epoch
    std::vector<float> rates;
    run.events.step = [&](const TrainingState& state, const StepResult&, float rate) {
      ++steps.at(static_cast<std::size_t>(state.epoch));
      rates.push_back(rate);
    };
    Trainer trainer = run.trainer();
    trainer.run(kNever);
    const TrainingState& state = trainer.state();
    EXPECT_EQ(state.epoch, 4);
    EXPECT_EQ(state.batch, 0);
    EXPECT_EQ(state.steps, state.total_steps);
    EXPECT_EQ(state.evaluations.size(), 4u);
    EXPECT_FLOAT_EQ(state.evaluations.back().rate, 0.0f);
    longer |= state.steps > 4 * steps.front();
    shorter |= state.steps < 4 * steps.front();
    const auto largest = std::max_element(rates.begin(), rates.end());
    EXPECT_TRUE(std::is_sorted(largest, rates.end(), std::greater<>()));
  }
  EXPECT_TRUE(longer && shorter) << "the examples do not show what this is about";
}

TEST(Trainer, Learns) {
  for (const char* output : {"label", "tags"}) {
    Training run(short_training(2), output);
    run.options.epochs = 15;
    Trainer trainer = run.trainer();
    trainer.run(kNever);
    const std::vector<Evaluation>& evaluations = trainer.state().evaluations;
    EXPECT_LT(evaluations.back().loss, 0.7f * evaluations.front().loss);
  }
}

// Averaging is for many steps; after a few, what is judged has still learned something.
TEST(Trainer, AFewStepsAreEnoughToMoveTheWeightsThatAreJudged) {
  TrainingOptions options = short_training(1);
  options.epochs = 1;
  options.batch_rows = 100000;  // all in one step
  options.average = 0.999f;
  Training training(options);
  const std::vector<float> before = weights_of(training.model);
  training.trainer().run(kNever);
  ASSERT_EQ(training.seen.size(), 1u);
  EXPECT_NE(training.seen.front(), before);
  EXPECT_EQ(weights_of(training.model), training.seen.front());
}

// Whatever the number of evaluations, the model is the same; of equal scores the last is kept.
TEST(Trainer, EvaluationsDoNotDisturbTheWeightsAndTheirAverage) {
  for (const float average : {0.0f, 0.9f}) {
    std::vector<std::vector<float>> found;
    for (const Index evaluations : {1, 4}) {
      Training run(short_training(1));
      run.options.average = average;
      run.options.evaluations_per_epoch = evaluations;
      run.scores.assign(12, 0.5);
      run.trainer().run(kNever);
      EXPECT_EQ(static_cast<Index>(run.seen.size()), 3 * evaluations);
      found.push_back(weights_of(run.model));
    }
    EXPECT_EQ(found[0], found[1]) << "average " << average;
  }
}

TEST(Trainer, WhatIsJudgedIsTheAverageOverAllSteps) {
  Training run(short_training(2));
  run.options.average = 0.8f;
  const std::vector<float> first = weights_of(run.model);
  std::vector<double> average(first.begin(), first.end());
  std::vector<std::vector<double>> expected;  // of each step
  run.events.step = [&](const TrainingState& state, const StepResult&, float) {
    const std::vector<float> weights = weights_of(run.model);
    const double t = static_cast<double>(state.steps);
    const double keep = std::min(0.8, (1.0 + t) / (10.0 + t));
    for (std::size_t i = 0; i < weights.size(); ++i) {
      average[i] = keep * average[i] + (1.0 - keep) * static_cast<double>(weights[i]);
    }
    expected.push_back(average);
  };
  Trainer trainer = run.trainer();
  trainer.run(kNever);
  for (std::size_t e = 0; e < run.seen.size(); ++e) {
    const Index step = trainer.state().evaluations[e].step;
    const std::vector<double>& then = expected[static_cast<std::size_t>(step) - 1];
    for (std::size_t i = 0; i < then.size(); ++i) ASSERT_NEAR(run.seen[e][i], then[i], 1e-5);
  }
}

// However few steps there are: the rate grows in so large a part of them as was asked, then falls.
TEST(Trainer, TheRateGrowsInItsPartOfAllStepsAndFallsInTheOthers) {
  for (const float warmup : {0.0f, 0.05f, 0.5f}) {
    Training run(short_training(1));
    run.options.warmup = warmup;
    std::vector<float> rates;
    run.events.step = [&](const TrainingState&, const StepResult&, float rate) {
      rates.push_back(rate);
    };
    Trainer trainer = run.trainer();
    trainer.run(kNever);
    const auto largest = std::max_element(rates.begin(), rates.end());
    EXPECT_FLOAT_EQ(*largest, run.options.rate);
    const auto growing = static_cast<float>(largest - rates.begin());
    EXPECT_LE(growing, warmup * static_cast<float>(rates.size()));
    EXPECT_GE(growing + 2.0f, warmup * static_cast<float>(rates.size()));
    EXPECT_TRUE(std::is_sorted(largest, rates.end(), std::greater<>()));
    EXPECT_LT(rates.back(), 0.1f * run.options.rate);
    EXPECT_FLOAT_EQ(trainer.state().evaluations.back().rate, 0.0f);
  }
}

// Before the speed is known too, the rate is not beyond what the warm-up allows; in the end it
// fell.
TEST(Trainer, WithATimeTheRateFallsToo) {
  Training run(short_training(1));
  run.options.seconds = 0.5;
  run.options.warmup = 0.5f;
  std::vector<float> rates;
  run.events.step = [&](const TrainingState&, const StepResult&, float rate) {
    rates.push_back(rate);
  };
  Trainer trainer = run.trainer();
  trainer.run(kNever);
  EXPECT_LT(rates.front(), 0.1f * run.options.rate);
  EXPECT_LT(rates.back(), 0.5f * run.options.rate);
}

// A run on a clock of its own: what steps, evaluations and checkpoints take is given.
struct TimedRun {
  double step = 0.1, evaluation = 0.0, checkpoint = 0.0;
  double seconds = 60.0;
  Index evaluation_rows = 0;  // as the trainer is told
  double factor_later = 1.0;  // steps take so many times as long from the middle of the time on

  void operator()() {
    Training run(short_training(1));
    run.options.seconds = seconds;
    run.options.checkpoint_seconds = 15.0;
    run.scores.assign(1000, 0.5);
    run.events.step = [&](const TrainingState& at, const StepResult&, float rate) {
      rates.push_back(rate);
      now += step * (at.batch % 2 == 0 ? 0.5 : 1.5) * (now > seconds / 2 ? factor_later : 1.0);
    };
    run.events.evaluated = [&](const Evaluation&) { now += evaluation, ++evaluations; };
    run.events.checkpoint = [&] { now += checkpoint; };
    run.events.clock = [&] { return now; };
    Trainer trainer = run.trainer();
    trainer.expect_evaluations_of(evaluation_rows);
    EXPECT_EQ(trainer.run(kNever), Trainer::End::kFinished);
    state = trainer.state();
    EXPECT_DOUBLE_EQ(state.seconds, now);
    EXPECT_EQ(state.evaluations.back().step, state.steps) << "what was learned last is not judged";
  }

  double now = 0.0;
  Index evaluations = 0;
  std::vector<float> rates{};
  TrainingState state{};
};

TEST(Trainer, ATimeLimitIsKeptWhateverTakesTheTime) {
  for (const double evaluation : {0.0, 0.3, 2.0, 6.0, 12.0}) {
    for (const double checkpoint : {0.0, 1.5}) {
      for (const double later : {0.5, 1.0, 3.0}) {
        TimedRun run{.evaluation = evaluation, .checkpoint = checkpoint, .factor_later = later};
        SCOPED_TRACE(testing::Message() << "evaluation " << evaluation << ", checkpoint "
                                        << checkpoint << ", later " << later);
        run();
        EXPECT_GE(run.now, 0.95 * run.seconds);
        EXPECT_LE(run.now, 1.05 * run.seconds);
        // Two there must be: one to know what they take, and the last.
        EXPECT_TRUE(run.evaluations == 2 ||
                    static_cast<double>(run.evaluations) * evaluation <= 0.13 * run.seconds)
            << run.evaluations << " evaluations";
        const auto largest = std::max_element(run.rates.begin(), run.rates.end());
        EXPECT_TRUE(std::is_sorted(largest, run.rates.end(), std::greater<>()));
        EXPECT_LT(run.rates.back(), 0.05f * *largest);
      }
    }
  }
}

// One evaluation takes more than there is: nothing is added to that.
TEST(Trainer, AnEvaluationThatTakesAllTheTimeIsTheOnlyOne) {
  TimedRun run{.evaluation = 40.0};
  run();
  EXPECT_EQ(run.evaluations, 1);
  EXPECT_LE(run.now, run.seconds);
}

// 520 rows take 0.9 seconds in training, 0.36 in an evaluation.
TEST(Trainer, ALongEvaluationThatIsExpectedComesOnceAndInTime) {
  TimedRun run{.evaluation = 12.0, .evaluation_rows = 17'000};
  run();
  EXPECT_EQ(run.evaluations, 1);
  EXPECT_NEAR(run.now, run.seconds, 0.05 * run.seconds);

  TimedRun longer{.evaluation = 200.0, .evaluation_rows = 300'000};
  longer();
  EXPECT_EQ(longer.evaluations, 1);
  EXPECT_NEAR(longer.now, 200.0 + 0.5 * longer.seconds, 0.05 * longer.seconds);
}

TEST(Trainer, AResumedRunKnowsHowMuchOfItsTimeIsLeft) {
  const TemporaryFolder folder;
  double now = 0.0;
  std::atomic<bool> stop = false;
  const auto timed = [&] {
    Training run(short_training(1));
    run.options.seconds = 60.0;
    run.scores.assign(1000, 0.5);
    run.events.clock = [&] { return now; };
    run.events.evaluated = [&](const Evaluation&) { now += 2.0; };
    return run;
  };
  float last_rate = 0.0f;
  {
    Training first = timed();
    first.events.step = [&](const TrainingState&, const StepResult&, float rate) {
      now += 0.1;
      last_rate = rate;
      if (now > 40.0) stop = true;
    };
    Trainer trainer = first.trainer();
    first.events.checkpoint = [] {};
    EXPECT_EQ(trainer.run(stop), Trainer::End::kStopped);
    save_checkpoint(folder.path("state"), trainer);
  }
  now += 1000.0;  // in which nothing ran
  const double again = now;
  Training second = timed();
  std::vector<float> rates;
  second.events.step = [&](const TrainingState&, const StepResult&, float rate) {
    now += 0.1;
    rates.push_back(rate);
  };
  Trainer trainer = second.trainer();
  load_checkpoint(SafetensorsFile::open(folder.path("state")), trainer);
  EXPECT_EQ(trainer.run(kNever), Trainer::End::kFinished);
  EXPECT_NEAR(40.0 + now - again, 60.0, 1.5);
  EXPECT_NEAR(rates.front(), last_rate, 0.02f * last_rate);
  EXPECT_TRUE(std::is_sorted(rates.begin(), rates.end(), std::greater<>()));
}

TEST(Trainer, StopsAfterACheckpointWhenItIsTold) {
  Training run(short_training(1));
  std::atomic<bool> stop = false;
  Index checkpoints = 0;
  run.events.step = [&](const TrainingState& state, const StepResult&, float) {
    if (state.steps == 2) stop = true;
  };
  run.events.checkpoint = [&] { ++checkpoints; };
  Trainer trainer = run.trainer();
  EXPECT_EQ(trainer.run(stop), Trainer::End::kStopped);
  EXPECT_EQ(trainer.state().steps, 2);
  EXPECT_EQ(checkpoints, 1);
}

// As after a resume with a limit that had passed: what it has learned is judged, and is the result.
TEST(Trainer, WhatHasNoStepsLeftIsEvaluatedOnce) {
  Training run(short_training(1));
  Trainer trainer = run.trainer();
  trainer.state().steps = trainer.state().total_steps = 5;
  EXPECT_EQ(trainer.run(kNever), Trainer::End::kFinished);
  EXPECT_EQ(trainer.state().evaluations.size(), 1u);
}

TEST(Trainer, WithoutAnAverageTheBestBeforeAnEvaluationAreTheLast) {
  TrainingOptions options = short_training(1);
  options.average = 0.0f;
  Training run(options);
  const std::vector<float> first = weights_of(run.model);
  std::atomic<bool> stop = false;
  run.events.step = [&](const TrainingState&, const StepResult&, float) { stop = true; };
  Trainer trainer = run.trainer();
  EXPECT_EQ(trainer.run(stop), Trainer::End::kStopped);
  const std::vector<float> last = weights_of(run.model);
  trainer.swap_best();
  EXPECT_EQ(weights_of(run.model), last);
  EXPECT_NE(last, first);
}

// Every step is a place to stop, and each resumed run ends with the same bits.
TEST(Trainer, AResumedRunEndsAsIfItHadNeverStopped) {
  for (const int workers : {1, 2}) {
    for (const char* output : {"label", "tags"}) {
      const TemporaryFolder folder;
      Training whole(short_training(workers), output);
      whole.options.checkpoint_steps = 1;
      Trainer* running = nullptr;
      Index saved = 0;
      whole.events.checkpoint = [&] {
        save_checkpoint(folder.path(std::to_string(++saved)), *running);
      };
      Trainer trainer = whole.trainer();
      running = &trainer;
      trainer.run(kNever);
      ASSERT_EQ(saved, trainer.state().total_steps - 1);

      for (Index at = 1; at <= saved; at += 5) {
        Training resumed(short_training(workers), output);
        Trainer again = resumed.trainer();
        load_checkpoint(SafetensorsFile::open(folder.path(std::to_string(at))), again);
        EXPECT_EQ(again.state().steps, at);
        again.run(kNever);
        EXPECT_EQ(weights_of(resumed.model), weights_of(whole.model)) << "from step " << at;
        ASSERT_EQ(again.state().evaluations.size(), trainer.state().evaluations.size());
        for (std::size_t i = 0; i < again.state().evaluations.size(); ++i) {
          Evaluation found = again.state().evaluations[i];
          const Evaluation& expected = trainer.state().evaluations[i];
          found.seconds = expected.seconds;
          EXPECT_EQ(evaluation_lines({&found, 1}), evaluation_lines({&expected, 1}));
        }
      }
    }
  }
}

TEST(Trainer, ACheckpointOfAnotherModelOrOneThatWasChangedIsRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.path("state");
  Training run(short_training(1));
  Trainer trainer = run.trainer();
  save_checkpoint(path, trainer);
  EXPECT_NO_THROW(load_checkpoint(SafetensorsFile::open(path), trainer));

  Config narrow = made_config("label");
  narrow.width = 8;
  Training other(short_training(1), narrow);
  Trainer another = other.trainer();
  const std::vector<float> before = weights_of(other.model);
  EXPECT_NE(message_of<FormatError>([&] {
              load_checkpoint(SafetensorsFile::open(path), another);
            }).find("another model"),
            std::string::npos);
  EXPECT_EQ(weights_of(other.model), before);

  std::string bytes = read_file(path);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_file(path, bytes);
  EXPECT_THROW(load_checkpoint(SafetensorsFile::open(path), trainer), FormatError);
}

// Sparse tables with moments of their own, and with one that they share.
TEST(Trainer, ACheckpointTakesAsMuchRoomAsWasSaid) {
  const TemporaryFolder folder;
  for (const float table_rate : {0.0f, 10.0f}) {
    Training run(short_training(1));
    run.options.adamw.table_rate = table_rate;
    Trainer trainer = run.trainer();
    save_checkpoint(folder.path("state"), trainer);
    const SafetensorsFile file = SafetensorsFile::open(folder.path("state"));
    std::size_t bytes = 0;
    for (const StoredTensor& tensor : file.tensors()) bytes += tensor.bytes.size();
    EXPECT_EQ(checkpoint_bytes(run.model.parameters(), run.options.adamw), bytes);
  }
}

// Its weights once, and nothing else.
TEST(Trainer, AFrozenTableIsInACheckpointOnce) {
  const TemporaryFolder folder;
  std::vector<std::size_t> bytes;
  for (const Index entries : {100, 1100}) {
    Config config = made_config("label");
    test::text_of(config).entries = entries;
    test::text_of(config).freeze_vectors = true;
    Training run(short_training(1), config);
    const std::span<const float> table =
        run.model.parameters().find("input.words.weight")->value.span();
    const std::vector<float> before(table.begin(), table.end());
    Trainer trainer = run.trainer();
    trainer.run(kNever);
    EXPECT_TRUE(std::equal(before.begin(), before.end(), table.begin(), table.end()));
    save_checkpoint(folder.path("state"), trainer);
    const SafetensorsFile file = SafetensorsFile::open(folder.path("state"));
    bytes.push_back(0);
    for (const StoredTensor& tensor : file.tensors()) bytes.back() += tensor.bytes.size();
    EXPECT_EQ(checkpoint_bytes(run.model.parameters(), run.options.adamw), bytes.back());
  }
  EXPECT_EQ(bytes[1] - bytes[0], 1000u * 16u * sizeof(float));
}

TEST(Trainer, LinesOfEvaluationsAreReadAsTheyWereWritten) {
  std::vector<Evaluation> evaluations(2);
  evaluations[1] = {.step = 7,
                    .epoch = 2,
                    .seconds = 0.5,
                    .loss = 0.25f,
                    .score = {.name = "accuracy", .value = 1.0},
                    .dev_loss = 0.5,
                    .kept = true};
  const std::string lines = evaluation_lines(evaluations);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
  EXPECT_EQ(evaluation_lines(parse_evaluations(lines, "x")), lines);
  EXPECT_TRUE(parse_evaluations("", "x").empty());
  EXPECT_THROW(parse_evaluations(lines.substr(0, lines.size() - 3), "x"), FormatError);
}

TEST(Trainer, NoExamplesIsAnError) {
  Training run(short_training(1));
  run.examples = StoredExamples(Batch());
  EXPECT_THROW(run.trainer(), UsageError);
}

}  // namespace
}  // namespace heed
