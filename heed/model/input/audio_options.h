#pragma once

#include <vector>

#include "heed/data/audio/log_mel.h"
#include "heed/model/json_options.h"

namespace heed {

// What is subtracted from the features of a recording, and by what they are divided, band by band.
enum class AudioNorm {
  kNone,
  kCorpus,     // mean and standard deviation of all training recordings
  kRecording,  // the recording's own mean; the deviation of all, once each has its mean taken off
};

// How frames become rows.
enum class Prenet {
  kLinear,       // `stride` neighbouring frames, one behind the other, through a linear layer
  kConvolution,  // convolutions over three frames, each but the first halving their number
};

// What is changed at random each time that a recording is learned from.
struct AudioAugmentOptions {
  // SpecAugment (Park et al. 2019): stretches of time and of bands are set to their mean, each of a
  // random length up to what is said, of time as a part of the segment.
  Index time_masks = 0;
  float time_width = 0.1f;
  Index band_masks = 0;
  Index band_width = 6;
  float gain = 0.0f;   // decibels by which it is made louder or softer, at most
  float speed = 0.0f;  // the part by which it is played faster or slower, at most; pitch goes along
  float mixup = 0.0f;  // features are mixed in pairs, by shares of Beta(mixup, mixup)
};

struct AudioOptions {
  double rate = 0.0;  // samples in a second; 0: 8,000 where all recordings have no more, or 16,000
  Index bands = 40;
  double window = 0.025, hop = 0.010;  // seconds
  Index truncation = 6000;             // frames of a recording that are read; 0: all
  Index segment = 128;                 // frames, from anywhere, to learn from at a time; 0: all
  AudioNorm norm = AudioNorm::kCorpus;
  Prenet prenet = Prenet::kLinear;
  Index stride = 1;  // frames of a row
  AudioAugmentOptions augment{};
  bool cache = true;                       // features are kept on disk: FeatureCache
  float dropout = 0.1f;                    // on the vectors
  std::vector<float> mean{}, deviation{};  // of each band, once they are learned

  LogMelSettings settings() const {
    return {.rate = rate > 0.0 ? rate : 16000.0, .window = window, .hop = hop, .bands = bands};
  }
};

template <>
struct Names<AudioNorm> {
  static constexpr Name<AudioNorm> kTable[] = {{AudioNorm::kNone, "none"},
                                               {AudioNorm::kCorpus, "corpus"},
                                               {AudioNorm::kRecording, "recording"}};
};
template <>
struct Names<Prenet> {
  static constexpr Name<Prenet> kTable[] = {{Prenet::kLinear, "linear"},
                                            {Prenet::kConvolution, "convolution"}};
};
template <class Archive>
void describe(Archive& archive, AudioOptions& options);

}  // namespace heed
