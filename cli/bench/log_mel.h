#pragma once

#include <string>
#include <vector>

#include "heed/base/workers.h"

namespace heed::cli {

// Log-mel features of a minute of noise for each worker: from samples in memory at 16 kHz, or from
// a file of 44.1 kHz in stereo, which is read, mixed into one channel and resampled first.
class LogMelWork {
 public:
  enum class From { kSamples, kFile };
  LogMelWork(From from, int workers);
  ~LogMelWork();
  LogMelWork(const LogMelWork&) = delete;
  LogMelWork& operator=(const LogMelWork&) = delete;

  void run(Workers& workers) const;

  // Of the sound that all workers together make features of.
  double sound_seconds() const;
  double frames() const;

 private:
  int workers_;
  std::vector<float> samples_;
  std::string file_;  // empty where samples are taken
};

}  // namespace heed::cli
