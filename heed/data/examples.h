#pragma once

#include <vector>

#include "heed/data/batch.h"

namespace heed {

// Examples for a model: how many, how long each is, and a way to load one. They may be kept in
// memory or be made when they are needed.
class Examples {
 public:
  virtual ~Examples() = default;

  virtual Index count() const = 0;
  // Rows of an example, without loading it.
  virtual Index length(Index example) const = 0;
  // Rows that its answer adds to the work: a decoder reads the target too.
  virtual Index answer_rows(Index /*example*/) const { return 0; }
  // Appends one to a batch. Safe to call from several threads, each with a batch of its own.
  virtual void load(Index example, Batch& batch) const = 0;

  // Of all examples together.
  Index rows() const {
    Index sum = 0;
    for (Index i = 0; i < count(); ++i) sum += length(i);
    return sum;
  }
  std::vector<Index> lengths() const {
    std::vector<Index> all(static_cast<std::size_t>(count()));
    for (Index i = 0; i < count(); ++i) all[static_cast<std::size_t>(i)] = length(i);
    return all;
  }
};

// Two lists of examples as one.
class JoinedExamples : public Examples {
 public:
  JoinedExamples(const Examples& first, const Examples& second) : first_(first), second_(second) {}

  Index count() const override { return first_.count() + second_.count(); }
  Index length(Index example) const override {
    return is_first(example) ? first_.length(example) : second_.length(example - first_.count());
  }
  Index answer_rows(Index example) const override {
    return is_first(example) ? first_.answer_rows(example)
                             : second_.answer_rows(example - first_.count());
  }
  void load(Index example, Batch& batch) const override {
    is_first(example) ? first_.load(example, batch) : second_.load(example - first_.count(), batch);
  }

 private:
  bool is_first(Index example) const { return example < first_.count(); }

  const Examples& first_;
  const Examples& second_;
};

// Examples that lie in memory, the sequences of a batch.
class StoredExamples : public Examples {
 public:
  explicit StoredExamples(Batch all) : all_(std::move(all)) {}

  Index count() const override { return all_.sequences(); }
  Index length(Index example) const override {
    return all_.lengths[static_cast<std::size_t>(example)];
  }
  void load(Index example, Batch& batch) const override { batch.append(all_, example); }

 private:
  Batch all_;
};

}  // namespace heed
