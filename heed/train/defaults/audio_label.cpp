#include "heed/model/output/label.h"
#include "heed/train/defaults.h"
#include "heed/train/defaults/audio.h"

namespace heed {
namespace {

void start(const Config&, Config& config) {
  start_audio(config);
  LabelOptions& label = config.output.as<LabelOutput>()->options();
  label.classes.smoothing = 0.1f;
  label.pooling = nn::PoolingKind::kMeanMax;
}

}  // namespace

const PairDefaults kAudioLabel = {"audio", "label", "attention", start, 5.0, nullptr};

}  // namespace heed
