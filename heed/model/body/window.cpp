#include "heed/model/body/window.h"

namespace heed {
namespace {

nn::Convolution1dOptions window_options(const Config& config) {
  nn::Convolution1dOptions options;
  options.in = config.width;
  options.out = config.body.window.hidden;
  options.taps = 2 * config.body.window.neighbours + 1;
  return options.same();
}

}  // namespace

WindowBody::WindowBody(const Scope& scope, const Config& config)
    : dropout_(config.body.encoder.dropout),
      window_(scope / "window", window_options(config)),
      out_(scope / "out", config.body.window.hidden, config.width) {}

Sequences WindowBody::operator()(Context& context, const Sequences& x) const {
  const Sequences seen = window_(context, x);  // (rows, hidden)
  const Var alive = grad::activation(context, seen.rows, nn::Activation::kRelu);
  const Var kept = grad::dropout(context, alive, context.dropout(dropout_, x.layout));
  return out_(context, Sequences{kept, x.layout});  // (rows, width)
}

}  // namespace heed
