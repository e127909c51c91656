#pragma once

#include <memory>
#include <string_view>

#include "heed/model/parts.h"

namespace heed {

// Input, body and output joined as the config says. Owns its parameters.
//
// With several members it is that many times over: networks that begin with other weights, learn
// side by side, and answer with the mean of their probabilities.
class Model {
 public:
  // With values kLater the parameters are zero: for one that is only looked at, or gets its weights
  // from a file.
  explicit Model(Config config, Parameters::Values values = Parameters::Values::kAtOnce);

  const Config& config() const { return config_; }
  Parameters& parameters() { return *parameters_; }
  const Parameters& parameters() const { return *parameters_; }
  // A parameter by its name in a member, of every member, or the one that they share; empty where
  // there is none.
  std::vector<const Parameter*> in_each_member(std::string_view name) const;

  // Safe to call from several threads at once, each with a Context of its own that was begun.
  Var loss(Context& context, const BatchPart& part) const;
  std::vector<Prediction> predict(Context& context, const BatchPart& part, Index top = 1) const;

 private:
  struct Member {
    std::unique_ptr<Input> input;
    std::unique_ptr<Body> body;
    std::unique_ptr<Output> output;

    Sequences operator()(Context& context, const BatchPart& part) const {
      return (*body)(context, (*input)(context, part));
    }
  };

  Config config_;
  std::unique_ptr<Parameters> parameters_;
  std::vector<Member> members_;
};

// A parameter's member, and its name there: "members.2.input.words" → 2, "input.words". What all
// members share is counted as the first one's.
std::pair<Index, std::string_view> in_member(std::string_view name);

}  // namespace heed
