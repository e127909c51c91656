#include "heed/eval/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "heed/base/display.h"
#include "heed/eval/score.h"

namespace heed {
namespace {

constexpr std::size_t kGroups = 15;
constexpr double kLeast = 1e-12;  // a probability of 0 is one that a float could not hold
constexpr std::array<double, 6> kThresholds = {0.5, 0.7, 0.8, 0.9, 0.95, 0.99};

}  // namespace

void CalibrationSums::add(bool right, double probability, double truth, bool known) {
  given_.push_back({static_cast<float>(probability), right});
  if (known) {
    log_loss_ -= std::log(std::max(truth, kLeast));
  } else {
    ++unknown_;
  }
}

Calibration CalibrationSums::result() const {
  Calibration result;
  result.answers = count();
  result.unknown = unknown_;
  const Index known = count() - unknown_;
  if (known > 0) result.log_loss = log_loss_ / static_cast<double>(known);
  struct Group {
    double right = 0.0, probability = 0.0;
  };
  std::array<Group, kGroups> groups{};
  for (const Given& given : given_) {
    const auto place = static_cast<std::size_t>(given.probability * static_cast<float>(kGroups));
    Group& group = groups[std::min(place, kGroups - 1)];
    group.right += given.right ? 1.0 : 0.0;
    group.probability += static_cast<double>(given.probability);
  }
  for (const Group& group : groups) result.error += std::abs(group.right - group.probability);
  if (count() > 0) result.error /= static_cast<double>(count());
  for (const double least : kThresholds) {
    Calibration::Threshold threshold{least, 0, 0};
    for (const Given& given : given_) {
      if (static_cast<double>(given.probability) < least) continue;
      ++threshold.answered;
      threshold.right += given.right ? 1 : 0;
    }
    result.thresholds.push_back(threshold);
  }
  return result;
}

std::string report(const Calibration& calibration) {
  if (calibration.answers == 0) return {};
  std::string text = fmt::format("\ncalibration error {:.2f} % (15 groups), log loss {:.4f}",
                                 100.0 * calibration.error, calibration.log_loss);
  if (calibration.unknown > 0) {
    text += fmt::format(" (without {} whose label training never saw)",
                        with_commas(calibration.unknown));
  }
  text += "\nprobability of at least   answered      right\n";
  for (const Calibration::Threshold& threshold : calibration.thresholds) {
    const auto percent = [](Index part, Index whole) {
      return whole == 0 ? std::string("–")
                        : fmt::format("{:.2f} %", 100.0 * ClassScore::share(part, whole));
    };
    text += fmt::format("{:>23}  {}  {}\n", fmt::format("{:.2f}", threshold.probability),
                        pad_left(percent(threshold.answered, calibration.answers), 9),
                        pad_left(percent(threshold.right, threshold.answered), 9));
  }
  return text;
}

void write_json(const JsonPlace& place, const Calibration& calibration) {
  if (calibration.answers == 0) return;
  place["calibration_error"].set(calibration.error);
  place["log_loss"].set(calibration.log_loss);
  place["unseen_answers"].set(calibration.unknown);
  const JsonPlace list = place["thresholds"];
  list.set_list();
  for (const Calibration::Threshold& threshold : calibration.thresholds) {
    const JsonPlace one = list.append();
    one["probability"].set(threshold.probability);
    one["answered"].set(threshold.answered);
    one["right"].set(threshold.right);
  }
}

}  // namespace heed
