#pragma once

#include <functional>
#include <string>

#include "heed/data/dataset.h"
#include "heed/train/trainer.h"

namespace heed {

// The network that a time limit allows, found by trying: a few training steps of each candidate on
// some of the examples say how long an epoch takes on this machine. The time to prepare examples
// and to learn the wide part is found in the same way.
//
// The network of the config is kept if enough epochs of it fit. Otherwise it is the first of
// smaller ones of which enough do: narrower, then with a smaller character CNN, then without
// R-Drop, then half as wide, then with the preset tiny. Measuring takes at most about a twentieth
// of the time.
struct TimePlan {
  Config config;
  double epochs = 0.0;  // that fit into the time
  std::string note;     // what was chosen, and what more time would allow
};
// `config` has learned from the data; `limit` is what is left of the time, in seconds.
TimePlan plan_for_time(const Config& config, const Dataset& train, const TrainingOptions& training,
                       double limit);

// The rule by which that network is chosen. Sizes are asked for one after another, each of which is
// quicker than the one before: the first of which enough epochs fit is taken, or else the last.
// Four are enough, or a share of those that the amount of data asks for where that is more; all
// that it asks for are always enough.
struct EpochsThatFit {
  double count = 0.0;
  double wanted = 0.0;  // by the amount of data; that of the first size counts
};
struct SizeFound {
  std::size_t index = 0;
  double epochs = 0.0;
};
SizeFound first_with_enough_epochs(std::size_t count, double share,
                                   const std::function<EpochsThatFit(std::size_t)>& epochs_of);

// How many of the examples can be prepared and read once by the quickest network in the time that
// is left, by trying a few. Asked before anything has learned from the data: of a lot of data that
// alone may take longer than there is.
Index examples_for_time(const Config& config, const Dataset& train, const TrainingOptions& training,
                        double limit);

}  // namespace heed
