#pragma once

#include "heed/data/dataset.h"
#include "heed/data/examples.h"
#include "heed/grad/context.h"
#include "heed/model/part.h"
#include "heed/model/plan.h"

namespace heed {

// Where a wide part stands beside an output, the answers are one label for each sequence, in the
// first column of batch.answer.
inline std::span<const std::int32_t> labels_of(const Batch& batch) {
  return batch.answer.integers(0).values();
}

// The network of a wide part: sequences of a batch → scores that are added to those of the output.
class WideNetwork {
 public:
  virtual ~WideNetwork() = default;
  virtual Var operator()(Context& context, const Batch& batch) const = 0;  // (sequences, classes)
  // What is counted and not learned, from all training examples, before the first step.
  virtual void count(const Examples& train) const = 0;
  virtual void describe(Plan& plan) const = 0;
};

// What stands beside the three axes: the wide part of a wide-and-deep model (Cheng et al. 2016),
// which scores the classes from features of the text alone. Its scores and the network's add up.
class Wide : public Part {
 public:
  virtual std::unique_ptr<Wide> clone() const = 0;

  virtual bool present() const { return true; }  // false for "none"
  virtual bool reads(const Content& content) const = 0;
  virtual void fit(const Dataset& train) = 0;
  virtual void prepare(const Content& content, Batch& batch) const = 0;  // batch.wide
  virtual std::string summary() const = 0;

  // Null for "none".
  virtual std::unique_ptr<WideNetwork> network(const Scope& scope, Index classes) const = 0;
  // The smallest wide part that answers as this one does after training, and the values of its
  // parameters in `to` from this one's in `from`.
  virtual std::unique_ptr<Wide> for_answers() const { return clone(); }
  virtual void convert(const Scope& /*from*/, const Scope& /*to*/) const {}
};

}  // namespace heed
