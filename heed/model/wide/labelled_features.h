#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heed/tensor/shape.h"

namespace heed {

// Texts with labels, each a list of features and their values. There may be many millions of them,
// so they stand in blocks that are never copied: 8 bytes each and no more.
class LabelledFeatures {
 public:
  void add(std::span<const std::int32_t> features, std::span<const float> values,
           std::int32_t label);

  Index count() const { return std::ssize(texts_); }
  std::int32_t label(Index text) const { return at(text).label; }
  std::span<const std::int32_t> features(Index text) const {
    return {at(text).features, at(text).size};
  }
  std::span<const float> values(Index text) const { return {at(text).values, at(text).size}; }
  float sum_of_squares(Index text) const { return at(text).squares; }

 private:
  struct Block {
    std::unique_ptr<std::int32_t[]> features;
    std::unique_ptr<float[]> values;
  };
  struct Text {
    std::int32_t* features;
    float* values;
    std::size_t size;
    std::int32_t label;
    float squares;
  };
  const Text& at(Index text) const { return texts_[static_cast<std::size_t>(text)]; }

  std::vector<Block> blocks_;
  std::size_t used_ = 0, size_ = 0;  // of the last block
  std::vector<Text> texts_;
};

}  // namespace heed
