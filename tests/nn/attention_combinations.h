#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "heed/nn/attention.h"

namespace heed::test {

struct AttentionCombination {
  nn::AttentionOptions options;
  std::string name;
};
inline void PrintTo(const AttentionCombination& combination, std::ostream* out) {
  *out << combination.name;
}

// Every score with every position, way of joining heads, temperature and number of slots, and heads
// that see as far as each other or not: three heads, of sequences of up to 9 rows.
inline std::vector<AttentionCombination> attention_combinations(Index width) {
  constexpr std::pair<nn::Score, const char*> kScores[] = {
      {nn::Score::kScaledDot, "scaled_dot"}, {nn::Score::kDot, "dot"},
      {nn::Score::kAdditive, "additive"},    {nn::Score::kBilinear, "bilinear"},
      {nn::Score::kCosine, "cosine"},        {nn::Score::kLocation, "location"}};
  constexpr std::pair<nn::Position, const char*> kPositions[] = {
      {nn::Position::kNone, ""},
      {nn::Position::kSinusoidal, "_sinusoidal"},
      {nn::Position::kTriangular, "_triangular"},
      {nn::Position::kLearned, "_learned_positions"},
      {nn::Position::kRotary, "_rotary"},
      {nn::Position::kAlibi, "_alibi"},
      {nn::Position::kRelative, "_relative"}};
  constexpr std::pair<nn::HeadJoin, const char*> kJoins[] = {{nn::HeadJoin::kConcatenate, ""},
                                                             {nn::HeadJoin::kAverage, "_average"}};
  constexpr std::pair<nn::Temperature, const char*> kTemperatures[] = {
      {{1.0f, false}, ""}, {{0.6f, false}, "_temperature"}, {{0.6f, true}, "_learned_temperature"}};
  constexpr std::pair<Index, const char*> kSlots[] = {{0, ""}, {2, "_slots"}};
  const std::pair<std::vector<Index>, const char*> kWindows[] = {{{}, ""}, {{2, 0}, "_windows"}};

  std::vector<AttentionCombination> result;
  for (const auto& [score, score_name] : kScores) {
    for (const auto& [position, position_name] : kPositions) {
      for (const auto& [join, join_name] : kJoins) {
        for (const auto& [temperature, temperature_name] : kTemperatures) {
          for (const auto& [slots, slots_name] : kSlots) {
            for (const auto& [windows, windows_name] : kWindows) {
              nn::AttentionOptions options;
              options.width = width;
              options.heads = 3;
              // Location scores and added positions need one for every row; else rows lie beyond
              // the reach of biases.
              const bool each = score == nn::Score::kLocation || nn::added_to_input(position);
              options.longest = each ? 9 : 3;
              options.score = score;
              options.position = position;
              options.join = join;
              options.temperature = temperature;
              options.memory_slots = slots;
              options.windows = windows;
              result.push_back({options, std::string(score_name) + position_name + join_name +
                                             temperature_name + slots_name + windows_name});
            }
          }
        }
      }
    }
  }
  return result;
}

}  // namespace heed::test
