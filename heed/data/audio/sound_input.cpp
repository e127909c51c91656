#include "heed/data/audio/sound_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"

namespace heed {

bool SoundInput::next(Record& record) {
  if (ended_) return false;
  if (!reader_) reader_.emplace(AudioReader::standard_input(raw_rate_));
  const double rate = reader_->rate();
  const auto most =
      static_cast<std::size_t>(std::llround(rate * (window_ > 0.0 ? window_ : kMostSeconds)));
  auto sound = std::make_shared<Waveform>();
  sound->rate = rate;
  sound->samples = std::move(left_);
  left_.clear();
  while (sound->samples.size() < most && !ended_) {
    const std::span<const float> block = reader_->read();
    ended_ = block.empty();
    sound->samples.insert(sound->samples.end(), block.begin(), block.end());
  }
  if (sound->samples.size() > most) {
    if (window_ == 0.0) {
      throw FormatError(fmt::format(
          "standard input: more than {} seconds of sound in one recording; --window 10 answers for "
          "each ten seconds",
          kMostSeconds));
    }
    left_.assign(sound->samples.begin() + static_cast<Index>(most), sound->samples.end());
    sound->samples.resize(most);
  }
  if (sound->samples.empty()) {
    if (windows_ == 0) throw FormatError("standard input: has no samples");
    return false;
  }
  ++windows_;
  record = make_record(Recording{.sound = std::move(sound)});
  record.place = {std::make_shared<const std::string>("-"), 0};
  return true;
}

}  // namespace heed
