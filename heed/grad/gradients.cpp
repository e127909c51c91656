#include "heed/grad/gradients.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "heed/kernel/rows.h"

namespace heed {

float* Slot::adding(Index count) const {
  if (data != nullptr && store == kernel::Store::kOverwrite) std::fill_n(data, count, 0.0f);
  return data;
}

SparseRows::SparseRows(Index rows, Index columns)
    : columns_(columns),
      place_(static_cast<std::size_t>(rows)),
      stamp_(static_cast<std::size_t>(rows)) {}

void SparseRows::clear() {
  ids_.clear();
  values_.clear();
  if (++current_ == 0) {  // the stamps have gone round
    std::fill(stamp_.begin(), stamp_.end(), 0u);
    current_ = 1;
  }
}

float* SparseRows::at(std::int32_t id) {
  const auto index = static_cast<std::size_t>(id);
  if (stamp_[index] != current_) {
    stamp_[index] = current_;
    place_[index] = static_cast<std::int32_t>(ids_.size());
    ids_.push_back(id);
    values_.resize(values_.size() + static_cast<std::size_t>(columns_), 0.0f);
  }
  return row(place_[index]);
}

bool SparseRows::all_finite() const {
  return kernel::all_finite(static_cast<Index>(values_.size()), values_.data());
}

// Calls body(first, count) for the pieces of touched dense parameters within a range.
template <typename Body>
void Gradients::for_each_piece(Index begin, Index end, Body body) const {
  for (const Parameter& parameter : *parameters_) {
    if (parameter.rule.sparse || !touched(parameter)) continue;
    const Index first = std::max(begin, parameter.offset);
    const Index last = std::min(end, parameter.offset + parameter.value.count());
    if (first < last) body(first, last - first);
  }
}

Gradients::Gradients(const Parameters& parameters)
    : parameters_(&parameters),
      touched_(static_cast<std::size_t>(parameters.count())),
      sparse_place_(static_cast<std::size_t>(parameters.count()), -1) {
  bool dense = false;
  for (const Parameter& parameter : parameters) {
    if (parameter.rule.frozen) continue;
    if (parameter.rule.sparse) {
      sparse_place_[static_cast<std::size_t>(parameter.number)] =
          static_cast<std::int32_t>(sparse_.size());
      sparse_.emplace_back(parameter.value.rows(), parameter.value.columns());
    } else {
      dense = true;
    }
  }
  // Pages of it that belong to sparse parameters are never touched and take no memory.
  if (dense) buffer_ = Buffer(static_cast<std::size_t>(parameters.flat_size()) * sizeof(float));
}

void Gradients::clear() {
  std::fill(touched_.begin(), touched_.end(), std::uint8_t{0});
  for (SparseRows& rows : sparse_) rows.clear();
}

Slot Gradients::slot(const Parameter& first, Index count) {
  assert(!first.rule.frozen);
  const auto begin = touched_.begin() + first.number;
  const auto end = begin + count;
  float* data = buffer_.floats() + first.offset;
  if (std::none_of(begin, end, [](std::uint8_t flag) { return flag != 0; })) {
    std::fill(begin, end, std::uint8_t{1});
    return {data, kernel::Store::kOverwrite};
  }
  for (Index i = 0; i < count; ++i) dense((*parameters_)[first.number + i]);
  return {data, kernel::Store::kAdd};
}

Tensor Gradients::dense(const Parameter& parameter) {
  assert(!parameter.rule.sparse && !parameter.rule.frozen);
  const Tensor result{buffer_.floats() + parameter.offset, parameter.value.shape};
  std::uint8_t& flag = touched_[static_cast<std::size_t>(parameter.number)];
  if (flag == 0) {
    std::fill_n(result.data, result.count(), 0.0f);
    flag = 1;
  }
  return result;
}

SparseRows& Gradients::sparse(const Parameter& parameter) {
  touched_[static_cast<std::size_t>(parameter.number)] = 1;
  return const_cast<SparseRows&>(std::as_const(*this).sparse(parameter));
}

const SparseRows& Gradients::sparse(const Parameter& parameter) const {
  return sparse_[static_cast<std::size_t>(
      sparse_place_[static_cast<std::size_t>(parameter.number)])];
}

void Gradients::absorb_sparse(const Gradients& other) {
  for (const Parameter& parameter : *parameters_) {
    if (!other.touched(parameter)) continue;
    if (!parameter.rule.sparse) {
      dense(parameter);  // from here on it can be added to
      continue;
    }
    SparseRows& mine = sparse(parameter);
    const SparseRows& theirs = other.sparse(parameter);
    for (Index place = 0; place < static_cast<Index>(theirs.ids().size()); ++place) {
      float* row = mine.at(theirs.ids()[static_cast<std::size_t>(place)]);
      kernel::scale(mine.columns(), 1.0f, theirs.row(place), row, kernel::Store::kAdd);
    }
  }
}

void Gradients::add_dense(const Gradients& other, Index begin, Index end) {
  other.for_each_piece(begin, end, [&](Index first, Index count) {
    kernel::scale(count, 1.0f, other.flat() + first, flat() + first, kernel::Store::kAdd);
  });
}

double SparseRows::sum_of_squares() const {
  return kernel::sum_of_squares(static_cast<Index>(ids_.size()) * columns_, values_.data());
}

double Gradients::sum_of_squares(Index begin, Index end) const {
  double sum = 0.0;
  for_each_piece(begin, end, [&](Index first, Index count) {
    sum += kernel::sum_of_squares(count, flat() + first);
  });
  return sum;
}

double Gradients::sparse_sum_of_squares() const {
  double sum = 0.0;
  for (const SparseRows& rows : sparse_) sum += rows.sum_of_squares();
  return sum;
}

}  // namespace heed
