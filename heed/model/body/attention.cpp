#include "heed/model/body/attention.h"

namespace heed {
namespace {

nn::PositionOptions position_options(const Config& config) {
  nn::PositionOptions options = config.body.position;
  options.width = config.width;
  return options;
}

nn::EncoderOptions encoder_options(const Config& config) {
  nn::EncoderOptions options = config.body.encoder;
  options.attention.width = config.width;
  if (!nn::added_to_input(config.body.position.kind)) {
    options.attention.position = config.body.position.kind;
  }
  return options;
}

}  // namespace

AttentionBody::AttentionBody(const Scope& scope, const Config& config)
    : positions_(scope / "positions", position_options(config)),
      encoder_(scope, encoder_options(config)) {}

Sequences AttentionBody::operator()(Context& context, const Sequences& x) const {
  return encoder_(context, positions_(context, x));
}

}  // namespace heed
