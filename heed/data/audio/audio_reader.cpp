#include "heed/data/audio/audio_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "heed/base/error.h"
#include "heed/data/audio/resampler.h"
#include "heed/data/audio/sound_file.h"

namespace heed {
namespace {

constexpr Index kBlock = 8192;  // frames that are read at a time

}  // namespace

struct AudioReader::State {
  std::string name;
  std::optional<SoundFile> file;
  std::shared_ptr<const Waveform> sound;
  double own_rate = 0.0, rate = 0.0;
  Index at = 0, end = -1;  // frames; an end of −1 is not known
  std::vector<float> frames, mono;
  std::optional<Resampler> resampler;
  bool ended = false;

  Index known() const { return file ? file->frames() : static_cast<Index>(sound->samples.size()); }
  void set_part(const Recording& recording);
  void set_rate(double wanted) {
    rate = wanted > 0.0 ? wanted : own_rate;
    if (rate != own_rate) resampler.emplace(own_rate, rate);
  }
  std::span<const float> block();
};

void AudioReader::State::set_part(const Recording& recording) {
  const Index all = known();
  if (all > 0) end = all;
  at = std::llround(recording.begin * own_rate);
  if (at > 0 && all > 0 && at >= all) {
    throw FormatError(fmt::format("{}: has {:.3f} seconds, and the part begins at {:.3f}", name,
                                  static_cast<double>(all) / own_rate, recording.begin));
  }
  if (at > 0 && file) file->seek(at);
  if (recording.end > 0.0) {
    const Index last = std::max(at + 1, static_cast<Index>(std::llround(recording.end * own_rate)));
    end = end < 0 ? last : std::min(end, last);
  }
}

// The next samples at the recording's own rate, one channel; none at the end.
std::span<const float> AudioReader::State::block() {
  const Index count = end < 0 ? kBlock : std::clamp<Index>(end - at, 0, kBlock);
  if (count == 0) return {};
  if (!file) {
    const auto part = std::span(sound->samples)
                          .subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(count));
    mono.assign(part.begin(), part.end());
    at += count;
  } else {
    const Index channels = file->channels();
    frames.resize(static_cast<std::size_t>(kBlock * channels));
    const Index got = file->read(frames.data(), count);
    at += got;
    mono.resize(static_cast<std::size_t>(got));
    for (Index i = 0; i < got; ++i) {
      const float* frame = frames.data() + i * channels;
      float sum = 0.0f;
      for (Index c = 0; c < channels; ++c) sum += frame[c];
      mono[static_cast<std::size_t>(i)] = sum / static_cast<float>(channels);
    }
  }
  for (const float sample : mono) {
    if (!std::isfinite(sample)) {
      throw FormatError(name + ": has samples that are not finite numbers");
    }
  }
  return mono;
}

AudioReader::AudioReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
AudioReader::AudioReader(AudioReader&&) noexcept = default;
AudioReader::~AudioReader() = default;

AudioReader::AudioReader(const Recording& recording, double rate)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  if (recording.sound != nullptr) {
    state.name = "recording";
    state.sound = recording.sound;
    state.own_rate = recording.sound->rate;
    if (!(state.own_rate > 0.0)) {
      throw FormatError(fmt::format("a recording of {} samples in a second", state.own_rate));
    }
    if (recording.sound->samples.empty()) throw FormatError("a recording without samples");
  } else {
    state.name = *recording.file;
    state.file.emplace(*recording.file);
    state.own_rate = state.file->rate();
  }
  state.set_part(recording);
  state.set_rate(rate);
}

AudioReader AudioReader::standard_input(double raw_rate) {
  auto state = std::make_unique<State>();
  state->file.emplace(raw_rate);
  state->name = state->file->name();
  state->own_rate = state->rate = state->file->rate();
  return AudioReader(std::move(state));
}

double AudioReader::rate() const { return state_->rate; }

double AudioReader::seconds() const {
  return state_->end < 0 ? 0.0 : static_cast<double>(state_->end - state_->at) / state_->own_rate;
}

std::span<const float> AudioReader::read() {
  State& state = *state_;
  if (!state.resampler) return state.block();
  while (!state.ended) {
    const std::span<const float> block = state.block();
    state.ended = block.empty();
    const std::span<const float> out = (*state.resampler)(block);
    if (!out.empty()) return out;
  }
  return {};
}

std::vector<float> AudioReader::read_all(Index most) {
  std::vector<float> all;
  for (auto block = read(); !block.empty(); block = read()) {
    const Index room = most - static_cast<Index>(all.size());
    all.insert(all.end(), block.begin(),
               block.begin() + std::min(room, static_cast<Index>(block.size())));
    if (static_cast<Index>(all.size()) >= most) break;
  }
  return all;
}

}  // namespace heed
