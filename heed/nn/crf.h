#pragma once

#include "heed/grad/crf.h"

namespace heed::nn {

// A conditional random field over the tags of a sequence, on top of a layer that scores each tag in
// each row.  Parameters transitions (tags, tags), start (tags) and end (tags).
//
//   Linear scores(scope / "scores", width, tags);
//   Crf crf(scope / "crf", tags);
//   Var loss = crf.loss(context, scores(context, x), targets);
//   std::vector<std::int32_t> tags = crf.decode(scores(context, x));
class Crf {
 public:
  Crf(const Scope& scope, Index tags);

  // −log p(targets), the mean over sequences or what options.divisor says.
  Var loss(Context& context, const Sequences& emissions, std::span<const std::int32_t> targets,
           const grad::LossOptions& options = {}) const;
  // The most probable tags, one for each row.
  std::vector<std::int32_t> decode(const Sequences& emissions) const;
  // Only to read.
  grad::CrfParameters values() const {
    return {{transitions_->value}, {start_->value}, {end_->value}};
  }

  Index tags() const { return start_->value.count(); }

 private:
  const Parameter* transitions_;
  const Parameter* start_;
  const Parameter* end_;
};

}  // namespace heed::nn
