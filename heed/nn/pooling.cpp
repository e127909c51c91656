#include "heed/nn/pooling.h"

#include "heed/grad/sequence.h"

namespace heed::nn {

Pooling::Pooling(const Scope& scope, PoolingKind kind, Index width)
    : kind_(kind), width_(kind == PoolingKind::kMeanMax ? 2 * width : width) {
  if (kind == PoolingKind::kAttention) scores_.emplace(scope, width, 1, Linear::Bias::kNone);
}

Var Pooling::operator()(Context& context, const Sequences& x) const {
  const auto pool = [&](grad::Pool kind) { return grad::pool(context, x, kind); };
  switch (kind_) {
    case PoolingKind::kMean:
      return pool(grad::Pool::kMean);
    case PoolingKind::kSum:
      return pool(grad::Pool::kSum);
    case PoolingKind::kMax:
      return pool(grad::Pool::kMax);
    case PoolingKind::kFirst:
      return pool(grad::Pool::kFirst);
    case PoolingKind::kLast:
      return pool(grad::Pool::kLast);
    case PoolingKind::kMeanMax:
      return grad::beside(context, pool(grad::Pool::kMean), pool(grad::Pool::kMax));
    case PoolingKind::kAttention:
      return grad::weighted_pool(context, x, (*scores_)(context, x.rows));
  }
  fail<UsageError>("pooling", "unknown kind");
}

}  // namespace heed::nn
