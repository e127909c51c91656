#pragma once

#include <span>

#include "heed/grad/embedding.h"

namespace heed::nn {

// A vector for each index: ids (rows) → (rows, width).  Parameter weight (vocabulary, width), whose
// gradient is only the rows that were used, unless it is dense: one that also scores what comes
// next gets gradients for all rows.
class Embedding {
 public:
  enum class Learning { kLearned, kFrozen, kDense };

  Embedding(const Scope& scope, Index vocabulary, Index width, float deviation = 1.0f,
            Learning learning = Learning::kLearned)
      : table_(&scope.add(
            "weight", {vocabulary, width}, Init::normal(deviation),
            {.frozen = learning == Learning::kFrozen, .sparse = learning != Learning::kDense})) {}

  Sequences operator()(Context& context, std::span<const std::int32_t> ids, const Layout& layout,
                       float scale = 1.0f) const {
    if (static_cast<Index>(ids.size()) != layout.rows()) {
      fail<ShapeError>("embedding", "expected {} indices, as the layout says, got {}",
                       layout.rows(), ids.size());
    }
    return {grad::embedding(context, ids, *table_, scale), layout};
  }

  // The mean of several vectors for each row: counts (rows) of the ids belong to it.
  Sequences mean(Context& context, std::span<const std::int32_t> ids,
                 std::span<const std::int32_t> counts, const Layout& layout) const {
    if (static_cast<Index>(counts.size()) != layout.rows()) {
      fail<ShapeError>("embedding", "expected counts for {} rows, as the layout says, got {}",
                       layout.rows(), counts.size());
    }
    return {grad::embedding_mean(context, ids, counts, *table_), layout};
  }

  Index vocabulary() const { return table_->value.rows(); }
  Index width() const { return table_->value.columns(); }
  const Parameter& table() const { return *table_; }

 private:
  const Parameter* table_;
};

}  // namespace heed::nn
