#pragma once

#include "heed/model/body/attention.h"
#include "heed/model/config.h"
#include "heed/model/input/image.h"
#include "heed/train/trainer.h"

namespace heed {

// What all defaults for pictures have in common: a compact convolutional Transformer, with
// positions that the input adds and little dropout, since no picture comes twice in the same way.
inline void start_picture_body(Config& config) {
  config.input->set_dropout(0.0f);
  config.body->set_dropout(0.1f);
  auto* body = config.body.as<AttentionBody>();
  if (body == nullptr) return;
  AttentionBodyOptions& options = body->options();
  options.position.kind = nn::Position::kNone;
  options.encoder.order = nn::NormOrder::kPre;
}

// Times through the data and pictures of a batch.
void pace_pictures(const Examples& train, TrainingOptions& training);

}  // namespace heed
