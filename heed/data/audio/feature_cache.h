#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/data/audio/log_mel.h"

namespace heed {

// Features on disk, so that they are computed once: a file for each recording, named by a hash of
// the recording's bytes, the part of it and the settings, in $XDG_CACHE_HOME/heed/features (or
// ~/.cache/heed/features). An hour of sound takes about 58 MB with 40 bands and a hop of 10 ms. The
// folder may be deleted at any time.
//
// An entry is written beside its name and renamed; one that is damaged is as if it were not there.
// Where nothing can be written, features are computed again. Safe from several threads and
// programs.
class FeatureCache {
 public:
  // Where HOME and XDG_CACHE_HOME are not set, nothing is kept.
  static FeatureCache& instance();
  explicit FeatureCache(std::string folder) : folder_(std::move(folder)) {}

  // As log_mel(). Recordings in memory are not kept. With `store` false entries are read, and none
  // is written.
  std::vector<float> features(const Recording& recording, const LogMelSettings& settings,
                              Index most, bool store) const;

 private:
  std::string entry(const Recording& recording, const LogMelSettings& settings, Index most) const;

  std::string folder_;
};

}  // namespace heed
