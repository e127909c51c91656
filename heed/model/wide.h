#pragma once

#include "heed/data/dataset.h"
#include "heed/data/examples.h"
#include "heed/grad/context.h"
#include "heed/model/part.h"
#include "heed/model/plan.h"

namespace heed {

// Where a wide part that scores sequences stands beside an output, the answers are one label for
// each sequence, in the first column of batch.answer; where it scores rows, one for each row.
inline std::span<const std::int32_t> labels_of(const Batch& batch) {
  return batch.answer.integers(0).values();
}

// The network of a wide part: sequences of a batch → scores that are added to those of the output
// in answers. In training there are none: the network learns by itself.
class WideNetwork {
 public:
  virtual ~WideNetwork() = default;
  // (sequences, classes), or (rows, classes) where it scores rows.
  virtual Var operator()(Context& context, const Batch& batch) const = 0;
  // Learns all that it knows from the training examples, before the first step: a function of them
  // alone, and not a part of checkpoints. False where it would take longer than `seconds`.
  // Another time, with more of the same examples, it may begin with what it knows.
  virtual bool learn(const Examples& train, int workers, double seconds) = 0;
  // It learns no more: what it kept for that can go.
  virtual void settle() {}
  // Where its scores are a sum of two: how much the second counts, by examples that it has not
  // learned from; also for what it learns from now on. Returns what that was multiplied by. Only
  // beside labels, after learn().
  virtual float balance(const Examples& /*held_out*/) { return 1.0f; }
  // Multiplies its scores, also those of what it learns from now on. Only beside labels.
  virtual void weigh(float /*weight*/) {}
  virtual void describe(Plan& plan) const = 0;
};

// What stands beside the three axes: the wide part of a wide-and-deep model (Cheng et al. 2016),
// which scores the classes from features of the text alone, of whole sequences or of each row. Its
// scores and the network's add up.
class Wide : public Part {
 public:
  virtual std::unique_ptr<Wide> clone() const = 0;

  virtual bool present() const { return true; }  // false for "none"
  virtual bool reads(const Content& content) const = 0;
  // Whether it scores each row, and not whole sequences.
  virtual bool scores_rows() const { return false; }
  virtual void fit(const Dataset& train, Index classes) = 0;
  virtual void prepare(const Content& content, Batch& batch) const = 0;  // batch.wide
  virtual std::string summary() const = 0;
  // What its network found: WideNetwork::balance() and weigh(); and what the scores of the output
  // are multiplied by before its own are added.
  virtual void balance(float /*factor*/) {}
  virtual void weigh(float /*weight*/, float /*network_weight*/) {}
  virtual float network_weight() const { return 1.0f; }

  // Null for "none".
  virtual std::unique_ptr<WideNetwork> network(const Scope& scope, Index classes) const = 0;
};

}  // namespace heed
