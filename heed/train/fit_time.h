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

// The rule by which that network is chosen. Measures sizes in order, each faster than the one
// before; returns the first for which enough epochs fit, else the last. Enough are min(wanted,
// max(4, timed_share · wanted)), with what the first size wants.
struct EpochsThatFit {
  double count = 0.0;
  double wanted = 0.0;  // by the amount of data
};
struct SizeFound {
  std::size_t index = 0;
  double epochs = 0.0;  // that fit
  double wanted = 0.0;
};
SizeFound first_with_enough_epochs(std::size_t count, const ReadingPace& pace,
                                   const std::function<EpochsThatFit(std::size_t)>& measure);

// How many of the examples can be prepared and read once by the quickest network in the time that
// is left, by trying a few. Asked before anything has learned from the data: of a lot of data that
// alone may take longer than there is.
Index examples_for_time(const Config& config, const Dataset& train, const TrainingOptions& training,
                        double limit);

}  // namespace heed
