#include "heed/model/predict.h"

#include <atomic>

namespace heed {

std::vector<Prediction> predict_all(const Model& model, std::span<const Example> examples,
                                    Workers& workers, Index top) {
  std::vector<Index> lengths;
  for (const Example& example : examples) {
    lengths.push_back(static_cast<Index>(example.tokens.size()));
  }
  const auto batches = Batcher(lengths, {.rows = 2048}).in_order();
  std::vector<Prediction> predictions(examples.size());
  // The longest first, each taken by whoever is free.
  std::atomic<std::size_t> taken = 0;
  workers.run([&](int) {
    Context context;
    Batch batch;
    for (std::size_t i = taken++; i < batches.size(); i = taken++) {
      const std::vector<Index>& members = batches[batches.size() - 1 - i];
      batch.clear();
      for (const Index member : members) batch.add(examples[static_cast<std::size_t>(member)]);
      context.begin(Mode::kEvaluate);
      std::vector<Prediction> part = model.predict(context, BatchPart(batch), top);
      for (std::size_t j = 0; j < members.size(); ++j) {
        predictions[static_cast<std::size_t>(members[j])] = std::move(part[j]);
      }
    }
  });
  return predictions;
}

}  // namespace heed
