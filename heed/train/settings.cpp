#include "heed/train/settings.h"

#include <algorithm>

#include "heed/train/run_json.h"

namespace heed {

template <class Archive>
void describe(Archive& archive, Settings& settings) {
  archive.field("training", settings.training);
  describe(archive, settings.config);
}

void apply_setting(const std::string& said, const std::string& path, const std::string& value,
                   Settings& settings) {
  try {
    from_json(option_json(path, value), said, settings, Checks::kEachValue);
  } catch (const FormatError& error) {
    throw UsageError(error.what());
  }
}

void apply_setting(const std::string& setting, Settings& settings) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError("--set " + setting + ": expected NAME=VALUE, such as body.layers=4");
  }
  apply_setting("--set", setting.substr(0, equals), setting.substr(equals + 1), settings);
}

void check_settings(const Settings& settings) {
  try {
    Settings checked;
    from_json(to_json(settings), "", checked);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

}  // namespace heed
