#pragma once

#include "heed/model/json_options.h"
#include "heed/model/output.h"
#include "heed/train/optimizer.h"
#include "heed/train/schedule.h"
#include "heed/train/step.h"

// The options of training by name, in config.json and on the command line.
namespace heed {

template <>
struct Names<ScoreForm> {
  static constexpr Name<ScoreForm> kTable[] = {{ScoreForm::kPercent, "percent"},
                                               {ScoreForm::kHundred, "hundred"},
                                               {ScoreForm::kErrors, "errors"},
                                               {ScoreForm::kInverse, "inverse"}};
};

template <>
struct Names<Schedule> {
  static constexpr Name<Schedule> kTable[] = {
      {Schedule::kConstant, "constant"},
      {Schedule::kCosine, "cosine"},
      {Schedule::kLinear, "linear"},
      {Schedule::kInverseSquareRoot, "inverse-square-root"}};
};

// For JsonReader and JsonWriter.
template <class Archive>
void describe(Archive& archive, AdamWOptions& options);
template <class Archive>
void describe(Archive& archive, SgdOptions& options);
template <class Archive>
void describe(Archive& archive, ScheduleOptions& options);
template <class Archive>
void describe(Archive& archive, StepOptions& options);

}  // namespace heed
