#include "heed/model/wide/labelled_features.h"

#include <algorithm>

namespace heed {

void LabelledFeatures::add(std::span<const std::int32_t> features, std::span<const float> values,
                           std::int32_t label) {
  feature_node* node = room_for(features.size() + 1);
  lists_.push_back(node);
  labels_.push_back(label);
  for (std::size_t i = 0; i < features.size(); ++i) {
    *node++ = {features[i] + 1, static_cast<double>(values[i])};
  }
  *node = {-1, 0.0};
}

feature_node* LabelledFeatures::room_for(std::size_t nodes) {
  constexpr std::size_t kBlock = 100'000;
  if (nodes > left_) {
    left_ = std::max(nodes, kBlock);
    blocks_.push_back(std::make_unique<feature_node[]>(left_));
    next_ = blocks_.back().get();
  }
  feature_node* first = next_;
  next_ += nodes;
  left_ -= nodes;
  return first;
}

}  // namespace heed
