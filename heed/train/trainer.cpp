#include "heed/train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "heed/kernel/matmul.h"
#include "heed/kernel/rows.h"

namespace heed {
namespace {

// Of runs with a time limit.
constexpr Index kPlanEvery = 16;       // steps; all of the last ones
constexpr double kPaceSteps = 256;     // how many the mean time of a step is taken over
constexpr double kRest = 9.0;          // times an evaluation's time, from one to the next: a tenth
constexpr double kFirstShare = 0.25;   // of the time, before an evaluation that only measures
constexpr double kForwardShare = 0.4;  // of what a row takes in training, where it is evaluated
constexpr double kLongest = 0.5;       // of the time, to be kept for the last evaluation

// Steps from one averaging to the next, up to the one after `steps` steps. It touches every weight,
// so not at each step; but in the beginning, where the average covers few steps, it is.
Index average_distance(Index steps) {
  if (steps > 512) return 8;
  return steps > 256 ? 4 : steps > 128 ? 2 : 1;
}

std::size_t flat_bytes(const Parameters& parameters) {
  return static_cast<std::size_t>(parameters.flat_size()) * sizeof(float);
}

void copy_weights(const Parameters& parameters, Buffer& flat) {
  for (const Parameter& parameter : parameters) {
    if (parameter.rule.frozen) continue;
    std::copy_n(parameter.value.data, parameter.value.count(), flat.floats() + parameter.offset);
  }
}

std::span<std::byte> bytes(const Buffer& buffer) { return {buffer.data(), buffer.bytes()}; }

}  // namespace

void settle_by_examples(TrainingOptions& options, const Examples& examples, const Input& input,
                        ReadingPace pace) {
  Index rows = 0;  // of an epoch
  for (Index i = 0; i < examples.count(); ++i) rows += input.varied_length(examples.length(i));
  if (options.epochs == 0) {
    // 6 epochs for 100,000 tokens: after that, a model of text overfits.
    // Where an epoch reads only a part of each example, there are more of them.
    const double passes = 2000.0 / std::sqrt(static_cast<double>(std::max<Index>(rows, 1)));
    const double parts = static_cast<double>(examples.rows()) / static_cast<double>(rows);
    // Examples that are augmented each time can be read many times before a model overfits.
    const double most = 40.0 * std::max(1.0, pace.epochs / 4.0);
    options.epochs = std::llround(
        std::max(pace.fewest, std::sqrt(parts) * std::min(pace.epochs * passes, most)));
  }
  if (options.batch_rows == 0) options.batch_rows = std::clamp<Index>(rows / pace.steps, 512, 4096);
}

const Evaluation* kept_of(std::span<const Evaluation> evaluations) {
  for (std::size_t i = evaluations.size(); i > 0; --i) {
    if (evaluations[i - 1].kept) return &evaluations[i - 1];
  }
  return nullptr;
}

Trainer::Trainer(Model& model, const Examples& train, const TrainingOptions& options,
                 std::function<HeldOut(const Model&)> score, TrainingEvents events)
    : model_(model),
      examples_(train),
      options_(options),
      score_(std::move(score)),
      events_(std::move(events)),
      workers_(options.workers),
      optimizer_(model.parameters(), options.adamw),
      step_(model.parameters(), optimizer_, workers_, {.seed = options.seed, .clip = options.clip}),
      batcher_(varied_lengths(), {.rows = options.batch_rows, .seed = options.seed}),
      parts_(static_cast<std::size_t>(options.workers)),
      others_(static_cast<std::size_t>(options.workers)),
      average_(flat_bytes(model.parameters())),
      best_(flat_bytes(model.parameters())) {
  kernel::prepare_products();
  for (const Index length : varied_lengths()) rows_ += length;
  if (train.count() == 0) throw UsageError("there are no examples to train on");
  copy_weights(model.parameters(), average_);
  copy_weights(model.parameters(), best_);
}

Index Trainer::varied_length(Index example) const {
  return model_.config().input->varied_length(examples_.length(example)) +
         examples_.answer_rows(example);
}

std::vector<Index> Trainer::varied_lengths() const {
  std::vector<Index> lengths(static_cast<std::size_t>(examples_.count()));
  for (Index i = 0; i < examples_.count(); ++i) {
    lengths[static_cast<std::size_t>(i)] = varied_length(i);
  }
  return lengths;
}

double Trainer::now() const {
  if (events_.clock) return events_.clock();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Adds what has passed since the last time to the run's clock, and returns it.
double Trainer::count_time() {
  const double at = now();
  const double passed = at - std::exchange(clock_, at);
  state_.seconds += passed;
  return passed;
}

bool Trainer::finished() const {
  return (state_.total_steps > 0 && state_.steps >= state_.total_steps) ||
         (options_.patience > 0 && state_.since_best >= options_.patience);
}

// The number of steps, which the schedule needs, from the epochs. Each is cut into batches in its
// own way: those to come are taken to have as many as this one, and in the last one it is exact.
void Trainer::plan_epochs() {
  const Index to_come = std::max<Index>(1, options_.epochs) - state_.epoch;
  state_.total_steps = state_.steps - state_.batch + to_come * batches_;
}

// What an evaluation takes: measured, or guessed from its rows, or 0 where nothing is known.
double Trainer::evaluation_seconds() const {
  if (state_.evaluation_seconds > 0.0) return state_.evaluation_seconds;
  return kForwardShare * state_.step_seconds * static_cast<double>(batches_) *
         static_cast<double>(evaluation_rows_) / static_cast<double>(std::max<Index>(1, rows_));
}

// Until the last evaluation. One that takes all the time comes too late rather than too early: a
// model that was not trained is worth nothing.
double Trainer::seconds_left() const {
  return options_.seconds - state_.seconds -
         std::min(evaluation_seconds(), kLongest * options_.seconds);
}

// The number of steps from the time that is left, the last evaluation taken off: in each second of
// training evaluations and checkpoints have their share.
void Trainer::plan_time() {
  const double left = seconds_left();
  if (left <= 0.0) {
    state_.total_steps = state_.steps;
    return;
  }
  if (state_.step_seconds == 0.0) return;
  const double evaluation = evaluation_seconds();
  const double between =
      std::max(kRest * evaluation, state_.step_seconds * static_cast<double>(batches_) /
                                       static_cast<double>(options_.evaluations_per_epoch));
  const double others =
      evaluation / between + state_.save_seconds / std::max(1.0, options_.checkpoint_seconds);
  state_.total_steps =
      state_.steps + static_cast<Index>(left / ((1.0 + others) * state_.step_seconds));
}

// A plan that grows does not take back what was done: the rate must not rise again.
void Trainer::advance() {
  const double done = state_.total_steps > 0 ? static_cast<double>(state_.steps) /
                                                   static_cast<double>(state_.total_steps)
                                             : state_.seconds / options_.seconds;
  state_.progress = std::max(state_.progress, std::min(1.0, done));
}

float Trainer::rate() const {
  const Index steps = state_.total_steps > 0 ? state_.total_steps : 10000;
  return learning_rate_at({.kind = options_.schedule, .rate = options_.rate, .steps = steps},
                          static_cast<double>(options_.warmup), state_.progress);
}

// Each worker loads its own part: what has to be read or prepared is so by all of them.
void Trainer::load(const Batcher::Numbers& members) {
  std::vector<Index> lengths;
  lengths.reserve(members.size());
  for (const Index member : members) lengths.push_back(varied_length(member));
  const std::uint64_t key = mix(options_.seed, static_cast<std::uint64_t>(state_.epoch));
  const std::vector<Index> bounds = deal(lengths, workers_.count());
  workers_.run([&](int worker) {
    const auto w = static_cast<std::size_t>(worker);
    Batch& part = parts_[w];
    Batch& other = others_[w];
    part.clear();
    part.first = bounds[w];
    for (Index i = bounds[w]; i < bounds[w + 1]; ++i) {
      const Index member = members[static_cast<std::size_t>(i)];
      examples_.load(member, part);
      Random random(mix(key, static_cast<std::uint64_t>(member)));
      model_.vary(part, random);
      if (!model_.mixes()) continue;
      other.clear();
      examples_.load(random.below(static_cast<std::uint32_t>(examples_.count())), other);
      model_.vary(other, random);
      model_.mix(part, other, random);
    }
  });
  double weight = 0.0;
  for (const Batch& part : parts_) weight += model_.config().output->weight(part);
  for (Batch& part : parts_) part.whole_weight = weight;
}

void Trainer::train_batch(const Batcher::Numbers& members) {
  load(members);
  const float at = rate();
  const StepResult result = step_(
      [&](Context& context, int worker) {
        return model_.loss(context, parts_[static_cast<std::size_t>(worker)]);
      },
      at);
  ++state_.steps;
  ++state_.batch;
  state_.loss_sum += result.loss;
  ++state_.loss_count;
  const Index distance = average_distance(state_.steps);
  if (state_.steps % distance == 0) average(distance);
  const double passed = count_time();
  if (state_.steps > 1) {  // the first is slow: it touches memory for the first time
    const double steps = std::min(kPaceSteps, static_cast<double>(state_.steps - 1));
    state_.step_seconds += (passed - state_.step_seconds) / steps;
  }
  if (timed() &&
      (state_.steps % kPlanEvery == 0 || state_.steps + kPlanEvery >= state_.total_steps)) {
    plan_time();
  }
  advance();
  if (events_.step) events_.step(state_, result, at);
}

// average ← d · average + (1 − d) · weights for so many steps at once, where d grows towards its
// value so that the beginning is forgotten soon. A function of the steps alone: an evaluation takes
// the average as it is, up to 7 steps old.
void Trainer::average(Index steps) {
  if (options_.average <= 0.0f) return;
  const auto t = static_cast<float>(state_.steps);
  const float each = std::min(options_.average, (1.0f + t) / (10.0f + t));
  const float keep = std::pow(each, static_cast<float>(steps));
  const Parameters& parameters = model_.parameters();
  workers_.run([&](int worker) {
    const Index begin = parameters.flat_size() * worker / workers_.count();
    const Index end = parameters.flat_size() * (worker + 1) / workers_.count();
    for (const Parameter& parameter : parameters) {
      if (parameter.rule.frozen) continue;
      const Index first = std::max(begin, parameter.offset) - parameter.offset;
      const Index last = std::min(end - parameter.offset, parameter.value.count());
      if (first >= last) continue;
      kernel::blend(last - first, keep, parameter.value.data + first,
                    average_.floats() + parameter.offset + first);
    }
  });
}

void Trainer::swap_in(Buffer& weights) {
  for (const Parameter& parameter : model_.parameters()) {
    if (parameter.rule.frozen) continue;
    std::swap_ranges(parameter.value.data, parameter.value.data + parameter.value.count(),
                     weights.floats() + parameter.offset);
  }
}

int Trainer::compare(const Evaluation& evaluation, const Evaluation* other) const {
  if (other == nullptr) return 1;
  const double score = evaluation.score.value - other->score.value;
  const double loss = other->dev_loss - evaluation.dev_loss;
  const bool by_loss = options_.select == kSelectLoss;
  const double first = by_loss ? loss : score, second = by_loss ? score : loss;
  const double difference = first != 0.0 ? first : second;
  return difference > 0.0 ? 1 : difference < 0.0 ? -1 : 0;
}

bool Trainer::is_to_be_kept(const Evaluation& evaluation, const Evaluation* best,
                            double tolerance) const {
  if (!options_.select.empty() || best == nullptr) return compare(evaluation, best) >= 0;
  const double most = std::max(evaluation.score.value, best->score.value);
  const double as_good = most - tolerance;
  const Evaluation* kept = kept_of(state_.evaluations);
  if (evaluation.dev_loss <= kept->dev_loss) {  // it has also seen more
    return evaluation.score.value >= most - 2.0 * tolerance;
  }
  return evaluation.score.value >= as_good && kept->score.value < as_good;
}

void Trainer::evaluate() {
  Evaluation evaluation;
  evaluation.step = state_.steps;
  evaluation.epoch = state_.epoch + 1;
  evaluation.seconds = state_.seconds;
  evaluation.loss = static_cast<float>(state_.loss_sum /
                                       static_cast<double>(std::max<Index>(1, state_.loss_count)));
  evaluation.rate = rate();
  const bool averaged = options_.average > 0.0f;
  if (averaged) swap_in(average_);
  const HeldOut found = score_(model_);
  evaluation.score = found.score;
  evaluation.dev_loss = found.loss;
  const Evaluation* best = nullptr;
  for (const Evaluation& before : state_.evaluations) {
    if (compare(before, best) >= 0) best = &before;
  }
  const bool better = !found.decides || compare(evaluation, best) > 0;
  evaluation.kept = !found.decides || is_to_be_kept(evaluation, best, found.tolerance);
  if (evaluation.kept) copy_weights(model_.parameters(), best_);
  if (averaged) swap_in(average_);
  state_.since_best = better ? 0 : state_.since_best + 1;
  state_.loss_sum = 0.0;
  state_.loss_count = 0;
  state_.evaluations.push_back(evaluation);
  if (events_.evaluated) events_.evaluated(evaluation);
}

// At even distances, the last one at the end of the epoch or of everything. With a time limit there
// are fewer where they would take more than a tenth of it. After a quarter of it there is one that
// shows what the last will take, unless that is known or thought to be long.
bool Trainer::evaluation_due() const {
  if (state_.total_steps > 0 && state_.steps >= state_.total_steps) return true;
  const Index parts = options_.evaluations_per_epoch;
  const bool due = state_.batch * parts / batches_ != (state_.batch - 1) * parts / batches_;
  if (!timed()) return due;
  const double each = evaluation_seconds(), rest = kRest * each;
  double since = state_.seconds;
  if (state_.evaluations.empty()) {
    if (since >= kFirstShare * options_.seconds) return rest <= options_.seconds;
    if (evaluation_rows_ == 0) return false;
  } else {
    since -= state_.evaluations.back().seconds + each;
  }
  return due && since >= rest && seconds_left() - each >= rest;
}

bool Trainer::checkpoint_due() const {
  if (options_.checkpoint_steps > 0 && state_.steps - saved_steps_ >= options_.checkpoint_steps) {
    return true;
  }
  // Not one that would take longer than what it saves.
  if (timed() && seconds_left() < 2.0 * state_.save_seconds) return false;
  return state_.seconds - saved_ >= options_.checkpoint_seconds;
}

Trainer::End Trainer::run(const std::atomic<bool>& stop) {
  step_.resume(state_.steps);
  clock_ = now();
  saved_ = state_.seconds;
  saved_steps_ = state_.steps;
  while (!finished()) {
    const auto batches = batcher_.epoch(state_.epoch);
    batches_ = static_cast<Index>(batches.size());
    if (!timed()) plan_epochs();
    count_time();
    while (state_.batch < batches_ && !finished()) {
      train_batch(batches[static_cast<std::size_t>(state_.batch)]);
      // Here and not at evaluations, so that their number does not change the weights.
      if (state_.batch == batches_) optimizer_.settle();
      if (evaluation_due()) {
        count_time();
        evaluate();
        state_.evaluation_seconds = count_time();
        if (timed()) plan_time();
      }
      if ((stop || checkpoint_due()) && !finished()) {
        count_time();
        if (events_.checkpoint) events_.checkpoint();
        state_.save_seconds = count_time();
        saved_ = state_.seconds;
        saved_steps_ = state_.steps;
        if (stop) return End::kStopped;
      }
    }
    if (state_.batch >= batches_) {
      ++state_.epoch;
      state_.batch = 0;
    }
  }
  if (state_.evaluations.empty()) evaluate();  // it went on with a limit that had passed before one
  swap_in(best_);
  return End::kFinished;
}

std::vector<Optimizer::State> Trainer::memory() {
  std::vector<Optimizer::State> all;
  for (const Parameter& parameter : model_.parameters()) {
    all.push_back({"weights." + parameter.name, std::as_writable_bytes(parameter.value.span())});
  }
  all.push_back({"average", bytes(average_)});
  all.push_back({"best", bytes(best_)});
  for (Optimizer::State& part : optimizer_.state()) {
    all.push_back({"optimizer." + part.name, part.bytes});
  }
  return all;
}

}  // namespace heed
