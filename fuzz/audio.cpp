#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "fuzz/fuzz.h"
#include "heed/data/audio/log_mel.h"

namespace heed {
namespace {

// A file for as long as the program runs.
class SoundFolder {
 public:
  SoundFolder()
      : folder_(std::filesystem::temp_directory_path() /
                ("heed_fuzz_audio_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~SoundFolder() {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }

  std::string write(const std::string& bytes) const {
    const std::string path = (folder_ / "input.wav").string();
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    return path;
  }

 private:
  std::filesystem::path folder_;
};

// A WAV file of so many channels, then samples that are its own bytes.
std::string wave(char channels, char bits) {
  std::string bytes("RIFF\x64\x04\0\0WAVEfmt \x10\0\0\0\x01\0", 22);
  bytes += {channels, '\0'};
  bytes += std::string("\x40\x1f\0\0\x80\x3e\0\0", 8);
  bytes += {static_cast<char>(channels * bits / 8), '\0', bits, '\0'};
  bytes += std::string("data\x40\x04\0\0", 8);
  while (bytes.size() < 44 + 1088) bytes += static_cast<char>(bytes.size() * 37);
  return bytes;
}

}  // namespace

std::span<const std::string_view> fuzz::seeds() {
  static const std::string kMono = wave(1, 16), kStereo = wave(2, 8);
  static const std::string_view kSeeds[] = {kMono, kStereo,
                                            std::string_view("fLaC\0\0\0\x22\x10\0\x10\0", 12),
                                            std::string_view("OggS\0\x02\0\0\0\0\0\0\0\0", 14)};
  return kSeeds;
}

}  // namespace heed

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  static const SoundFolder folder;
  return fuzz::run(data, size, [](const std::string& bytes) {
    constexpr Index kMost = 1000;
    const LogMelSettings settings;
    const Recording recording{.file = folder.write(bytes)};
    const std::vector<float> frames = log_mel(recording, settings, kMost);
    fuzz::require(std::ssize(frames) <= kMost * settings.bands, "no more frames than asked for");
    for (const float value : frames) fuzz::require(std::isfinite(value), "features are finite");
  });
}
