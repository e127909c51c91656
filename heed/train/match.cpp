#include "heed/train/match.h"

#include <optional>
#include <string>

#include "heed/base/error.h"
#include "heed/train/settings.h"

namespace heed {
namespace {

// The config with an option of its body set; nothing where the body has none of this name.
std::optional<Config> with_option(const Config& config, const std::string& path, Index value) {
  Settings settings{config, {}};
  try {
    apply_setting("", path, std::to_string(value), settings);
  } catch (const UsageError&) {
    return {};
  }
  return settings.config;
}

// As many layers as it has, or where even the smallest hidden width makes that too large, as many
// as fit, at least one.
Config with_fewer_layers(const Config& config, const std::string& path, Index target) {
  const auto fits = [&](const Config& candidate) {
    return body_parameters(*with_option(candidate, path, 1)) <= target;
  };
  const std::optional<Config> one = with_option(config, "body.layers", 1);
  if (fits(config) || !one) return config;
  Config most = *one;
  for (Index layers = 2;; ++layers) {
    const Config more = *with_option(config, "body.layers", layers);
    if (!fits(more)) return most;
    most = more;
  }
}

// The hidden width with which the body comes nearest to the target. Parameters grow with it.
Config nearest(const Config& config, const std::string& path, Index target) {
  const auto at = [&](Index hidden) { return *with_option(config, path, hidden); };
  Index low = 1, high = 2;  // one that is not too large, if any; one that is
  while (body_parameters(at(high)) <= target && high < 65536) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const Index middle = low + (high - low) / 2;
    (body_parameters(at(middle)) <= target ? low : high) = middle;
  }
  const Config below = at(low), above = at(high);
  return target - body_parameters(below) <= body_parameters(above) - target ? below : above;
}

}  // namespace

Index body_parameters(const Config& config) {
  Parameters parameters(1, Parameters::Values::kLater);
  config.body->network(Scope(parameters), config.width);
  return parameters.size();
}

Index match_parameters(Config& config, Index target) {
  for (const char* path : {"body.hidden", "body.feed_forward.hidden"}) {
    if (!with_option(config, path, 1)) continue;
    config = with_fewer_layers(config, path, target);
    config = nearest(config, path, target);
    break;
  }
  return body_parameters(config);
}

}  // namespace heed
