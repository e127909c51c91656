#pragma once

#include <memory>
#include <span>
#include <vector>

#include "heed/data/record.h"

namespace heed {

// Log-mel features as torchaudio defines them: the natural logarithm of
//
//   torchaudio.transforms.MelSpectrogram(sample_rate=rate, n_fft=N, win_length=window · rate,
//                                        hop_length=hop · rate, n_mels=bands)
//
// clamped to at least kFloor; all else is torchaudio's default: a periodic Hann window in the
// middle of N samples, half of N reflected at both ends (center), power 2, HTK's mel scale from 0
// to rate / 2, triangles that are not normalised. N is the smallest power of two that holds the
// window.
struct LogMelSettings {
  double rate = 16000.0;
  double window = 0.025, hop = 0.010;  // seconds
  Index bands = 40;

  Index window_samples() const;
  Index hop_samples() const;
  Index transform() const;  // N
  // From one frame to the next, after rounding to samples.
  double hop_seconds() const { return static_cast<double>(hop_samples()) / rate; }
};

class LogMel {
 public:
  static constexpr float kFloor = 1e-8f;

  explicit LogMel(const LogMelSettings& settings);
  ~LogMel();

  // Appends the frames, `bands` numbers each, that one more block of samples completes.
  void push(std::span<const float> samples, std::vector<float>& frames);
  // Appends the last ones. There are 1 + ⌊samples / hop⌋ in all; a recording too short to be
  // reflected goes on with silence.
  void finish(std::vector<float>& frames);

 private:
  struct Transform;
  struct Band {
    Index first = 0;             // bin
    std::vector<float> weights;  // of this bin and those after it
  };
  void make_bands(const LogMelSettings& settings);
  void begin();
  void take_frames(std::vector<float>& frames);
  void add_frame(const float* samples, std::vector<float>& frames);

  Index size_, hop_;
  std::vector<float> window_;  // (size), zeros around the window itself
  std::vector<Band> bands_;
  std::unique_ptr<Transform> transform_;
  std::vector<float> samples_;  // from the first that the next frame needs
  std::size_t used_ = 0;        // of these, no longer needed
  bool begun_ = false;          // the reflection is before the first sample
};

// The features of a recording, (frames, bands), at most the first `most` frames; 0: all.
std::vector<float> log_mel(const Recording& recording, const LogMelSettings& settings,
                           Index most = 0);

}  // namespace heed
