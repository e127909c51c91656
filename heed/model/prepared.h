#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "heed/base/workers.h"
#include "heed/data/dataset.h"
#include "heed/data/examples.h"
#include "heed/model/model.h"

namespace heed {

// The records of a data set as the examples of a model. They are prepared by all workers, and kept
// in memory up to a limit; those beyond it, and all where less than half would be kept, are made
// again whenever they are needed, which costs little beside a training step. The data set and the
// model must outlive them.
class PreparedExamples : public Examples {
 public:
  static constexpr std::size_t kKept = std::size_t{256} << 20;  // bytes

  PreparedExamples(const Dataset& data, const Model& model, Workers& workers,
                   std::size_t kept = kKept);

  Index count() const override { return data_.size(); }
  Index length(Index example) const override { return lengths_[static_cast<std::size_t>(example)]; }
  Index answer_rows(Index example) const override {
    return answer_rows_.empty() ? 0 : answer_rows_[static_cast<std::size_t>(example)];
  }
  void load(Index example, Batch& batch) const override;

 private:
  static constexpr Index kChunk = 128;  // examples that are kept or not kept together

  const Dataset& data_;
  const Model& model_;
  std::vector<std::int32_t> lengths_;
  std::vector<std::int32_t> answer_rows_;             // empty: none has any
  std::vector<std::unique_ptr<const Batch>> chunks_;  // those that are kept
};

}  // namespace heed
