#include "heed/train/presets.h"

#include <fmt/format.h>

#include <span>

#include "heed/base/error.h"

namespace heed {
namespace {

struct NamedNetwork {
  const char* name;
  const char* input;
  const char* output;
  std::span<const char* const> settings;
};

// Tutorial 004: 40 mel bands, a linear prenet to 80, one Transformer encoder layer as PyTorch's
// nn.TransformerEncoderLayer makes it (post-norm, ReLU, dropout 0.1) without positions, the mean
// over time, a sigmoid layer and a linear one; 32 segments of 128 frames in a batch.
constexpr const char* kTutorialSpeaker[] = {"width=80",
                                            "input.rate=16000",
                                            "input.bands=40",
                                            "input.segment=128",
                                            "input.norm=corpus",
                                            "input.prenet=linear",
                                            "input.stride=1",
                                            "input.augment.time_masks=0",
                                            "input.augment.band_masks=0",
                                            "input.augment.gain=0",
                                            "input.augment.speed=0",
                                            "input.augment.mixup=0",
                                            "input.dropout=0",
                                            "body.kind=attention",
                                            "body.position.kind=none",
                                            "body.layers=1",
                                            "body.convolution.taps=0",
                                            "body.attention.heads=2",
                                            "body.attention.dropout=0.1",
                                            "body.feed_forward.hidden=256",
                                            "body.feed_forward.activation=relu",
                                            "body.feed_forward.gated=false",
                                            "body.feed_forward.dropout=0.1",
                                            "body.order=post",
                                            "body.norm=layer",
                                            "body.dropout=0.1",
                                            "body.branch=1",
                                            "output.pooling=mean",
                                            "output.hidden=80",
                                            "output.activation=sigmoid",
                                            "output.dropout=0",
                                            "output.smoothing=0",
                                            "wide.kind=none",
                                            "training.batch_rows=4096"};

constexpr NamedNetwork kNetworks[] = {{"tutorial-speaker", "audio", "label", kTutorialSpeaker}};

constexpr const char* kSizes[] = {"tiny", "small", "base"};

}  // namespace

void apply_preset(const std::string& name, Settings& settings) {
  for (const NamedNetwork& network : kNetworks) {
    if (name != network.name) continue;
    const Config& config = settings.config;
    if (config.input.kind() != network.input || config.output.kind() != network.output) {
      throw UsageError(
          fmt::format("--preset {}: a network from {} to {}, and this is from {} to {}", name,
                      network.input, network.output, config.input.kind(), config.output.kind()));
    }
    for (const char* setting : network.settings) apply_setting(setting, settings);
    return;
  }
  for (const char* size : kSizes) {
    if (name == size) return apply_preset(name, settings.config);
  }
  std::vector<std::string> all = preset_names(settings.config.output.kind());
  throw UsageError(fmt::format("there is no preset {}; there are {}", name, fmt::join(all, ", ")));
}

std::vector<std::string> preset_names(const std::string& output) {
  std::vector<std::string> names(std::begin(kSizes), std::end(kSizes));
  for (const NamedNetwork& network : kNetworks) {
    if (output == network.output) names.emplace_back(network.name);
  }
  return names;
}

}  // namespace heed
