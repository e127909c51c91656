#include "heed/model/model.h"

#include <algorithm>
#include <charconv>

#include "heed/grad/linear.h"

namespace heed {
namespace {

constexpr std::string_view kMembers = "members";

// The mean of what members say of one row, the most likely first.
std::vector<Answer> mean_answers(std::span<const std::vector<Answer>* const> opinions, Index top) {
  std::vector<Answer> answers(opinions.front()->size());
  for (const std::vector<Answer>* opinion : opinions) {
    for (const Answer& answer : *opinion) {
      Answer& mean = answers[static_cast<std::size_t>(answer.index)];
      mean.index = answer.index;
      mean.probability += answer.probability / static_cast<float>(opinions.size());
    }
  }
  std::stable_sort(answers.begin(), answers.end(),
                   [](const Answer& a, const Answer& b) { return a.probability > b.probability; });
  answers.resize(std::min(answers.size(), static_cast<std::size_t>(std::max<Index>(top, 1))));
  return answers;
}

}  // namespace

Config member_config(const Config& config, Index member) {
  Config alone = config;
  alone.members = 1;
  alone.body.others.clear();
  if (member > 0 && !config.body.others.empty()) {
    alone.body.kind = config.body.others[static_cast<std::size_t>(member - 1)];
  }
  return alone;
}

Model::Model(Config config, Parameters::Values values)
    : config_(std::move(config)),
      // Only when all are there is it known whether the machine can hold them.
      parameters_(std::make_unique<Parameters>(config_.seed, Parameters::Values::kLater)) {
  const Scope whole(*parameters_);
  for (Index i = 0; i < config_.members; ++i) {
    const Scope scope = config_.members == 1 ? whole : whole / kMembers / i;
    const Config member = member_config(config_, i);
    members_.push_back({make_input(member, scope / "input"), make_body(member, scope / "body"),
                        make_output(member, scope / "output", whole / "output")});
  }
  if (values == Parameters::Values::kAtOnce) parameters_->fill();
}

std::vector<const Parameter*> Model::in_each_member(std::string_view name) const {
  std::vector<const Parameter*> found;
  for (const Parameter& parameter : *parameters_) {
    if (in_member(parameter.name).second == name) found.push_back(&parameter);
  }
  return found;
}

Var Model::loss(Context& context, const BatchPart& part) const {
  if (part.sequences() == 0) return {};
  const float share = 1.0f / static_cast<float>(members_.size());
  Var mean;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Var loss = members_[i].output->loss(context, members_[i](context, part), part);
    mean = i == 0 ? loss : grad::add(context, mean, loss, i == 1 ? share : 1.0f, share);
  }
  return mean;
}

std::vector<Prediction> Model::predict(Context& context, const BatchPart& part, Index top) const {
  if (part.sequences() == 0) return {};
  const bool alone = members_.size() == 1;
  const auto all = static_cast<Index>(config_.output.names.size());
  std::vector<std::vector<Prediction>> each;
  for (const Member& member : members_) {
    each.push_back(member.output->predict(context, member(context, part), part, alone ? top : all));
  }
  if (alone) return std::move(each.front());
  std::vector<Prediction> joined(each.front().size());
  std::vector<const std::vector<Answer>*> opinions(each.size());
  for (std::size_t s = 0; s < joined.size(); ++s) {
    for (std::size_t row = 0; row < each.front()[s].answers.size(); ++row) {
      for (std::size_t i = 0; i < each.size(); ++i) opinions[i] = &each[i][s].answers[row];
      joined[s].answers.push_back(mean_answers(opinions, top));
    }
  }
  return joined;
}

std::pair<Index, std::string_view> in_member(std::string_view name) {
  if (!name.starts_with(kMembers) || name.substr(kMembers.size(), 1) != ".") return {0, name};
  name.remove_prefix(kMembers.size() + 1);
  const std::size_t dot = name.find('.');
  Index member = 0;
  std::from_chars(name.data(), name.data() + dot, member);
  return {member, name.substr(dot + 1)};
}

}  // namespace heed
