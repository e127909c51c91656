#include "cli/bench/text.h"

#include <array>

#include "cli/bench/parts.h"
#include "heed/model/input/text.h"
#include "heed/model/model.h"
#include "heed/model/output/label.h"
#include "heed/train/defaults.h"
#include "heed/train/step.h"

namespace heed::cli {
namespace {

constexpr Index kVocabulary = 20000, kNgramsOfAWord = 16, kClasses = 20;

// Words of real lines, as bench/lengths.py took them from mr.
constexpr std::array<Index, 128> kLineLengths = {
#include "bench/text_lengths.txt"
};

Config text_config(const std::string& body) {
  Config said = default_config("label");
  said.body = Choice<Body>(body);
  Config config = default_config(said);
  config.input.as<TextInput>()->options().entries = kVocabulary;
  config.wide = Choice<Wide>("none");
  std::vector<std::string>& names = config.output.as<LabelOutput>()->options().classes.names;
  for (Index i = 0; i < kClasses; ++i) names.push_back(std::to_string(i));
  return config;
}

class TextWorkload : public Workload {
 public:
  explicit TextWorkload(const std::string& body) : model_(text_config(body)) {}

  Parameters& parameters() override { return model_.parameters(); }

  void deal_to(int workers) override {
    const std::vector<Index> lengths(kLineLengths.begin(), kLineLengths.end());
    const Index buckets = model_.config().input.as<TextInput>()->options().char_ngrams.buckets;
    for (const Part& part : parts_of(lengths, deal(lengths, workers))) {
      Batch& batch = batches_.emplace_back();
      batch.first = part.first_sequence;
      batch.whole_weight = static_cast<double>(lengths.size());
      for (Index i = 0; i < part.sequences; ++i) {
        const Index rows = lengths[static_cast<std::size_t>(part.first_sequence + i)];
        const auto key = static_cast<std::uint64_t>(part.first_sequence + i);
        const std::vector<std::int32_t> counts(static_cast<std::size_t>(rows), kNgramsOfAWord);
        batch.lengths.push_back(rows);
        batch.input.integers(TextInput::kTokens).add(random_ids(rows, kVocabulary, key));
        batch.input.integers(TextInput::kNgramCounts).add(counts);
        batch.input.integers(TextInput::kNgrams)
            .add(random_ids(rows * kNgramsOfAWord, buckets, key + 1000));
        batch.answer.integers(0).add(random_ids(1, kClasses, key));
      }
    }
  }

  Var loss(Context& context, int worker) const override {
    return model_.loss(context, batches_[static_cast<std::size_t>(worker)]);
  }

  Index tokens() const override { return sum(kLineLengths); }

  double forward_flops() const override {
    double flops = 0.0;
    for (const Index rows : kLineLengths) {
      Plan plan = model_.plan(0, rows);
      for (const PlanStep& step : plan.steps()) flops += step.flops;
    }
    return flops;
  }

  int training_passes() const override {
    return model_.config().output.as<LabelOutput>()->options().consistency > 0.0f ? 2 : 1;
  }

 private:
  Model model_;
  std::vector<Batch> batches_;  // one for each worker
};

}  // namespace

std::unique_ptr<Workload> make_text_workload(const std::string& body) {
  return std::make_unique<TextWorkload>(body);
}

}  // namespace heed::cli
