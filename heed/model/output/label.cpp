#include "heed/model/output/label.h"

#include "heed/grad/loss.h"
#include "heed/grad/sequence.h"
#include "heed/model/output/answers.h"

namespace heed {
namespace {

Index pooled_width(const Config& config) {
  return config.output.pooling == Pooling::kMeanMax ? 2 * config.width : config.width;
}

}  // namespace

LabelOutput::LabelOutput(const Scope& scope, const Config& config)
    : options_(config.output),
      last_(scope / "last", pooled_width(config), static_cast<Index>(config.output.names.size())) {
  if (options_.pooling == Pooling::kAttention) {
    scores_.emplace(scope / "scores", config.width, 1, nn::Linear::Bias::kNone);
  }
  if (config.text.clues.kind != ClueKind::kNone) clues_.emplace(scope / "clues", config);
}

Var LabelOutput::logits(Context& context, const Sequences& x, const BatchPart& part) const {
  const auto pool = [&](grad::Pool kind) { return grad::pool(context, x, kind); };
  Var pooled;  // (sequences, width)
  switch (options_.pooling) {
    case Pooling::kMean:
      pooled = pool(grad::Pool::kMean);
      break;
    case Pooling::kSum:
      pooled = pool(grad::Pool::kSum);
      break;
    case Pooling::kMax:
      pooled = pool(grad::Pool::kMax);
      break;
    case Pooling::kFirst:
      pooled = pool(grad::Pool::kFirst);
      break;
    case Pooling::kLast:
      pooled = pool(grad::Pool::kLast);
      break;
    case Pooling::kMeanMax:
      pooled = grad::beside(context, pool(grad::Pool::kMean), pool(grad::Pool::kMax));
      break;
    case Pooling::kAttention:
      pooled = grad::weighted_pool(context, x, (*scores_)(context, x.rows));
      break;
  }
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
