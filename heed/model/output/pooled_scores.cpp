#include "heed/model/output/pooled_scores.h"

#include <fmt/format.h>

#include "heed/base/display.h"
#include "heed/grad/linear.h"
#include "heed/model/options.h"

namespace heed {

PooledScores::PooledScores(const Scope& scope, const PooledOptions& options, Index width)
    : options_(options),
      pooling_(scope / "scores", options.pooling, width),
      last_(scope / "last", options.hidden > 0 ? options.hidden : pooling_.width(),
            options.classes) {
  if (options.hidden > 0) hidden_.emplace(scope / "hidden", pooling_.width(), options.hidden);
}

Var PooledScores::operator()(Context& context, const Sequences& x) const {
  Var pooled = pooling_(context, x);  // (sequences, pooled width)
  if (hidden_) pooled = (*hidden_)(context, pooled, {.activation = options_.activation});
  const Layout rows = Layout::uniform(context.arena(), x.layout.count(), 1, x.layout.first());
  return last_(context, grad::dropout(context, pooled, context.dropout(options_.dropout, rows)));
}

void PooledScores::describe(Plan& plan, const char* noun) const {
  plan.add(fmt::format("{} pooling", name_of(pooling_.kind())), {1, pooling_.width()},
           {"scores", pooling_.flops(plan.rows()), "one vector for the sequence"});
  if (hidden_) {
    plan.add("hidden", {1, hidden_->out()},
             {"hidden", hidden_->flops(1), std::string(name_of(options_.activation))});
  }
  plan.add("classifier", {1, last_.out()},
           {"last", last_.flops(1), fmt::format("{} {}", with_commas(last_.out()), noun)});
}

}  // namespace heed
