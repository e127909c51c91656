#include "heed/model/plan.h"

namespace heed {

void Plan::add(std::string name, const Shape& out, Details details) {
  steps_.push_back({layer_, std::move(name), shape_, out, 0, details.flops, details.note});
  scopes_.push_back(details.scope.empty() ? part_ : part_ + "." + details.scope);
  shape_ = out;
}

PlanStep& Plan::owner(std::string_view parameter) {
  std::size_t best = 0, longest = 0;
  for (std::size_t i = 0; i < scopes_.size(); ++i) {
    const std::string& scope = scopes_[i];
    if (scope.size() > longest && parameter.starts_with(scope + ".")) {
      best = i;
      longest = scope.size();
    }
  }
  return steps_[best];
}

}  // namespace heed
