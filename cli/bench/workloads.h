#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heed/grad/context.h"

namespace heed::cli {

// A model and one batch of made-up data, of the sizes that speed is measured on
// (docs/performance.md has the table). Each worker computes its part of the batch.
class Workload {
 public:
  virtual ~Workload() = default;

  virtual Parameters& parameters() { return parameters_; }
  // How the batch is dealt: called once, before the first loss().
  virtual void deal_to(int workers) = 0;
  // The loss of a worker's part; an empty Var where it has none.
  virtual Var loss(Context& context, int worker) const = 0;
  virtual Index tokens() const = 0;
  // 2 m n k for each matrix product of the forward pass, attention's two included.
  virtual double forward_flops() const = 0;
  // How often a training step reads its batch: twice where it compares two passes (R-Drop).
  virtual int training_passes() const { return 1; }

 protected:
  Parameters parameters_{1};
};

std::vector<std::string> workload_names();
// An unknown name is a UsageError that lists the known ones.
std::function<std::unique_ptr<Workload>()> workload_maker(const std::string& name);

}  // namespace heed::cli
