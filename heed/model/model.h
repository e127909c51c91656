#pragma once

#include <memory>
#include <string_view>

#include "heed/model/config.h"

namespace heed {

// Input, body, output and what stands beside them, joined as the config says. Owns its parameters.
//
// With an ensemble it has several networks, each with an input, a body and an output of its own.
// The wide part is one for all.
class Model {
 public:
  // With values kLater the parameters are zero: for one that is only looked at, or gets its weights
  // from a file.
  explicit Model(Config config, Parameters::Values values = Parameters::Values::kAtOnce);

  const Config& config() const { return config_; }
  // To teach the output what it learns when the weights are final: Output::calibrate().
  Output& output() { return *config_.output; }
  Parameters& parameters() { return *parameters_; }
  const Parameters& parameters() const { return *parameters_; }

  // Appends a record to a batch: its content, its features and its answer, where it has one. See
  // check_content().
  void prepare(const Record& record, Batch& batch) const;
  // Without the wide part: enough to know how many rows an example has.
  void prepare_rows(const Record& record, Batch& batch) const;

  // Changes the last sequence of a batch at random, for learning: see Input::vary.
  void vary(Batch& batch, Random& random) const;

  // Whether examples are learned from in pairs, and a share of the last sequence of `other` given
  // to the last one of `batch`: see Input::mix.
  bool mixes() const { return config_.input->mixup() > 0.0f; }
  void mix(Batch& batch, const Batch& other, Random& random) const;

  // Before the first step: values from elsewhere.
  void initialize(const FirstValues& from);
  // The wide part learns all that it knows.
  void learn_wide(const Examples& train, int workers);
  void settle_wide();  // it learns no more
  // How the wide part's own parts are weighed: WideNetwork::balance().
  void balance_wide(const Examples& held_out);
  // How much the scores of the wide part count, also of what it learns from now on, where those of
  // the network count 1. The larger of the two stays as it is and the other is multiplied, so that
  // their sum does not become so large that probabilities are 0 or 1.
  void weigh_wide(float ratio);
  // Which parts answer: to judge each alone. The best of a network's epochs is easier to see than
  // in a sum where the other part does most of the work.
  enum class Parts { kAll, kNetwork, kWide };
  void use(Parts parts) { parts_ = parts; }

  // Safe to call from several threads at once, each with a Context of its own that was begun.
  Var loss(Context& context, const Batch& batch) const;
  std::vector<Prediction> predict(Context& context, const Batch& batch, Index top = 1) const;
  // What predict() does where texts are written (Output::writes), with every token as soon as it is
  // certain. For a model with one network.
  std::vector<Prediction> write(Context& context, const Batch& batch, Index top,
                                const TokenWritten& written) const;

  // The scores (logits) that the parts of the model add up to, as they count: (sequences or rows,
  // classes). `wide` has no value where there is no wide part. For a model with one network.
  struct Scores {
    Var network, wide;
  };
  Scores scores(Context& context, const Batch& batch) const;
  // The same of an ensemble too, with the mean over its networks. Its answers are the mean of their
  // probabilities, so these do not add up to them.
  Scores mean_scores(Context& context, const Batch& batch) const;

  // The steps of network `i`, for an example of so many rows.
  Plan plan(Index i, Index rows) const;

 private:
  struct Network {
    std::unique_ptr<InputNetwork> input;
    std::unique_ptr<BodyNetwork> body;
    std::unique_ptr<OutputNetwork> output;

    Sequences operator()(Context& context, const Batch& batch) const {
      return (*body)(context, (*input)(context, batch));
    }
  };
  Scope scope_of(Index network) const;
  // No value in training, and where the wide part is not used.
  WideScores wide_scores(Context& context, const Batch& batch) const;
  // Its answers without the network's.
  std::vector<Prediction> wide_answers(Context& context, const Batch& batch, Index top) const;

  Config config_;
  std::unique_ptr<Parameters> parameters_;
  std::vector<Network> networks_;
  std::unique_ptr<WideNetwork> wide_;
  Parts parts_ = Parts::kAll;
};

// A record that the input or the wide part does not read is a UsageError with its place.
void check_content(const Record& record, const Config& config);

// A parameter's network, and its name there: "networks.2.input.words.weight" → 2,
// "input.words.weight". What all networks share is the first one's.
std::pair<Index, std::string_view> in_network(std::string_view name);

}  // namespace heed
