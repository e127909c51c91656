#include "heed/nn/feed_forward.h"

namespace heed::nn {

FeedForward::FeedForward(const Scope& scope, const FeedForwardOptions& options)
    : options_(options),
      in_(scope / "in", options.width, options.hidden),
      out_(scope / "out", options.hidden, options.width) {
  if (options.gated) gate_.emplace(scope / "gate", options.width, options.hidden);
}

Sequences FeedForward::operator()(Context& context, const Sequences& x) const {
  const SequenceDropout dropout = context.dropout(options_.dropout, x.layout);
  if (!gate_) {
    return out_(context, in_(context, x, {options_.activation, dropout}));
  }
  const Sequences hidden = in_(context, x, {options_.activation});  // (rows, hidden)
  const Sequences gate = (*gate_)(context, x);                      // (rows, hidden)
  const Var gated = grad::multiply(context, hidden.rows, gate.rows);
  return out_(context, Sequences{grad::dropout(context, gated, dropout), x.layout});
}

}  // namespace heed::nn
