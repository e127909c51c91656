#include "heed/model/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "heed/base/display.h"
#include "heed/model/model.h"

namespace heed {
namespace {

// Networks that are alike are one plan that is gone through several times; else one after the
// other, and one answer for all.
Description join(std::vector<Plan> plans, const Model& model) {
  const bool alike = plans.size() == 1;
  const Index networks = model.config().ensemble.size;
  Description all;
  all.content = model.config().input->content();
  all.length = plans.front().rows();
  for (const Parameter& parameter : model.parameters()) {
    const auto [network, name] = in_network(parameter.name);
    const Index count = parameter.value.count();
    plans[alike ? 0 : static_cast<std::size_t>(network)].owner(name).parameters += count;
    all.parameters += count;
    if (parameter.rule.sparse) all.embedding_parameters += count;
  }
  PlanStep answer;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    std::vector<PlanStep>& steps = plans[i].steps();
    answer = std::move(steps.back());
    steps.pop_back();
    for (PlanStep& step : steps) {
      if (alike) {
        step.flops *= static_cast<double>(networks);
      } else {
        step.layer =
            fmt::format("network {}{}{}", i + 1, step.layer.empty() ? "" : ", ", step.layer);
      }
      all.flops += step.flops;
      all.steps.push_back(std::move(step));
    }
  }
  if (networks > 1) {
    answer.note += fmt::format(", by the mean of {} networks{}", with_commas(networks),
                               alike ? " like this" : "");
  }
  all.steps.push_back(std::move(answer));
  return all;
}

// The smaller of two limits, 0 being none.
Index smaller(Index a, Index b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

}  // namespace

Index longest_length(const Config& config) {
  Index longest = config.input->longest();
  for (Index i = 0; i < config.ensemble.size; ++i) {
    const Body& body = *config.body_of(i);
    longest = smaller(longest, smaller(body.longest(), body.segment()));
  }
  return longest;
}

Description describe_model(const Config& config, Index length) {
  const Index longest = longest_length(config);
  if (length < 0 || (longest > 0 && length > longest)) {
    throw UsageError(fmt::format("an example of {} rows: the model reads from 1 to {} at a time",
                                 with_commas(length), with_commas(longest)));
  }
  Config whole = config;
  if (whole.output->classes() == 0) whole.output->assume_classes();
  if (length == 0) length = smaller(128, longest);
  const Model model(std::move(whole), Parameters::Values::kLater);
  std::vector<Plan> plans;
  for (Index i = 0; i <= std::ssize(config.ensemble.bodies); ++i) {
    plans.push_back(model.plan(i, length));
  }
  return join(std::move(plans), model);
}

std::string short_count(double count) {
  constexpr std::array<const char*, 6> kUnits = {"", " k", " M", " G", " T", " P"};
  std::size_t unit = 0;
  while (count >= 999.5 && unit + 1 < kUnits.size()) {
    count /= 1000.0;
    ++unit;
  }
  if (unit == 0) return fmt::format("{:.0f}", count);
  const int digits = count < 9.995 ? 2 : count < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}{}", count, digits, kUnits[unit]);
}

}  // namespace heed
