#include "heed/model/output/tags.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/base/display.h"
#include "heed/grad/linear.h"
#include "heed/grad/loss.h"
#include "heed/model/output/tag_measures.h"
#include "heed/nn/crf.h"
#include "heed/nn/linear.h"

namespace heed {
namespace {

// The tag that the whole sequence wants comes first, whatever its row alone would say.
void put_first(std::vector<Candidate>& candidates, std::int32_t best, Index top) {
  const auto chosen =
      std::find_if(candidates.begin(), candidates.end(),
                   [&](const Candidate& candidate) { return candidate.index == best; });
  std::rotate(candidates.begin(), chosen, chosen + 1);
  candidates.resize(static_cast<std::size_t>(std::clamp<Index>(top, 1, std::ssize(candidates))));
}

class TagsNetwork : public OutputNetwork {
 public:
  TagsNetwork(const Scope& scope, const TagsOptions& options, Index width)
      : options_(options), last_(scope / "last", width, std::ssize(options.classes.names)) {
    if (options_.crf) crf_.emplace(scope / "crf", last_.out());
  }

  Var scores(Context& context, const Sequences& x) const override {
    const SequenceDropout dropout = context.dropout(options_.classes.dropout, x.layout);
    return last_(context, grad::dropout(context, x.rows, dropout));  // (rows, tags)
  }

  Var loss(Context& context, const Sequences& x, const Batch& batch,
           const WideScores& wide) const override {
    const Var all = add(context, scores(context, x), wide);
    const auto tags = batch.answer.integers(0).values();
    const auto divisor = static_cast<float>(batch.whole_weight);
    if (crf_) return crf_->loss(context, {all, x.layout}, tags, {.divisor = divisor});
    return grad::cross_entropy(context, all, tags,
                               {.divisor = divisor,
                                .smoothing = options_.classes.smoothing,
                                .class_weights = options_.classes.class_weights});
  }

  std::vector<Prediction> predict(Context& context, const Sequences& x, const Batch& batch,
                                  const WideScores& wide, Index top) const override {
    const Sequences all{add(context, scores(context, x), wide), x.layout};  // (rows, tags)
    TagOrderScores order(options_.classes.names, options_.spans);
    std::vector<std::int32_t> best;
    Tensor marginals;
    if (crf_) {
      const grad::CrfParameters chain = order.added_to(crf_->values());
      best = grad::viterbi(all, chain);
      marginals = grad::crf_marginals(context, all, chain);
    } else if (options_.spans != TagOrder::kAny) {
      best = grad::viterbi(all, order.parameters());
    }
    const auto truth = batch.answer.integers(0).values();
    const auto width = static_cast<std::size_t>(all.width());
    std::vector<Prediction> predictions(static_cast<std::size_t>(x.layout.count()));
    for (Index s = 0; s < x.layout.count(); ++s) {
      Prediction& prediction = predictions[static_cast<std::size_t>(s)];
      prediction.grid = x.layout.grid();
      for (Index row = x.layout.begin(s); row < x.layout.end(s); ++row) {
        const auto r = static_cast<std::size_t>(row);
        const std::span<const float> row_scores(all.rows.value.row(row), width);
        const std::span<const float> chances =
            crf_ ? std::span<const float>(marginals.row(row), width) : std::span<const float>();
        const auto candidates = [&](Index count) {
          return crf_ ? best_of_probabilities(chances, count) : best_candidates(row_scores, count);
        };
        std::vector<Candidate> found = candidates(top);
        if (!best.empty() && found.front().index != best[r]) {
          found = candidates(all.width());
          put_first(found, best[r], top);
        }
        prediction.rows.push_back(std::move(found));
        if (r >= truth.size()) continue;
        const std::int32_t tag = truth[r];
        if (crf_) {
          prediction.truth.push_back(tag < 0 ? 0.0f : chances[static_cast<std::size_t>(tag)]);
        } else {
          prediction.truth.push_back(probability_of(row_scores, tag));
        }
      }
    }
    return predictions;
  }

  void describe(Plan& plan) const override {
    plan.add("classifier", {plan.rows(), last_.out()},
             {"last", last_.flops(plan.rows()), fmt::format("{} tags", with_commas(last_.out()))});
  }

  void describe_answer(Plan& plan) const override {
    if (crf_) {
      plan.add("crf", {plan.rows()}, {.scope = "crf", .note = "the most likely sequence of tags"});
    } else {
      plan.add("answer", {plan.rows()}, {.note = "the most likely tag of each"});
    }
  }

 private:
  TagsOptions options_;
  nn::Linear last_;
  std::optional<nn::Crf> crf_;
};

}  // namespace

template <class Archive>
void describe(Archive& archive, TagsOptions& options) {
  describe(archive, options.classes);
  archive.field("crf", options.crf);
  archive.field("spans", options.spans);
  archive.check("crf", !options.crf || options.classes.smoothing == 0.0f,
                "false with label smoothing: a CRF's loss is of whole sequences");
  archive.check("crf", !options.crf || options.classes.class_weights.empty(),
                "false with class weights: a CRF's loss is of whole sequences");
}

template void describe(JsonReader&, TagsOptions&);
template void describe(JsonWriter&, TagsOptions&);

void TagsOutput::fit(const Dataset& all, bool) {
  fit_names(all, "tag");
  options_.spans = find_tag_order(all, names());
}

void TagsOutput::balance(const Dataset& train) {
  if (options_.crf) {
    throw UsageError("--balance: a CRF has no class weights; leave out --balance or --crf");
  }
  ClassOutput::balance(train);
}

void TagsOutput::prepare(const Answer& answer, Batch& batch) const {
  const Index rows = batch.lengths.back();
  Ragged<std::int32_t>& tags = batch.answer.integers(0);
  each_name(answer, [&](const std::string& name) {
    if (tags.open() < rows) tags.push(index_of(name));
  });
  while (tags.open() < rows) tags.push(kNoAnswer);
  tags.close();
}

std::unique_ptr<OutputNetwork> TagsOutput::network(const Scope& scope, Index width) const {
  return std::make_unique<TagsNetwork>(scope, options_, width);
}

std::unique_ptr<Measures> TagsOutput::measures() const {
  return std::make_unique<TagMeasures>(names());
}

void TagsOutput::settle(Prediction& prediction) const {
  if (options_.spans == TagOrder::kAny || prediction.rows.empty()) return;
  std::vector<float> scores;  // (rows, tags)
  for (const std::vector<Candidate>& row : prediction.rows) {
    const std::size_t begin = scores.size();
    scores.resize(begin + names().size());
    for (const Candidate& candidate : row) {
      scores[begin + static_cast<std::size_t>(candidate.index)] =
          std::log(std::max(candidate.probability, std::numeric_limits<float>::min()));
    }
  }
  const Index rows = std::ssize(prediction.rows);
  Arena arena;
  TagOrderScores order(names(), options_.spans);
  const std::vector<std::int32_t> best = grad::viterbi(
      {{{scores.data(), {rows, classes()}}}, Layout::uniform(arena, 1, rows)}, order.parameters());
  for (std::size_t row = 0; row < best.size(); ++row) {
    put_first(prediction.rows[row], best[row], classes());
  }
}

}  // namespace heed
