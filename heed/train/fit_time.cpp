#include "heed/train/fit_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "heed/model/input/text.h"
#include "heed/model/output/label.h"
#include "heed/model/prepared.h"
#include "heed/train/defaults.h"
#include "heed/train/run_data.h"

namespace heed {
namespace {

constexpr Index kTried = 400;          // examples that steps are tried on
constexpr double kTryShare = 0.012;    // of the time, for each candidate
constexpr double kTrySeconds = 3.0;    // and at most
constexpr double kFewestEpochs = 4.0;  // with fewer, a smaller network learns more
constexpr double kOverhead = 1.1;      // evaluations and checkpoints, beside the steps

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A few examples, as often as all examples would be there.
class RepeatedExamples : public Examples {
 public:
  RepeatedExamples(const Examples& few, Index count) : few_(few), count_(count) {}

  Index count() const override { return count_; }
  Index length(Index example) const override { return few_.length(example % few_.count()); }
  Index answer_rows(Index example) const override {
    return few_.answer_rows(example % few_.count());
  }
  void load(Index example, Batch& batch) const override {
    few_.load(example % few_.count(), batch);
  }

 private:
  const Examples& few_;
  Index count_;
};

struct Pace {
  double epoch_seconds = 0.0;
  Index epochs = 0;  // that the amount of data asks for
};

// Trains a throwaway model for a moment.
Pace try_steps(const Config& config, const Dataset& few, Index count, TrainingOptions training,
               double most_seconds) {
  Model model(config);
  Workers workers(training.workers);
  const PreparedExamples examples(few, model, workers);
  const RepeatedExamples all(examples, count);
  settle_training(config, all, training);
  const Index epochs = training.epochs;
  training.seconds = 0.0;
  training.epochs = 1000;
  std::atomic<bool> stop = false;
  TrainingEvents events;
  const double begin = seconds_now();
  events.step = [&](const TrainingState& state, const StepResult&, float) {
    // The first step is slow and does not count.
    stop = state.steps >= 3 && seconds_now() - begin >= most_seconds;
  };
  Trainer trainer(
      model, all, training, [](const Model&) { return HeldOut(0.0); }, events);
  trainer.run(stop);
  Index rows = 0;
  for (Index i = 0; i < all.count(); ++i) {
    rows += config.input->varied_length(all.length(i)) + all.answer_rows(i);
  }
  const double batches =
      std::max(1.0, static_cast<double>(rows) / static_cast<double>(training.batch_rows));
  return {trainer.state().step_seconds * batches, epochs};
}

// Records at even distances.
Dataset few_of(const Dataset& train, Index most) {
  Dataset few;
  few.columns = train.columns;
  const Index distance = std::max<Index>(1, train.size() / most);
  for (Index i = 0; i < train.size() && few.size() < most; i += distance) {
    few.records.push_back(train[i]);
  }
  return few;
}

// Until the first step: examples are prepared, and the wide part learns from them. What some of
// them take and what more of them take says what each takes.
double preparing_seconds(const Config& config, const Dataset& train, int workers) {
  const Index more = std::min<Index>(4000, train.size() / 8), some = more / 4;
  if (!config.wide->present() || some < 100) return 0.0;
  Model model(config);
  Workers team(workers);
  const auto seconds = [&](Index count) {
    const Dataset few = few_of(train, count);
    const double begin = seconds_now();
    const PreparedExamples examples(few, model, team);
    model.learn_wide(examples, workers);
    return seconds_now() - begin;
  };
  const double less = seconds(some);
  return std::max(0.0, seconds(more) - less) / static_cast<double>(more - some) *
         static_cast<double>(train.size());
}

// Features of the input that cost the most, made smaller; false where there are none.
//
// On 4,000 sentences of conll2000, by the time of one core: one epoch of the default 9.9 s,
// F1 88.2; two 21.8 s, 90.9; four of the preset tiny with fewer filters 10.5 s, 91.0.
bool lighten(Config& config) {
  auto* text = config.input.as<TextInput>();
  if (text == nullptr || text->options().char_cnn.filters <= 64) return false;
  text->options().char_cnn = {.filters = 64, .taps = 3};
  return true;
}

// Each example goes through the network once in place of twice: R-Drop is for what is read often.
// False where it does so already.
bool pass_once(Config& config) {
  auto* label = config.output.as<LabelOutput>();
  if (label == nullptr || label->options().consistency == 0.0f) return false;
  label->options().consistency = 0.0f;
  return true;
}

struct SizeChoice {
  Config config;
  std::string name;
};

std::string size_text(const Config& config) {
  return fmt::format("{} of width {}", config.body.kind(), config.width);
}

// The config itself, and what may take its place, each quicker than the one before.
std::vector<SizeChoice> candidates_of(const Config& config) {
  std::vector<SizeChoice> all = {{config, size_text(config)}};
  Config light = config;
  light.width = std::min(config.width, default_width(config, 0));
  if (light.width < config.width) all.push_back({light, size_text(light)});
  if (lighten(light)) all.push_back({light, size_text(light) + " with a smaller character CNN"});
  if (pass_once(light)) all.push_back({light, size_text(light) + " without R-Drop"});
  Config tiny = light, half = light;
  apply_preset("tiny", tiny);
  half.width /= 2;
  if (half.width > tiny.width && half.body->problem(half.width).empty()) {
    all.push_back({half, size_text(half)});
  }
  if (tiny.width < config.width) all.push_back({tiny, size_text(tiny)});
  return all;
}

std::string time_text(double seconds) {
  if (seconds < 100.0) return fmt::format("{:.0f} s", seconds);
  return seconds < 6000.0 ? fmt::format("{:.0f} min", std::ceil(seconds / 60.0))
                          : fmt::format("{:.1f} h", seconds / 3600.0);
}

}  // namespace

Index examples_for_time(const Config& config, const Dataset& train, const TrainingOptions& training,
                        double limit) {
  constexpr Index kFew = 4000;      // below ten times as many the time is not worth a thought
  constexpr double kReading = 0.7;  // of the time, for this; the rest is evaluated and calibrated
  if (train.size() < 10 * kFew) return train.size();
  const Dataset few = few_of(train, kFew);
  Config tried = candidates_of(config).back().config;
  const double begin = seconds_now();
  fit_parts(tried, few);
  tried.wide->fit(few, tried.output->classes());
  {
    Model model(tried);
    Workers workers(training.workers);
    const PreparedExamples examples(few, model, workers);
    model.learn_wide(examples, training.workers);
  }
  const double prepared = seconds_now() - begin;
  const Pace pace =
      try_steps(tried, few, few.size(), training, std::min(kTrySeconds, kTryShare * limit));
  const double each = (prepared + pace.epoch_seconds) / static_cast<double>(few.size());
  const double most = kReading * limit / std::max(1e-9, each);
  return most < static_cast<double>(train.size()) ? std::max(kFew, static_cast<Index>(most))
                                                  : train.size();
}

SizeFound first_with_enough_epochs(std::size_t count, const ReadingPace& pace,
                                   const std::function<EpochsThatFit(std::size_t)>& measure) {
  SizeFound found;
  double enough = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const EpochsThatFit fit = measure(i);
    found.index = i;
    found.epochs = fit.count;
    if (i == 0) {
      found.wanted = fit.wanted;
      enough = std::min(fit.wanted, std::max(kFewestEpochs, pace.timed_share * fit.wanted));
    }
    if (fit.count >= enough) break;
  }
  return found;
}

TimePlan plan_for_time(const Config& config, const Dataset& train, const TrainingOptions& training,
                       double limit) {
  const Dataset few = few_of(train, kTried);
  const std::vector<SizeChoice> candidates = candidates_of(config);
  const double preparing =
      std::min(0.5 * limit, preparing_seconds(config, train, training.workers));
  double whole_epoch = 0.0;
  const auto measure = [&](std::size_t i) {
    const Pace pace = try_steps(candidates[i].config, few, train.size(), training,
                                std::min(kTrySeconds, kTryShare * limit));
    if (i == 0) whole_epoch = pace.epoch_seconds;
    return EpochsThatFit{
        .count = (limit - preparing) / (kOverhead * std::max(1e-9, pace.epoch_seconds)),
        .wanted = static_cast<double>(pace.epochs)};
  };
  const auto [chosen, epochs, wanted] =
      first_with_enough_epochs(candidates.size(), default_pace(config), measure);
  TimePlan plan{.config = candidates[chosen].config, .epochs = epochs, .note = {}};
  plan.note = fmt::format("in {}: {}, about {:.{}f} epochs", time_text(limit),
                          candidates[chosen].name, plan.epochs, plan.epochs < 10.0 ? 1 : 0);
  const double asked = preparing + kOverhead * wanted * whole_epoch;
  if (chosen > 0) {
    plan.note += fmt::format(" ({} would allow {} and {:.0f} epochs)", time_text(asked),
                             candidates[0].name, wanted);
  } else if (asked > 1.2 * limit) {
    plan.note += fmt::format(" ({} would allow the {:.0f} epochs that suit this amount of data)",
                             time_text(asked), wanted);
  }
  return plan;
}

}  // namespace heed
