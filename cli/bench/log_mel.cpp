#include "cli/bench/log_mel.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>

#include "cli/bench/parts.h"
#include "heed/base/file.h"
#include "heed/data/audio/log_mel.h"

namespace heed::cli {
namespace {

constexpr Index kSeconds = 60;
constexpr Index kRate = 16000, kFileRate = 44100, kChannels = 2;
constexpr std::size_t kBlock = 65536;  // samples that are pushed at a time, as a reader gives them

std::string little_endian(std::uint32_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i));
  return text;
}

// A WAV file of 16-bit noise.
std::string noise_file() {
  constexpr Index kCount = kSeconds * kFileRate * kChannels;
  const std::vector<float> noise = random_numbers(kCount, 5);
  std::string bytes = "RIFF" + little_endian(36 + 2 * kCount, 4) + "WAVEfmt " +
                      little_endian(16, 4) + little_endian(1, 2) + little_endian(kChannels, 2) +
                      little_endian(kFileRate, 4) + little_endian(2 * kChannels * kFileRate, 4) +
                      little_endian(2 * kChannels, 2) + little_endian(16, 2) + "data" +
                      little_endian(2 * kCount, 4);
  for (const float value : noise) {
    bytes +=
        little_endian(static_cast<std::uint32_t>(static_cast<std::int32_t>(8000.0f * value)), 2);
  }
  return bytes;
}

}  // namespace

LogMelWork::LogMelWork(From from, int workers) : workers_(workers) {
  if (from == From::kSamples) {
    samples_ = random_numbers(kSeconds * kRate, 5);
  } else {
    file_ = (std::filesystem::temp_directory_path() / fmt::format("heed-bench-{}.wav", getpid()))
                .string();
    write_file(file_, noise_file());
  }
}

LogMelWork::~LogMelWork() {
  std::error_code ignored;
  if (!file_.empty()) std::filesystem::remove(file_, ignored);
}

void LogMelWork::run(Workers& workers) const {
  workers.run([&](int) {
    const LogMelSettings settings{.rate = static_cast<double>(kRate)};
    if (!file_.empty()) {
      log_mel({.file = file_}, settings);
      return;
    }
    LogMel features(settings);
    std::vector<float> frames;
    for (std::size_t begin = 0; begin < samples_.size(); begin += kBlock) {
      const std::span<const float> all(samples_);
      features.push(all.subspan(begin, std::min(kBlock, samples_.size() - begin)), frames);
    }
    features.finish(frames);
  });
}

double LogMelWork::sound_seconds() const { return static_cast<double>(kSeconds * workers_); }

double LogMelWork::frames() const { return sound_seconds() / LogMelSettings{}.hop_seconds(); }

}  // namespace heed::cli
