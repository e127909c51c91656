#pragma once

#include <linear.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heed/tensor/shape.h"

namespace heed {

// Texts with labels, each a list of features and their values, as liblinear takes them: features
// from 1 on, each list ended by −1. There may be many millions of values, so they stand in blocks
// that are never copied: 16 bytes each and no more.
class LabelledFeatures {
 public:
  // Features from 0 on.
  void add(std::span<const std::int32_t> features, std::span<const float> values,
           std::int32_t label);

  Index count() const { return std::ssize(lists_); }
  std::span<const std::int32_t> labels() const { return labels_; }
  // Ended by an index of −1.
  const feature_node* list(Index text) const { return lists_[static_cast<std::size_t>(text)]; }
  // All of them; liblinear changes nothing, but does not say so.
  std::vector<feature_node*>& lists() { return lists_; }

 private:
  feature_node* room_for(std::size_t nodes);

  std::vector<std::unique_ptr<feature_node[]>> blocks_;
  std::size_t left_ = 0;  // nodes of the last block that are free
  feature_node* next_ = nullptr;
  std::vector<feature_node*> lists_;
  std::vector<std::int32_t> labels_;
};

}  // namespace heed
