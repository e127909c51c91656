#include "heed/model/prepared.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace heed {

namespace {

// The bytes of all examples, by some of them.
double expected_bytes(const Dataset& data, const Model& model) {
  constexpr Index kLookedAt = 200;
  const Index step = 1 + data.size() / kLookedAt;
  Batch batch;
  for (Index i = 0; i < data.size(); i += step) model.prepare(data[i], batch);
  return static_cast<double>(batch.bytes()) * static_cast<double>(step);
}

}  // namespace

PreparedExamples::PreparedExamples(const Dataset& data, const Model& model, Workers& workers,
                                   std::size_t kept)
    : data_(data), model_(model), lengths_(data.records.size()), answer_rows_(data.records.size()) {
  if (data.size() > kChunk && expected_bytes(data, model) > 2.0 * static_cast<double>(kept)) {
    kept = 0;  // what could be kept would be too little to save time
  }
  chunks_.resize(static_cast<std::size_t>((data.size() + kChunk - 1) / kChunk));
  std::atomic<std::size_t> next = 0, bytes = 0;
  workers.run([&](int) {
    Batch batch;
    for (std::size_t chunk = next++; chunk < chunks_.size(); chunk = next++) {
      const Index begin = static_cast<Index>(chunk) * kChunk;
      const Index end = std::min(begin + kChunk, data.size());
      bool keeps = bytes < kept;  // once it is too large, only lengths are taken
      for (Index i = begin; i < end; ++i) {
        if (keeps) {
          model.prepare(data[i], batch);
        } else {
          model.prepare_rows(data[i], batch);
        }
        lengths_[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(batch.lengths.back());
        answer_rows_[static_cast<std::size_t>(i)] =
            static_cast<std::int32_t>(model.config().output->answer_rows(batch));
        keeps = keeps && bytes + batch.bytes() <= kept;
        if (!keeps) batch.clear();
      }
      const std::size_t size = batch.bytes();
      if (keeps && bytes.fetch_add(size) + size <= kept) {
        chunks_[chunk] = std::make_unique<const Batch>(std::exchange(batch, Batch()));
      }
      batch.clear();
    }
  });
  const auto none = [](std::int32_t rows) { return rows == 0; };
  if (std::all_of(answer_rows_.begin(), answer_rows_.end(), none)) answer_rows_ = {};
}

void PreparedExamples::load(Index example, Batch& batch) const {
  const std::unique_ptr<const Batch>& chunk = chunks_[static_cast<std::size_t>(example / kChunk)];
  if (chunk != nullptr) {
    batch.append(*chunk, example % kChunk);
  } else {
    model_.prepare(data_[example], batch);
  }
}

}  // namespace heed
