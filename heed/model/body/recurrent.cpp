#include "heed/model/body/recurrent.h"

namespace heed {
namespace {

nn::RecurrentOptions recurrent_options(const Config& config) {
  nn::RecurrentOptions options = config.body.recurrent;
  options.width = config.width;
  if (options.hidden == 0) options.hidden = config.width;
  return options;
}

}  // namespace

RecurrentBody::RecurrentBody(const Scope& scope, const Config& config)
    : recurrent_(scope / "recurrent", recurrent_options(config)),
      out_(scope / "out", recurrent_.width(), config.width) {}

Sequences RecurrentBody::operator()(Context& context, const Sequences& x) const {
  return out_(context, recurrent_(context, x), {nn::Activation::kTanh});
}

}  // namespace heed
