#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/data/record.h"

namespace heed {

// Sound from a file (WAV, FLAC, OGG, MP3 and what else libsndfile reads) or from memory, block by
// block and with flat memory: channels are mixed into one, and samples come at the rate that is
// asked for.
//
// What is no sound, has no samples, ends before its header says or has a rate that no recording has
// is a FormatError that names the file; what the operating system refuses is an IoError.
class AudioReader {
 public:
  // The recording, or the part of it that `recording` says. A rate of 0 is its own.
  explicit AudioReader(const Recording& recording, double rate = 0.0);
  // Standard input: a WAV file, or raw samples (16 bits, little-endian, one channel) at `raw_rate`.
  static AudioReader standard_input(double raw_rate);
  AudioReader(AudioReader&&) noexcept;
  ~AudioReader();

  // Of what comes out.
  double rate() const;
  // Of the recording (or part), by its header, in seconds; 0 where nobody knows.
  double seconds() const;

  // The next samples, valid until the next call; none at the end.
  std::span<const float> read();
  // At most so many from now on.
  std::vector<float> read_all(Index most);

 private:
  struct State;
  explicit AudioReader(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace heed
