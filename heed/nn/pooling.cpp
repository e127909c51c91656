#include "heed/nn/pooling.h"

#include "heed/grad/sequence.h"

namespace heed::nn {

Pooling::Pooling(const Scope& scope, Pool kind, Index width)
    : kind_(kind), width_(kind == Pool::kMeanMax ? 2 * width : width) {
  if (kind == Pool::kAttention) scores_.emplace(scope, width, 1, Linear::Bias::kNone);
}

Var Pooling::operator()(Context& context, const Sequences& x) const {
  const auto pool = [&](grad::Pool kind) { return grad::pool(context, x, kind); };
  switch (kind_) {
    case Pool::kMean:
      return pool(grad::Pool::kMean);
    case Pool::kSum:
      return pool(grad::Pool::kSum);
    case Pool::kMax:
      return pool(grad::Pool::kMax);
    case Pool::kFirst:
      return pool(grad::Pool::kFirst);
    case Pool::kLast:
      return pool(grad::Pool::kLast);
    case Pool::kMeanMax:
      return grad::beside(context, pool(grad::Pool::kMean), pool(grad::Pool::kMax));
    case Pool::kAttention:
      return grad::weighted_pool(context, x, (*scores_)(context, x.rows));
  }
  fail<UsageError>("pooling", "unknown kind");
}

}  // namespace heed::nn
