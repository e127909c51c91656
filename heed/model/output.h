#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/base/json.h"
#include "heed/data/batch.h"
#include "heed/data/dataset.h"
#include "heed/data/text/kept_row.h"
#include "heed/grad/context.h"
#include "heed/model/part.h"
#include "heed/model/plan.h"

namespace heed {

class Tokenizer;

// One possible answer: an index into the names of the answers, and its probability.
struct Candidate {
  std::int32_t index = kNoAnswer;
  float probability = 0.0f;
};

// A sequence that a model wrote: its tokens, and the score by which it was chosen.
struct Written {
  std::vector<std::int32_t> tokens;
  float score = 0.0f;
};

// What a model says about one sequence: for a label one row, for tags one for each vector; in each
// the most likely candidates, best first. Or sequences of its own, best first.
struct Prediction {
  std::vector<std::vector<Candidate>> rows;
  std::vector<Written> written = {};
  // Where the answer is known: the probability of the true class in each row, 0 of one that is not
  // among the classes. Empty where it is not known.
  std::vector<float> truth = {};
  // Of the right answer, where a language model was asked for that: log p of its tokens.
  double log_probability = 0.0;
  Index tokens = 0;
  double row_seconds = 0.0;  // Input::row_seconds()
  Extent grid{0, 0};         // where the rows are those of a picture: see Layout::grid
};

// In place of a number of candidates: one prediction, as quickly as it can be had. Weights are
// chosen by such while a model is trained.
inline constexpr Index kQuickly = 0;

// The input and the body of a network, which read on: first the sequences of a batch, then what was
// written behind them. For evaluation.
class Reader {
 public:
  virtual ~Reader() = default;
  // The vectors of the batch, (rows, width).
  virtual Sequences begin(Context& context) = 0;
  // Those of more tokens, counts[i] of sequence i: (Σ counts, width).
  virtual Sequences next(Context& context, std::span<const std::int32_t> tokens,
                         std::span<const Index> counts) = 0;
  // Keeps only these sequences, in this order, each perhaps more than once.
  virtual void keep(std::span<const Index> sequences) = 0;
  // The rows that may still follow a sequence of the batch.
  virtual Index room(Index sequence) const = 0;
};

// Called with each token as it is written: (sequence, token).
using TokenWritten = std::function<void(Index, std::int32_t)>;

// What a wide part says beside the network. Both are added up.
struct WideScores {
  Var scores;            // (sequences, classes) or (rows, classes); no value: there is no wide part
  float network = 1.0f;  // what the network's scores are multiplied by
};

// The network side of an output: vectors → a loss where answers are known, predictions where not.
// The scores of a wide part are added to its own.
class OutputNetwork {
 public:
  virtual ~OutputNetwork() = default;
  // Its own scores, without those of a wide part: (sequences, classes) or (rows, classes).
  virtual Var scores(Context& context, const Sequences& x) const = 0;
  // The sum over the batch, divided by batch.whole_weight.
  virtual Var loss(Context& context, const Sequences& x, const Batch& batch,
                   const WideScores& wide) const = 0;
  // Whether it learns from two passes with different dropout, and the loss of both: the mean of
  // their losses, and a share of how far they disagree (R-Drop, Liang et al. 2021).
  virtual bool compares_passes() const { return false; }
  virtual Var loss_of_two(Context& context, const Sequences& x, const Sequences& again,
                          const Batch& batch, const WideScores& wide) const;
  virtual std::vector<Prediction> predict(Context& context, const Sequences& x, const Batch& batch,
                                          const WideScores& wide, Index top) const = 0;
  // Continues the sequences of a batch: see Output::continues. `written` may be empty.
  virtual std::vector<Prediction> write(Reader& reader, const Batch& batch, Index top,
                                        const TokenWritten& written) const;
  // predict() of an output that writes texts; `written` is called with each token as soon as it is
  // certain.
  virtual std::vector<Prediction> write(Context& context, const Sequences& x, const Batch& batch,
                                        Index top, const TokenWritten& written) const;
  // Scores tokens by the table of the input: see Output::predicts_input. It is called once, before
  // anything else.
  virtual void tie(const Parameter& /*table*/) {}
  // Up to the scores, to which those of a wide part are added; and from there to the answer.
  virtual void describe(Plan& plan) const = 0;
  virtual void describe_answer(Plan& plan) const = 0;

 protected:
  static Var add(Context& context, const Var& scores, const WideScores& wide);
};

// How a score, of which more is better, is told.
enum class ScoreForm {
  kPercent,  // as a share
  kHundred,  // BLEU and its like: from 0 to 100, without a sign
  kErrors,   // 1 - value, as a share
  kInverse,  // 1 / value
};

// A measure by its name, for people and for --select. Higher is better.
struct NamedScore {
  std::string name;    // "accuracy", "macro F1"
  double value = 0.0;  // 0 to 1
  ScoreForm form = ScoreForm::kPercent;
};
// As people know it: 0.931, 26.41, an error rate of 0.05, a perplexity of 17.2.
double shown(const NamedScore& score);
// "93.10 %", "26.41", "5.00 %", "17.20".
std::string score_text(const NamedScore& score);

// How good predictions are: one after another is added, then asked about.
class Measures {
 public:
  virtual ~Measures() = default;
  virtual void add(const Answer& truth, const Prediction& prediction) = 0;
  // The one that chooses the best weights: higher is better.
  virtual double score() const = 0;
  virtual std::string score_name() const = 0;
  // All by which weights may be chosen; that of score() first.
  virtual std::vector<NamedScore> scores() const { return {{score_name(), score()}}; }
  virtual std::string report() const = 0;                // for people
  virtual void write(const JsonPlace& place) const = 0;  // for programs
  // What each example adds to the sums that the score is made of, and the score of such sums: two
  // models are compared by these on the same examples. Empty where there are none.
  virtual std::vector<std::vector<double>> sums() const { return {}; }
  virtual double score_of(std::span<const double> /*sums*/) const { return 0.0; }
};

// A wrong answer, for whoever looks at mistakes.
struct Mistake {
  std::string item;  // the part of the record that it is about, such as a word; empty: all of it
  std::string truth, answer;
  double value = 0.0;  // Output::mistake_value()
  double wrong = 0.0;  // the more, the worse
};

// One kind of output, all of its side: the names of the answers, answers as numbers, predictions as
// answers, and how they are measured. Const calls are safe from several threads.
class Output : public Part {
 public:
  virtual std::unique_ptr<Output> clone() const = 0;

  // What files must hold, and what a model with this output does: "classifies texts".
  virtual AnswerKind answer_kind() const = 0;
  virtual std::string purpose(ContentKind content) const = 0;

  // Learns the names of the answers from all records, those that will be held out too. Data from
  // which nothing can be learned is a FormatError; options that do not fit it are a UsageError.
  virtual void fit(const Dataset& all, bool will_be_split) = 0;
  // For a model that goes on learning: adds the names that the data has beside those it knows.
  virtual void fit_more(const Dataset& /*all*/) {}
  // What is learned from the training records alone, the held-out ones taken off.
  virtual void learn(const Dataset& /*train*/) {}
  // Gives rare answers more weight.
  virtual void balance(const Dataset& train) = 0;
  // A sentence about answers that training has not seen, with the first one's place, or nothing:
  // they count as wrong. `what` names the data.
  virtual std::string unseen(const Dataset& data, const std::string& what) const = 0;
  // Appends an answer to batch.answer, after the input has appended its sequence. What is not known
  // becomes kNoAnswer.
  virtual void prepare(const Answer& answer, Batch& batch) const = 0;
  // Keeps the answers to these rows of the last sequence of a batch: the input left out the others.
  virtual void keep_rows(Batch& /*batch*/, Index /*first*/, Index /*count*/) const {}
  // Rows that the last answer of a batch adds to the work of its sequence.
  virtual Index answer_rows(const Batch& /*batch*/) const { return 0; }
  // The most records that weights are chosen by while a model is trained; 0: any number.
  virtual Index most_evaluated() const { return 0; }
  // What it learned, for people: "12 classes".
  virtual std::string summary() const;
  // The weight of all answers of a batch.
  virtual double weight(const Batch& batch) const = 0;
  // Scores that it gives to each sequence or vector: how many answers there are.
  virtual Index classes() const = 0;
  // What stands in place of the names while there are none: for describing what is not trained yet.
  virtual void assume_classes() = 0;
  // The name of an answer.
  virtual const std::string& name_of(std::int32_t index) const = 0;
  // Whether an answer can be a part of one and a part of another (mixup), and that of the last
  // sequence of `batch` made so, `share` of it that of the last one of `other`: see Input::mix.
  virtual bool can_mix() const { return false; }
  virtual void mix(Batch& /*batch*/, const Batch& /*other*/, float /*share*/) const {}
  // Whether there is an answer for each row, and not one for the whole sequence.
  virtual bool answers_rows() const { return false; }
  // Whether it predicts the tokens that the input reads, each from those before it: a language
  // model. The input must give tokens, the body may not know later rows, and share() is called
  // with the input's tokenizer once it is trained or loaded.
  virtual bool predicts_input() const { return false; }
  virtual void share(std::shared_ptr<const Tokenizer>) {}
  // Whether the sequences of a batch are to be continued: their answers are not known.
  virtual bool continues(const Batch& /*batch*/) const { return false; }
  // Whether it writes texts, those of a language model included.
  bool writes() const {
    return answer_kind() == AnswerKind::kSequence || answer_kind() == AnswerKind::kItself;
  }
  // The text of tokens that were written for a record, complete or not.
  virtual std::string written_text(const Record& record,
                                   std::span<const std::int32_t> tokens) const;
  // Whether predictions of several networks have a mean.
  virtual bool can_average() const { return true; }
  // Why not: "a CRF: sequences of tags have no mean".
  virtual std::string no_mean() const { return {}; }
  // Whether scores of a wide part can be added.
  virtual bool takes_wide() const { return false; }

  virtual std::unique_ptr<OutputNetwork> network(const Scope& scope, Index width) const = 0;
  virtual std::unique_ptr<Measures> measures() const = 0;
  // The candidates that measures() wants of each prediction.
  virtual Index measured_candidates() const { return 1; }
  // What is left of a prediction where `top` candidates were asked for; it has all of them where
  // chooses() says so. Called last, when the mean of several networks is taken.
  virtual void choose(Prediction& /*prediction*/, Index /*top*/) const {}
  virtual bool chooses() const { return false; }
  // Learns from held-out data, when the weights are final: thresholds, how sure answers are. The
  // predictions have all candidates.
  virtual void calibrate(std::span<const Answer* const> /*truths*/,
                         std::span<const Prediction> /*predictions*/) {}
  virtual bool calibrates() const { return false; }

  // First values of a network made in that scope, where the data says better ones than chance.
  virtual void initialize(const Scope&) const {}

  // A prediction by name.
  virtual Answer answer(const Record& record, const Prediction& prediction) const = 0;
  // As `predict` prints it: text, with its line ends, or a JSON object.
  virtual std::string answer_text(const Record& record, const Prediction& prediction) const = 0;
  virtual void write_answer(const JsonPlace& place, const Record& record,
                            const Prediction& prediction) const = 0;
  // The most candidates that answer_text() has room for; 0: any number.
  virtual Index most_in_text() const { return 0; }
  // An answer as columns of a table (a list of values for each record), for `top` candidates. By
  // default one, with the answer as JSON.
  virtual std::vector<std::string> column_names(Index top) const;
  virtual std::vector<KeptCell> cells(const Record& record, const Prediction& prediction,
                                      Index top) const;
  // What is wrong in an answer, and what the numbers of mistakes are.
  virtual std::vector<Mistake> mistakes(const Record& /*record*/, const Prediction&) const {
    return {};
  }
  virtual std::string mistake_value() const { return "probability"; }
  // Of the mean of several networks, with all candidates in each row: makes answers of the rows fit
  // each other.
  virtual void settle(Prediction&) const {}
};

}  // namespace heed
