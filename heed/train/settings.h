#pragma once

#include <string>
#include <vector>

#include "heed/model/config.h"
#include "heed/train/trainer.h"

namespace heed {

// All that can be set by name: the options of config.json, and those of training below "training".
struct Settings {
  Config config;
  TrainingOptions training;
};

// "body.layers=4". Each value is checked by itself, as its neighbours may still change; what is
// wrong is a UsageError that begins with `said`.
void apply_setting(const std::string& setting, Settings& settings);
void apply_setting(const std::string& said, const std::string& path, const std::string& value,
                   Settings& settings);

// Whether everything fits together; a UsageError where not.
void check_settings(const Settings& settings);

}  // namespace heed
