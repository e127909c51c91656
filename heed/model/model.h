#pragma once

#include <memory>

#include "heed/model/parts.h"

namespace heed {

// Input, body and output joined as the config says. Owns its parameters.
class Model {
 public:
  explicit Model(Config config);

  const Config& config() const { return config_; }
  Parameters& parameters() { return *parameters_; }
  const Parameters& parameters() const { return *parameters_; }

  // Safe to call from several threads at once, each with a Context of its own that was begun.
  Var loss(Context& context, const BatchPart& part) const;
  std::vector<Prediction> predict(Context& context, const BatchPart& part, Index top = 1) const;

 private:
  Config config_;
  std::unique_ptr<Parameters> parameters_;
  std::unique_ptr<Input> input_;
  std::unique_ptr<Body> body_;
  std::unique_ptr<Output> output_;
};

}  // namespace heed
