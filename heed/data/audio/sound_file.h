#pragma once

#include <sndfile.h>

#include <memory>
#include <string>

#include "heed/tensor/shape.h"

namespace heed {

// An open file of sound. Mistakes are Errors that name it.
class SoundFile {
 public:
  explicit SoundFile(const std::string& path);
  // Standard input; a raw rate of 0 is a WAV file.
  explicit SoundFile(double raw_rate);

  Index channels() const { return info_.channels; }
  double rate() const { return info_.samplerate; }
  // By its header; 0 where nobody knows.
  Index frames() const { return frames_; }
  const std::string& name() const { return name_; }

  void seek(Index frame);
  // Frames of all channels, interleaved; fewer than asked for at the end. A file that ends before
  // its header says is a FormatError.
  Index read(float* samples, Index frames);

 private:
  struct Close {
    void operator()(SNDFILE* file) const { sf_close(file); }
  };
  void check();
  // Why libsndfile refused.
  [[noreturn]] void refuse() const;

  std::string name_;
  SF_INFO info_{};
  std::unique_ptr<SNDFILE, Close> file_;
  Index frames_ = 0, read_ = 0;
};

}  // namespace heed
