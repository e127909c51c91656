#include "heed/model/wide/labelled_features.h"

#include <algorithm>
#include <numeric>

namespace heed {

void LabelledFeatures::add(std::span<const std::int32_t> features, std::span<const float> values,
                           std::int32_t label) {
  constexpr std::size_t kBlock = 100'000;
  if (blocks_.empty() || features.size() > size_ - used_) {
    size_ = std::max(features.size(), kBlock);
    used_ = 0;
    blocks_.push_back({std::make_unique_for_overwrite<std::int32_t[]>(size_),
                       std::make_unique_for_overwrite<float[]>(size_)});
  }
  const Block& block = blocks_.back();
  const Text text{block.features.get() + used_, block.values.get() + used_, features.size(), label,
                  std::inner_product(values.begin(), values.end(), values.begin(), 0.0f)};
  std::copy(features.begin(), features.end(), text.features);
  std::copy(values.begin(), values.end(), text.values);
  used_ += features.size();
  texts_.push_back(text);
}

}  // namespace heed
