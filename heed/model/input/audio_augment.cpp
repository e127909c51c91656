#include "heed/model/input/audio_augment.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heed {
namespace {

// Where a band's frequency times `speed` lies among the bands, from 0: HTK's mel scale.
double band_at(Index band, double speed, const AudioOptions& options) {
  const double top = 2595.0 * std::log10(1.0 + options.settings().rate / 2.0 / 700.0);
  const double step = top / static_cast<double>(options.bands + 1);
  const double hertz =
      700.0 * (std::pow(10.0, static_cast<double>(band + 1) * step / 2595.0) - 1.0);
  return 2595.0 * std::log10(1.0 + hertz * speed / 700.0) / step - 1.0;
}

// A place between two items of a list.
struct Between {
  Index left = 0, right = 0;
  float share = 0.0f;  // of the right one

  Between(double place, Index count) {
    const double inside = std::clamp(place, 0.0, static_cast<double>(count - 1));
    left = static_cast<Index>(inside);
    right = std::min(left + 1, count - 1);
    share = static_cast<float>(inside - static_cast<double>(left));
  }
};

}  // namespace

void change_speed(float most, const AudioOptions& options, Random& random, Ragged<float>& column) {
  const Index bands = options.bands;
  const std::vector<float> before(column.last().begin(), column.last().end());
  const Index frames = std::ssize(before) / bands;
  const double speed =
      1.0 + static_cast<double>(most) * (2.0 * static_cast<double>(random.uniform()) - 1.0);
  const auto wanted = static_cast<double>(frames) / speed;
  const Index count =
      std::max<Index>(1, std::llround(wanted / static_cast<double>(options.stride))) *
      options.stride;
  std::vector<Between> places;
  for (Index band = 0; band < bands; ++band) {
    // What sounded at f / speed now sounds at f.
    places.emplace_back(band_at(band, 1.0 / speed, options), bands);
  }
  std::vector<float> after(static_cast<std::size_t>(count * bands));
  for (Index i = 0; i < count; ++i) {
    const Between time(static_cast<double>(i) * speed, frames);
    const float* left = before.data() + time.left * bands;
    const float* right = before.data() + time.right * bands;
    for (Index band = 0; band < bands; ++band) {
      const Between& at = places[static_cast<std::size_t>(band)];
      const float a = left[at.left] + at.share * (left[at.right] - left[at.left]);
      const float b = right[at.left] + at.share * (right[at.right] - right[at.left]);
      after[static_cast<std::size_t>(i * bands + band)] = a + time.share * (b - a);
    }
  }
  column.replace(after);
}

void change_gain(const AudioOptions& options, Random& random, std::span<float> frames) {
  if (options.augment.gain == 0.0f) return;
  const float decibels = options.augment.gain * (2.0f * random.uniform() - 1.0f);
  const float change = decibels * std::numbers::ln10_v<float> / 10.0f;  // of the power's logarithm
  const std::size_t bands = static_cast<std::size_t>(options.bands);
  for (std::size_t i = 0; i < frames.size(); ++i)
    frames[i] += change / options.deviation[i % bands];
}

void mask(const AudioOptions& options, Random& random, std::span<float> frames) {
  const AudioAugmentOptions& augment = options.augment;
  const Index bands = options.bands, count = std::ssize(frames) / bands;
  // A stretch of at most `widest` of `all`, anywhere.
  const auto stretch = [&](Index widest, Index all) {
    const Index width = random.below(static_cast<std::uint32_t>(std::min(widest, all) + 1));
    return std::pair(static_cast<Index>(random.below(static_cast<std::uint32_t>(all - width + 1))),
                     width);
  };
  const auto widest = static_cast<Index>(augment.time_width * static_cast<float>(count));
  for (Index i = 0; i < augment.time_masks; ++i) {
    const auto [first, width] = stretch(widest, count);
    std::fill_n(frames.begin() + first * bands, width * bands, 0.0f);
  }
  for (Index i = 0; i < augment.band_masks; ++i) {
    const auto [first, width] = stretch(augment.band_width, bands);
    for (Index frame = 0; frame < count; ++frame) {
      std::fill_n(frames.begin() + frame * bands + first, width, 0.0f);
    }
  }
}

}  // namespace heed
