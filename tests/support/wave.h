#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <string>
#include <vector>

// WAV files for tests.
namespace heed::test {

// A tone with samples of 16 bits.
inline std::vector<float> tone(double hertz, double seconds, double rate = 16000.0,
                               double loudness = 0.5) {
  std::vector<float> samples(static_cast<std::size_t>(seconds * rate));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] = static_cast<float>(
        loudness * std::sin(2.0 * std::numbers::pi * hertz * static_cast<double>(i) / rate));
  }
  return samples;
}

struct WaveOptions {
  std::uint32_t rate = 16000;
  std::uint16_t channels = 1;
  double claimed = 1.0;  // the size that the header says, as a part of what is there
};

// Frames of all channels, interleaved, as a WAV file with 16 bits.
inline std::string wave(const std::vector<float>& samples, const WaveOptions& options = {}) {
  std::string bytes;
  const auto add = [&](auto number) {
    char raw[sizeof number];
    std::memcpy(raw, &number, sizeof number);
    bytes.append(raw, sizeof number);
  };
  const auto size =
      static_cast<std::uint32_t>(2.0 * options.claimed * static_cast<double>(samples.size()));
  bytes += "RIFF";
  add(static_cast<std::uint32_t>(36 + size));
  bytes += "WAVEfmt ";
  add(std::uint32_t{16});
  add(std::uint16_t{1});
  add(options.channels);
  add(options.rate);
  add(static_cast<std::uint32_t>(options.rate * options.channels * 2));
  add(static_cast<std::uint16_t>(options.channels * 2));
  add(std::uint16_t{16});
  bytes += "data";
  add(size);
  for (const float sample : samples) {
    add(static_cast<std::int16_t>(std::lround(32767.0f * sample)));
  }
  return bytes;
}

}  // namespace heed::test
