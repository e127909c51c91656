#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/tensor/shape.h"

namespace heed {

// One label of one text: how likely it was thought, and whether it is there.
struct ScoredLabel {
  std::int32_t label = 0;
  float probability = 0.0f;
  bool right = false;
};
// All labels of a text that were thought likely at all, and how many it has in truth, those that
// were not among them included.
struct ScoredLabels {
  std::vector<ScoredLabel> labels;
  std::vector<std::int32_t> truth;
};

// From which probability on a label is said, for each label: what gives the best micro F1 on these
// texts.
//
// One threshold serves all labels, unless a threshold for each is better: labels with at least
// kEnoughTexts texts then get the one with the best F1 of their own (Yang 2001: SCut). Which is
// better is found by choosing on one half of the texts and scoring on the other, both ways: on the
// texts that it was chosen on, a threshold for each label always looks better.
inline constexpr Index kEnoughTexts = 10;
enum class Thresholds { kBest, kOneForAll };
std::vector<float> choose_thresholds(std::span<const ScoredLabels> texts, Index labels,
                                     Thresholds kind = Thresholds::kBest);

// Micro F1 with these thresholds.
double micro_f1(std::span<const ScoredLabels> texts, std::span<const float> thresholds);

}  // namespace heed
