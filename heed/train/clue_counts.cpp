#include "heed/train/clue_counts.h"

#include <cmath>
#include <vector>

#include "heed/model/output/counted_clues.h"

namespace heed {
namespace {

void count_rarity(std::span<const Example> examples, const Tensor& idf) {
  std::vector<double> texts(static_cast<std::size_t>(idf.count()), 0.0);
  for (const Example& example : examples) {
    for (const std::int32_t id : example.clues) ++texts[static_cast<std::size_t>(id)];
  }
  const double all = 1.0 + static_cast<double>(examples.size());
  for (std::size_t id = 0; id < texts.size(); ++id) {
    idf[static_cast<Index>(id)] = static_cast<float>(1.0 + std::log(all / (1.0 + texts[id])));
  }
}

}  // namespace

void count_clues(std::span<const Example> examples, Model& model) {
  const Parameter* idf = model.parameters().find("output.clues.idf");
  if (idf == nullptr) return;
  count_rarity(examples, idf->value);
  if (const Parameter* counts = model.parameters().find("output.clues.counts")) {
    CountedClues::count(examples, idf->value, counts->value);
  }
}

}  // namespace heed
