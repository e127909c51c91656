#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/data/examples.h"
#include "heed/model/model.h"
#include "heed/train/schedule.h"
#include "heed/train/step.h"

namespace heed {

struct TrainingOptions {
  Index epochs = 0;      // 0: as many as the amount of data asks for
  double seconds = 0.0;  // train as well as possible in this time, all included, not `epochs`
  Index examples = 0;    // learn from so many, the same share of each class; 0: from all
  Index batch_rows = 0;  // rows (tokens) of a batch; 0: by the amount of data
  Schedule schedule = Schedule::kCosine;
  float rate = 3e-3f;
  float warmup = 0.05f;  // the part of all steps in which the rate grows
  AdamWOptions adamw{.decay = 0.01f, .table_rate = 10.0f};
  float clip = 1.0f;
  float average = 0.998f;  // weights are averaged over about 1 / (1 − average) steps; 0: not
  Index patience = 0;      // evaluations without a better score before it stops; 0: never
  Index evaluations_per_epoch = 1;
  double checkpoint_seconds = 30.0;
  Index checkpoint_steps = 0;  // also after so many steps; 0: by time alone
  int workers = 1;
  std::uint64_t seed = 1;
  std::string select = {};  // the measure that chooses the weights, or "loss"; empty: the output's
};

// How good a model is on the examples held out.
struct HeldOut {
  HeldOut(double value) : score{.name = {}, .value = value} {}  // NOLINT: converts on purpose
  HeldOut(NamedScore of, double mean_loss, double as_good = 0.0)
      : score(std::move(of)), loss(mean_loss), tolerance(as_good) {}

  NamedScore score;
  double loss = 0.0;
  double tolerance = 0.0;  // a score that is behind the best by no more is as good
  bool decides = true;     // which weights are kept; otherwise the last ones are
};

inline constexpr const char* kSelectLoss = "loss";  // TrainingOptions::select

// One line of training.jsonl.
struct Evaluation {
  Index step = 0, epoch = 0;  // both counted from 1
  double seconds = 0.0;       // of training so far
  float loss = 0.0f;          // in training, since the last evaluation
  float rate = 0.0f;
  NamedScore score;       // on the examples held out
  double dev_loss = 0.0;  // on the same
  bool kept = false;      // its weights, in place of those before
};

// The evaluation whose weights are kept; null where there is none.
const Evaluation* kept_of(std::span<const Evaluation> evaluations);

// Where training is: with the weights and the optimizer's state, all that is needed to go on as if
// nothing had happened.
struct TrainingState {
  Index epoch = 0, batch = 0;  // the next one
  Index steps = 0;
  Index total_steps = 0;  // as planned: epochs may differ by a few; exact in the last one
  double progress = 0.0;  // the part of the run that is done, 0 to 1: it never falls
  double loss_sum = 0.0;
  Index loss_count = 0;
  Index since_best = 0;
  double seconds = 0.0;  // all that has passed in run(), before a checkpoint too
  // What each takes, as measured of late; 0: not yet. A time limit is planned with them.
  double step_seconds = 0.0, evaluation_seconds = 0.0, save_seconds = 0.0;
  std::vector<Evaluation> evaluations;
};

// Called while training goes on, all from the thread that called run().
struct TrainingEvents {
  std::function<void(const TrainingState&, const StepResult&, float rate)> step;
  std::function<void(const Evaluation&)> evaluated;
  // A moment at which everything is consistent and a checkpoint is due: save it.
  std::function<void()> checkpoint;
  // Seconds from some moment on; empty: the machine's clock.
  std::function<double()> clock{};
};

// How data is read where the user leaves that to it.
struct ReadingPace {
  double epochs = 1.0;  // times through it, as a part of what others of its size ask for
  double fewest = 5.0;  // of them, however much data there is
  Index steps = 150;    // of an epoch, about: as far as that leaves batches of 512 to 4,096 rows
  // Of the epochs that the data asks for, the share that must fit into a time limit: with less, a
  // smaller network learns more.
  double timed_share = 0.0;
};

// Fills in what was left to the data: small data is read more often and in smaller batches.
void settle_by_examples(TrainingOptions& options, const Examples& examples, const Input& input,
                        ReadingPace pace = {});

// Trains a model on examples; keeps the weights that did best on the examples held out: by their
// score, of equal ones by the lower loss, of those the later one, which has seen more; or by the
// loss, if that is asked for. Scores within HeldOut::tolerance of the best are equal to
// it: of a few examples the first epoch may be the best by chance. A later evaluation with a lower
// loss may be behind by twice that: both speak for it.
class Trainer {
 public:
  // The examples must outlive it.
  Trainer(Model& model, const Examples& train, const TrainingOptions& options,
          std::function<HeldOut(const Model&)> score, TrainingEvents events);

  enum class End { kFinished, kStopped };
  // Until all steps are done, patience is over, or `stop` becomes true (after a last checkpoint()).
  // Afterwards the model has the best weights, unless it was stopped.
  End run(const std::atomic<bool>& stop);

  // How many rows an evaluation goes through: with a time limit, what the last one will take can
  // then be told without doing one first.
  void expect_evaluations_of(Index rows) { evaluation_rows_ = rows; }

  TrainingState& state() { return state_; }
  // Exchanges the weights of the model with the best so far, and back. Where none was evaluated yet
  // that is their average, or the last ones where there is none.
  void swap_best() {
    if (!state_.evaluations.empty()) return swap_in(best_);
    if (options_.average > 0.0f) swap_in(average_);
  }
  // What a checkpoint holds besides state(): weights, their average, the best, the optimizer's.
  std::vector<Optimizer::State> memory();

 private:
  bool timed() const { return options_.seconds > 0.0; }
  bool finished() const;
  double now() const;
  double count_time();
  double evaluation_seconds() const;
  double seconds_left() const;
  void plan_epochs();
  void plan_time();
  void advance();
  bool evaluation_due() const;
  bool checkpoint_due() const;
  // Rows of an example as it is learned from, those of its answer included.
  Index varied_length(Index example) const;
  std::vector<Index> varied_lengths() const;
  void load(const Batcher::Numbers& members);
  void train_batch(const Batcher::Numbers& members);
  void average(Index steps);
  // Above 0: the evaluation is better than the other; 0: it is as good. Any is better than none.
  int compare(const Evaluation& evaluation, const Evaluation* other) const;
  // `best` is the best of those before.
  bool is_to_be_kept(const Evaluation& evaluation, const Evaluation* best, double tolerance) const;
  void evaluate();
  void swap_in(Buffer& weights);
  float rate() const;

  Model& model_;
  const Examples& examples_;
  TrainingOptions options_;
  std::function<HeldOut(const Model&)> score_;
  TrainingEvents events_;
  TrainingState state_;
  Workers workers_;
  AdamW optimizer_;
  TrainingStep step_;
  Batcher batcher_;
  std::vector<Batch> parts_;   // of the batch, one for each worker; kept for their memory
  std::vector<Batch> others_;  // the example that one is mixed with, for each worker
  Index batches_ = 0;          // of this epoch
  double clock_ = 0.0;         // up to which state_.seconds counts
  double saved_ = 0.0;  // state_.seconds at the last checkpoint of this run, or its beginning
  Index saved_steps_ = 0;
  Index rows_ = 0, evaluation_rows_ = 0;
  Buffer average_, best_;  // flat, as gradients are
};

}  // namespace heed
