#include "heed/model/input/audio_options.h"

#include <fmt/format.h>

#include <bit>

#include "heed/model/options.h"

namespace heed {
namespace {

constexpr Index kMostTransform = 1 << 16;  // samples of a window
constexpr double kMostStride = 64;

bool is_power_of_two(Index number) {
  return number > 0 && std::has_single_bit(static_cast<std::uint64_t>(number));
}

}  // namespace

template <class Archive>
void describe(Archive& archive, AudioAugmentOptions& options) {
  archive.field("time_masks", options.time_masks, between(0, 100));
  archive.field("time_width", options.time_width, part_of_one());
  archive.field("band_masks", options.band_masks, between(0, 100));
  archive.field("band_width", options.band_width, between(0, 1000));
  archive.field("gain", options.gain, between(0, 60));
  archive.field("speed", options.speed, between(0, 0.5));
  archive.field("mixup", options.mixup, between(0, 1));
}

template <class Archive>
void describe(Archive& archive, AudioOptions& options) {
  archive.field("rate", options.rate, between(0, 1e6));
  archive.field("bands", options.bands, between(1, 1000));
  archive.field("window", options.window, above(0));
  archive.field("hop", options.hop, above(0));
  archive.field("truncation", options.truncation, between(0, kMostRows));
  archive.field("segment", options.segment, between(0, kMostRows));
  archive.field("norm", options.norm);
  archive.field("prenet", options.prenet);
  archive.field("stride", options.stride, between(1, kMostStride));
  archive.field("augment", options.augment);
  archive.field("cache", options.cache);
  archive.field("dropout", options.dropout, part_of_one());
  archive.field("mean", options.mean);
  archive.field("deviation", options.deviation, above(0));
  const auto bands = static_cast<std::size_t>(options.bands);
  archive.check("rate", options.rate == 0.0 || options.rate >= 100.0, "0, or at least 100");
  archive.check("window", options.window < 10.0 && options.settings().transform() <= kMostTransform,
                fmt::format("a window of at most {} samples", kMostTransform));
  archive.check("hop", options.hop <= 10.0 && options.hop * options.settings().rate >= 1.0,
                "at least a sample, and at most 10 seconds");
  archive.check("stride", options.prenet == Prenet::kLinear || is_power_of_two(options.stride),
                "a power of two where the prenet is \"convolution\"");
  archive.check("mean", options.mean.empty() || options.mean.size() == bands, "one for each band");
  archive.check("deviation", options.deviation.size() == options.mean.size(), "as many as means");
}

template void describe(JsonReader&, AudioOptions&);
template void describe(JsonWriter&, AudioOptions&);

}  // namespace heed
