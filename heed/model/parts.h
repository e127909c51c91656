#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/data/batch.h"
#include "heed/grad/context.h"
#include "heed/model/config.h"

namespace heed {

// The three axes of a model. Each is const and keeps all scratch in the Context, so that one model
// serves many threads.

// Examples → vectors.
class Input {
 public:
  virtual ~Input() = default;
  virtual Sequences operator()(Context& context, const BatchPart& part) const = 0;  // (rows, width)
};

// Vectors → vectors that know each other.
class Body {
 public:
  virtual ~Body() = default;
  virtual Sequences operator()(Context& context, const Sequences& x) const = 0;  // (rows, width)
};

// One answer of a model: an index into the names, and how sure it is.
struct Answer {
  std::int32_t index = kNoAnswer;
  float probability = 0.0f;
};

// What a model says about one example: one answer for a label, one for each row for tags; each the
// `top` most likely, best first.
struct Prediction {
  std::vector<std::vector<Answer>> answers;
};

// Vectors → a loss where there are answers, predictions where not.
class Output {
 public:
  virtual ~Output() = default;
  // The sum over the part, divided by what belongs to the whole batch.
  virtual Var loss(Context& context, const Sequences& x, const BatchPart& part) const = 0;
  virtual std::vector<Prediction> predict(Context& context, const Sequences& x,
                                          const BatchPart& part, Index top) const = 0;
};

// A new input, body or output is one new file and one line here.
std::unique_ptr<Input> make_input(const Config& config, const Scope& scope);
std::unique_ptr<Body> make_body(const Config& config, const Scope& scope);
// `counted` is for what is counted and not learned, and so the same for all members.
std::unique_ptr<Output> make_output(const Config& config, const Scope& scope, const Scope& counted);

}  // namespace heed
