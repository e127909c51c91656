#include "heed/model/output/tags.h"

#include <algorithm>

#include "heed/grad/loss.h"
#include "heed/model/output/answers.h"

namespace heed {

TagsOutput::TagsOutput(const Scope& scope, const Config& config)
    : options_(config.output),
      last_(scope / "last", config.width, static_cast<Index>(config.output.names.size())) {
  if (options_.crf) crf_.emplace(scope / "crf", static_cast<Index>(options_.names.size()));
}

Var TagsOutput::logits(Context& context, const Sequences& x) const {
  const SequenceDropout dropout = context.dropout(options_.dropout, x.layout);
  return last_(context, grad::dropout(context, x.rows, dropout));  // (rows, tags)
}

Var TagsOutput::loss(Context& context, const Sequences& x, const BatchPart& part) const {
  const Var scores = logits(context, x);
  const float weight = total_weight(part.whole().tags, options_.class_weights);
  if (crf_) return crf_->loss(context, {scores, x.layout}, part.tags, {.divisor = weight});
  return grad::cross_entropy(context, scores, part.tags,
                             {.divisor = weight,
                              .smoothing = options_.smoothing,
                              .class_weights = options_.class_weights});
}

std::vector<Prediction> TagsOutput::predict(Context& context, const Sequences& x, const BatchPart&,
                                            Index top) const {
  const Var scores = logits(context, x);
  std::vector<std::int32_t> best;
  if (crf_) best = crf_->decode({scores, x.layout});
  std::vector<Prediction> predictions(static_cast<std::size_t>(x.layout.count()));
  for (Index s = 0; s < x.layout.count(); ++s) {
    for (Index row = x.layout.begin(s); row < x.layout.end(s); ++row) {
      const std::span<const float> row_scores(scores.value.row(row),
                                              static_cast<std::size_t>(scores.columns()));
      std::vector<Answer> answers = best_answers(row_scores, crf_ ? scores.columns() : top);
      if (crf_) {
        // The tag that the whole sequence wants comes first, whatever its row alone would say.
        const auto chosen = std::find_if(answers.begin(), answers.end(), [&](const Answer& answer) {
          return answer.index == best[static_cast<std::size_t>(row)];
        });
        std::rotate(answers.begin(), chosen, chosen + 1);
        answers.resize(static_cast<std::size_t>(std::clamp<Index>(top, 1, scores.columns())));
      }
      predictions[static_cast<std::size_t>(s)].answers.push_back(std::move(answers));
    }
  }
  return predictions;
}

}  // namespace heed
