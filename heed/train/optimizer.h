#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "heed/base/buffer.h"
#include "heed/grad/gradients.h"
#include "heed/kernel/rows.h"

namespace heed {

// Changes parameters against their gradients. One step is begin() and then update() for each part:
// parts are disjoint, and different workers may do different parts at once.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  struct Step {
    float rate = 0.0f;
    float gradient_scale = 1.0f;  // gradients are multiplied by it first (clipping)
  };
  virtual void begin(const Step& step, const Gradients& gradients) = 0;
  virtual void update(const Gradients& gradients, int part, int parts) = 0;
  // Rows of sparse parameters that have not been seen for a while owe some weight decay; this pays
  // it everywhere. Before weights are saved or compared.
  virtual void settle() = 0;

  // Everything that a later step depends on, for checkpoints: places in memory that can be saved
  // and filled again. The names and sizes depend on the parameters and options alone.
  struct State {
    std::string name;
    std::span<std::byte> bytes;
  };
  virtual std::vector<State> state() = 0;
};

struct AdamWOptions {
  float beta1 = 0.9f;
  float beta2 = 0.999f;
  float epsilon = 1e-8f;
  float decay = 0.01f;  // on parameters whose rule says so
  // Above 0, sparse parameters learn together, at so many times the rate: see AdamW.
  float table_rate = 0.0f;
};

// AdamW (Loshchilov & Hutter 2019).
//
// Of a sparse parameter only the rows that a step touched are visited. Their moments and their
// decay are first brought up to date exactly, as if they had had zero gradients since; what dense
// AdamW would also have moved them meanwhile, on momentum alone, is left out.
//
// With `table_rate` a sparse parameter has no momentum and one second moment for all its rows: the
// mean square of the gradients that it got. A row then moves in proportion to its gradient. With
// moments of their own, words that occur twice move as far as those that occur a thousand times,
// and the model overfits to rare words: on short texts that cost two points of accuracy.
class AdamW : public Optimizer {
 public:
  AdamW(Parameters& parameters, const AdamWOptions& options = {});

  void begin(const Step& step, const Gradients& gradients) override;
  void update(const Gradients& gradients, int part, int parts) override;
  void settle() override;
  std::vector<State> state() override;

 private:
  struct SparseState {
    std::vector<Index> seen;    // the step that touched each row last; empty with `table_rate`
    std::vector<double> decay;  // decay_ after that step; empty where there is no decay
    double square = 0.0;        // the second moment of all rows, with `table_rate`
    Index updates = 0;          // of it
  };

  bool shares_moment(const Parameter& parameter) const {
    return parameter.rule.sparse && options_.table_rate > 0.0f;
  }
  bool decays(const Parameter& parameter) const {
    return parameter.rule.decay && options_.decay > 0.0f;
  }
  void update_rows(const Parameter& parameter, const SparseRows& rows, int part, int parts,
                   const kernel::AdamWStep& step);
  void update_table(const Parameter& parameter, const SparseRows& rows, int part, int parts,
                    const kernel::AdamWStep& step);
  void pay_decay(SparseState& state, std::size_t row, float* weights, Index width, float decay);

  Parameters& parameters_;
  AdamWOptions options_;
  std::vector<Index> moments_;       // where each parameter's begin in mean_ and square_
  Buffer mean_, square_;             // flat; nothing for those that share one or are frozen
  std::vector<SparseState> sparse_;  // by number of parameter; empty for dense and frozen ones
  Step step_;
  Index steps_ = 0;
  // The product of 1 − rate · decay over all steps since settle(), this one included and not.
  double decay_ = 1.0, decay_before_ = 1.0;
};

struct SgdOptions {
  float momentum = 0.0f;
  float decay = 0.0f;  // L2, added to the gradient
  bool nesterov = false;
};

// Stochastic gradient descent with momentum, as PyTorch defines it. Sparse parameters are updated
// in the rows that were touched, without catching up.
class Sgd : public Optimizer {
 public:
  Sgd(Parameters& parameters, const SgdOptions& options = {});

  void begin(const Step& step, const Gradients&) override { step_ = step; }
  void update(const Gradients& gradients, int part, int parts) override;
  void settle() override {}
  std::vector<State> state() override;

 private:
  Parameters& parameters_;
  SgdOptions options_;
  Buffer velocity_;
  Step step_;
};

}  // namespace heed
