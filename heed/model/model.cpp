#include "heed/model/model.h"

namespace heed {

Model::Model(Config config)
    : config_(std::move(config)), parameters_(std::make_unique<Parameters>(config_.seed)) {
  const Scope scope(*parameters_);
  input_ = make_input(config_, scope / "input");
  body_ = make_body(config_, scope / "body");
  output_ = make_output(config_, scope / "output");
}

Var Model::loss(Context& context, const BatchPart& part) const {
  if (part.sequences() == 0) return {};
  return output_->loss(context, (*body_)(context, (*input_)(context, part)), part);
}

std::vector<Prediction> Model::predict(Context& context, const BatchPart& part, Index top) const {
  if (part.sequences() == 0) return {};
  return output_->predict(context, (*body_)(context, (*input_)(context, part)), part, top);
}

}  // namespace heed
