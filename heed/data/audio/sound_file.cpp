#include "heed/data/audio/sound_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr int kSlowest = 100, kFastest = 1'000'000;  // samples in a second
constexpr Index kMostFrames = Index{1} << 40;        // more is no header that tells the truth

// What libsndfile wrote down while it read the header.
std::string log_of(SNDFILE* file) {
  std::array<char, 4096> text{};
  sf_command(file, SFC_GET_LOG_INFO, text.data(), static_cast<int>(text.size()));
  text.back() = '\0';
  return text.data();
}

// A WAV file whose data is shorter than its header says has a line "data : 8000 (should be 44)".
// Sizes of 0, and those near 2³¹ and 2³², are of programs that write into pipes.
bool is_cut_short(const std::string& log) {
  std::size_t at = log.find("data : ");
  if (at == std::string::npos) return false;
  const std::string line = log.substr(at, log.find('\n', at) - at);
  const std::size_t should = line.find("(should be ");
  if (should == std::string::npos) return false;
  const unsigned long long said = std::strtoull(line.c_str() + 7, nullptr, 0);
  const unsigned long long is = std::strtoull(line.c_str() + should + 11, nullptr, 0);
  return said > is && said < 0x7FFF0000ULL;
}

}  // namespace

SoundFile::SoundFile(const std::string& path) : name_(path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw IoError(path + ": cannot read: " + std::strerror(ENOENT));
  }
  if (std::filesystem::is_directory(status)) throw IoError(path + ": is a folder");
  if (std::filesystem::is_regular_file(status) && std::filesystem::file_size(path, error) == 0) {
    throw FormatError(path + ": is empty, expected a recording");
  }
  if (access(path.c_str(), R_OK) != 0) {
    throw IoError(path + ": cannot read: " + std::strerror(errno));
  }
  file_.reset(sf_open(path.c_str(), SFM_READ, &info_));
  check();
}

SoundFile::SoundFile(double raw_rate) : name_("standard input") {
  if (raw_rate > 0.0) {
    info_.samplerate = static_cast<int>(raw_rate);
    info_.channels = 1;
    info_.format = SF_FORMAT_RAW | SF_FORMAT_PCM_16 | SF_ENDIAN_LITTLE;
  }
  file_.reset(sf_open_fd(STDIN_FILENO, SFM_READ, &info_, 0));
  if (file_ == nullptr && raw_rate == 0.0) {
    throw FormatError(fmt::format(
        "{}: is no WAV file ({}); for raw samples (16 bits, little-endian, one channel) say "
        "--raw-rate 16000",
        name_, sf_strerror(nullptr)));
  }
  check();
}

void SoundFile::refuse() const {
  std::string_view why = sf_strerror(file_.get());
  while (why.ends_with('.')) why.remove_suffix(1);
  throw FormatError(fmt::format("{}: is not a recording that can be read: {}", name_, why));
}

void SoundFile::check() {
  if (file_ == nullptr) refuse();
  if (info_.samplerate < kSlowest || info_.samplerate > kFastest) {
    throw FormatError(fmt::format("{}: {} samples in a second, expected {} to {}", name_,
                                  info_.samplerate, kSlowest, kFastest));
  }
  if (info_.channels < 1) throw FormatError(name_ + ": has no channels");
  frames_ = info_.frames > 0 && info_.frames < kMostFrames ? info_.frames : 0;
  if (info_.frames == 0 && info_.seekable != 0) {
    throw FormatError(name_ + ": has no samples");
  }
  if (info_.seekable != 0 && is_cut_short(log_of(file_.get()))) {
    throw FormatError(name_ + ": is cut short: it has fewer samples than its header says");
  }
}

void SoundFile::seek(Index frame) {
  if (sf_seek(file_.get(), frame, SEEK_SET) != frame) refuse();
  read_ = frame;
}

Index SoundFile::read(float* samples, Index frames) {
  const Index count = sf_readf_float(file_.get(), samples, frames);
  read_ += count;
  if (count < frames && frames_ > 0 && read_ < frames_ && info_.seekable != 0) {
    // Decoders of MP3 and Ogg may count a little more than they give.
    const bool exact = (info_.format & SF_FORMAT_TYPEMASK) != SF_FORMAT_OGG &&
                       (info_.format & SF_FORMAT_TYPEMASK) != SF_FORMAT_MPEG;
    if (exact || 10 * read_ < 9 * frames_) {
      throw FormatError(fmt::format("{}: is cut short or damaged: {} of {} samples can be read",
                                    name_, read_, frames_));
    }
  }
  if (count == 0 && sf_error(file_.get()) != SF_ERR_NO_ERROR) refuse();
  return count;
}

}  // namespace heed
