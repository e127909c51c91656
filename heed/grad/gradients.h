#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/buffer.h"
#include "heed/grad/parameters.h"
#include "heed/kernel/matmul.h"

namespace heed {

// Where a gradient goes: overwrite it when this is the first contribution, add to it afterwards.
// Empty when nobody wants it.
struct Slot {
  float* data = nullptr;
  kernel::Store store = kernel::Store::kOverwrite;

  explicit operator bool() const { return data != nullptr; }
  // For operations that can only add: zeroes the place first where that is needed.
  float* adding(Index count) const;
};

// The gradient of a sparse parameter: some rows, each once.
class SparseRows {
 public:
  SparseRows(Index rows, Index columns);

  void clear();
  // The place of row `id`, zeroed at its first use since clear().
  float* at(std::int32_t id);
  std::span<const std::int32_t> ids() const { return ids_; }
  float* row(Index place) { return values_.data() + place * columns_; }
  const float* row(Index place) const { return values_.data() + place * columns_; }
  Index columns() const { return columns_; }
  double sum_of_squares() const;
  bool all_finite() const;

 private:
  Index columns_;
  std::vector<std::int32_t> place_;  // of each id, valid where stamp_ is current
  std::vector<std::uint32_t> stamp_;
  std::uint32_t current_ = 1;
  std::vector<std::int32_t> ids_;
  std::vector<float> values_;
};

// The gradients of all parameters that learn, as one worker computes them. Dense ones lie in one
// flat buffer that is never zeroed: the first contribution of a step overwrites.
class Gradients {
 public:
  explicit Gradients(const Parameters& parameters);

  // Forgets everything, at no cost per number.
  void clear();

  // The place for `count` parameters that lie one after another, beginning with `first`.
  Slot slot(const Parameter& first, Index count = 1);
  // The const one may be asked by several threads at once; the other notes that rows are coming.
  SparseRows& sparse(const Parameter& parameter);
  const SparseRows& sparse(const Parameter& parameter) const;

  bool touched(const Parameter& parameter) const {
    return touched_[static_cast<std::size_t>(parameter.number)] != 0;
  }
  // Valid where touched(); zeros are written first where not.
  Tensor dense(const Parameter& parameter);
  float* flat() const { return buffer_.floats(); }

  // The sum over workers, in their order. First absorb_sparse() for each other worker, one after
  // another; then add_dense() for all of them, where different ranges of the flat buffer may be
  // added by different workers at once.
  void absorb_sparse(const Gradients& other);
  void add_dense(const Gradients& other, Index begin, Index end);

  // Of everything that was touched: dense parameters within a range of the flat buffer, and sparse.
  double sum_of_squares(Index begin, Index end) const;
  double sparse_sum_of_squares() const;

  const Parameters& parameters() const { return *parameters_; }

 private:
  template <typename Body>
  void for_each_piece(Index begin, Index end, Body body) const;

  const Parameters* parameters_;
  Buffer buffer_;
  std::vector<std::uint8_t> touched_;
  std::vector<SparseRows> sparse_;
  std::vector<std::int32_t> sparse_place_;  // of each parameter, −1 where dense or frozen
};

}  // namespace heed
