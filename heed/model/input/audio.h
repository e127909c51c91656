#pragma once

#include <memory>

#include "heed/model/input.h"
#include "heed/model/input/audio_options.h"

namespace heed {

// Recordings as log-mel features (data/audio/log_mel.h), a vector for each frame or for each few of
// them. It learns the rate and the mean and deviation of each band.
//
// Of a recording the first `truncation` frames are read; without a limit there may be kMostFrames.
class AudioInput : public PartOf<AudioInput, Input, AudioOptions> {
 public:
  static constexpr Index kMostFrames = 1'000'000;  // 160 MB with 40 bands

  ContentKind content() const override { return ContentKind::kAudio; }
  bool reads(const Content& content) const override {
    return std::holds_alternative<Recording>(content);
  }
  void check(const Record& record) const override;
  void align(Record& record) const override;
  void fit(const Dataset& train) override;
  void prepare(const Content& content, Batch& batch) const override;
  Rows vary(Batch& batch, Random& random) const override;
  float mixup() const override { return options_.augment.mixup; }
  void mix(Batch& batch, const Batch& other, float share) const override;
  Index varied_length(Index rows) const override;
  double row_seconds() const override;
  std::string summary() const override;
  std::string row_problem() const override;
  Index longest() const override { return rows_of(options_.truncation); }
  void set_dropout(float rate) override { options_.dropout = rate; }
  void apply(const SizePreset& size) override { options_.dropout = size.dropout; }

  std::unique_ptr<InputNetwork> network(const Scope& scope, Index width) const override;

 private:
  Index rows_of(Index frames) const { return (frames + options_.stride - 1) / options_.stride; }
  std::vector<float> features(const Recording& recording) const;
  void fit_rate(const Dataset& train);
  void fit_norm(const Dataset& train);

  bool keeps_ = false;  // features that it computes are for training, and kept on disk
};

}  // namespace heed
