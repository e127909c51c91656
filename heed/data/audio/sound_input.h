#pragma once

#include <optional>

#include "heed/data/audio/audio_reader.h"
#include "heed/data/record_source.h"

namespace heed {

// Sound that comes on standard input, a WAV file or raw samples: one record, or one for each window
// of so many seconds, as soon as it is there. More than kMostSeconds in a record is a FormatError.
class SoundInput : public RecordSource {
 public:
  static constexpr double kMostSeconds = 3600.0;

  SoundInput(double raw_rate, double window) : raw_rate_(raw_rate), window_(window) {}

  bool next(Record& record) override;
  // The next window is still to be spoken.
  bool ready() override { return ended_; }

 private:
  double raw_rate_, window_;
  std::optional<AudioReader> reader_;
  std::vector<float> left_;  // of the block that the last window ended in
  Index windows_ = 0;
  bool ended_ = false;
};

}  // namespace heed
