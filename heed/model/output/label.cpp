#include "heed/model/output/label.h"

#include "heed/grad/linear.h"
#include "heed/grad/loss.h"
#include "heed/model/output/answers.h"

namespace heed {
LabelOutput::LabelOutput(const Scope& scope, const Scope& counted, const Config& config)
    : options_(config.output),
      pooling_(scope / "scores", config.output.pooling, config.width),
      last_(scope / "last", pooling_.width(), static_cast<Index>(config.output.names.size())) {
  if (config.text.clues.kind != ClueKind::kNone) {
    clues_.emplace(scope / "clues", counted / "clues", config);
  }
}

Var LabelOutput::logits(Context& context, const Sequences& x, const BatchPart& part) const {
  const Var pooled = pooling_(context, x);  // (sequences, pooled width)
  const Layout rows = Layout::uniform(context.arena(), x.layout.count(), 1, x.layout.first());
  const Var scores =
      last_(context, grad::dropout(context, pooled, context.dropout(options_.dropout, rows)));
  return clues_ ? grad::add(context, scores, (*clues_)(context, part)) : scores;
}

Var LabelOutput::loss(Context& context, const Sequences& x, const BatchPart& part) const {
  return grad::cross_entropy(context, logits(context, x, part), part.labels,
                             {.divisor = total_weight(part.whole().labels, options_.class_weights),
                              .smoothing = options_.smoothing,
                              .class_weights = options_.class_weights});
}

std::vector<Prediction> LabelOutput::predict(Context& context, const Sequences& x,
                                             const BatchPart& part, Index top) const {
  const Var scores = logits(context, x, part);
  std::vector<Prediction> predictions;
  for (Index s = 0; s < scores.rows(); ++s) {
    const std::span<const float> row(scores.value.row(s),
                                     static_cast<std::size_t>(scores.columns()));
    predictions.push_back({{best_answers(row, top)}});
  }
  return predictions;
}

}  // namespace heed
