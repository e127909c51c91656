#include "heed/nn/crf.h"

namespace heed::nn {

Crf::Crf(const Scope& scope, Index tags) {
  if (tags < 1) fail<UsageError>("crf", "expected at least one tag, got {}", tags);
  const Init small = Init::uniform(0.1f);
  transitions_ = &scope.add("transitions", {tags, tags}, small, {.decay = false});
  start_ = &scope.add("start", {tags}, small, {.decay = false});
  end_ = &scope.add("end", {tags}, small, {.decay = false});
}

Var Crf::loss(Context& context, const Sequences& emissions, std::span<const std::int32_t> targets,
              const grad::LossOptions& options) const {
  return grad::crf(
      context, emissions,
      {context.parameter(*transitions_), context.parameter(*start_), context.parameter(*end_)},
      targets, options);
}

std::vector<std::int32_t> Crf::decode(const Sequences& emissions) const {
  return grad::viterbi(emissions, values());
}

}  // namespace heed::nn
