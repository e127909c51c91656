#include "heed/data/audio/log_mel.h"

#include <kiss_fftr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "heed/data/audio/audio_reader.h"

namespace heed {
namespace {

double to_mel(double hertz) { return 2595.0 * std::log10(1.0 + hertz / 700.0); }
double to_hertz(double mel) { return 700.0 * (std::pow(10.0, mel / 2595.0) - 1.0); }

}  // namespace

Index LogMelSettings::window_samples() const {
  return std::max<Index>(1, std::llround(window * rate));
}
Index LogMelSettings::hop_samples() const { return std::max<Index>(1, std::llround(hop * rate)); }
Index LogMelSettings::transform() const {
  return static_cast<Index>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<Index>(4, window_samples()))));
}

struct LogMel::Transform {
  struct Free {
    void operator()(kiss_fftr_cfg plan) const { kiss_fftr_free(plan); }
  };
  explicit Transform(Index size)
      : plan(kiss_fftr_alloc(static_cast<int>(size), 0, nullptr, nullptr)),
        in(static_cast<std::size_t>(size)),
        out(static_cast<std::size_t>(size / 2 + 1)),
        power(out.size()) {}

  std::unique_ptr<std::remove_pointer_t<kiss_fftr_cfg>, Free> plan;
  std::vector<float> in;
  std::vector<kiss_fft_cpx> out;
  std::vector<float> power;
};

LogMel::LogMel(const LogMelSettings& settings)
    : size_(settings.transform()),
      hop_(settings.hop_samples()),
      window_(static_cast<std::size_t>(size_), 0.0f),
      transform_(std::make_unique<Transform>(size_)) {
  const Index length = settings.window_samples();
  const auto left = static_cast<std::size_t>((size_ - length) / 2);
  for (Index i = 0; i < length; ++i) {
    const double angle =
        2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(length);
    window_[left + static_cast<std::size_t>(i)] = static_cast<float>(0.5 - 0.5 * std::cos(angle));
  }
  make_bands(settings);
}

LogMel::~LogMel() = default;

// Triangles between points that are equally far apart on the mel scale.
void LogMel::make_bands(const LogMelSettings& settings) {
  const Index bins = size_ / 2 + 1;
  const double top = to_mel(settings.rate / 2.0);
  const auto point = [&](Index i) {
    return to_hertz(top * static_cast<double>(i) / static_cast<double>(settings.bands + 1));
  };
  for (Index b = 0; b < settings.bands; ++b) {
    const double low = point(b), middle = point(b + 1), high = point(b + 2);
    Band band;
    for (Index bin = 0; bin < bins; ++bin) {
      const double hertz =
          settings.rate / 2.0 * static_cast<double>(bin) / static_cast<double>(bins - 1);
      const double weight =
          std::min((hertz - low) / (middle - low), (high - hertz) / (high - middle));
      if (weight <= 0.0) continue;
      if (band.weights.empty()) band.first = bin;
      band.weights.push_back(static_cast<float>(weight));
    }
    bands_.push_back(std::move(band));
  }
}

// The samples before the first one are the first ones in a mirror, which is the first sample.
void LogMel::begin() {
  const auto half = static_cast<std::size_t>(size_ / 2);
  if (samples_.size() < half + 1) samples_.resize(half + 1, 0.0f);
  std::vector<float> mirror(samples_.rend() - static_cast<Index>(half) - 1, samples_.rend() - 1);
  samples_.insert(samples_.begin(), mirror.begin(), mirror.end());
  begun_ = true;
}

void LogMel::add_frame(const float* samples, std::vector<float>& frames) {
  Transform& t = *transform_;
  for (std::size_t i = 0; i < t.in.size(); ++i) t.in[i] = samples[i] * window_[i];
  kiss_fftr(t.plan.get(), t.in.data(), t.out.data());
  for (std::size_t i = 0; i < t.out.size(); ++i) {
    t.power[i] = t.out[i].r * t.out[i].r + t.out[i].i * t.out[i].i;
  }
  for (const Band& band : bands_) {
    const float* power = t.power.data() + band.first;
    float sum = 0.0f;
    for (std::size_t i = 0; i < band.weights.size(); ++i) sum += band.weights[i] * power[i];
    frames.push_back(std::log(std::max(sum, kFloor)));
  }
}

void LogMel::take_frames(std::vector<float>& frames) {
  while (used_ + static_cast<std::size_t>(size_) <= samples_.size()) {
    add_frame(samples_.data() + used_, frames);
    used_ += static_cast<std::size_t>(hop_);
  }
  // As many as the mirror at the end needs are kept.
  const auto kept = std::min(samples_.size(), static_cast<std::size_t>(size_ / 2 + 1));
  const std::size_t done = std::min(used_, samples_.size() - kept);
  samples_.erase(samples_.begin(), samples_.begin() + static_cast<Index>(done));
  used_ -= done;
}

void LogMel::push(std::span<const float> samples, std::vector<float>& frames) {
  samples_.insert(samples_.end(), samples.begin(), samples.end());
  if (!begun_) {
    if (samples_.size() < static_cast<std::size_t>(size_)) return;
    begin();
  }
  take_frames(frames);
}

void LogMel::finish(std::vector<float>& frames) {
  if (!begun_) begin();
  const auto half = static_cast<std::size_t>(size_ / 2);
  std::vector<float> mirror(samples_.rbegin() + 1,
                            samples_.rbegin() + static_cast<Index>(half) + 1);
  samples_.insert(samples_.end(), mirror.begin(), mirror.end());
  take_frames(frames);
}

std::vector<float> log_mel(const Recording& recording, const LogMelSettings& settings, Index most) {
  AudioReader reader(recording, settings.rate);
  LogMel mel(settings);
  std::vector<float> frames;
  const auto limit = static_cast<std::size_t>(most * settings.bands);
  for (auto block = reader.read(); !block.empty(); block = reader.read()) {
    mel.push(block, frames);
    if (most > 0 && frames.size() >= limit) {
      frames.resize(limit);
      return frames;
    }
  }
  mel.finish(frames);
  if (most > 0 && frames.size() > limit) frames.resize(limit);
  return frames;
}

}  // namespace heed
