#include "heed/base/nearest.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace heed {
namespace {

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

// Damerau's distance in its common, restricted form: no letter takes part in two changes.
std::size_t distance(std::string_view a, std::string_view b) {
  const std::size_t columns = b.size() + 1;
  // The rows i − 2, i − 1 and i of the table of distances between beginnings of a and of b.
  std::vector<std::size_t> older(columns), old(columns), now(columns);
  for (std::size_t j = 0; j < columns; ++j) now[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(older, old);
    std::swap(old, now);
    now[0] = i;
    for (std::size_t j = 1; j < columns; ++j) {
      const char x = lower(a[i - 1]), y = lower(b[j - 1]);
      now[j] = std::min({old[j] + 1, now[j - 1] + 1, old[j - 1] + (x == y ? 0 : 1)});
      if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y) {
        now[j] = std::min(now[j], older[j - 2] + 1);
      }
    }
  }
  return now[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> known) {
  std::string best;
  std::size_t best_distance = word.size() + 1;
  for (const std::string& candidate : known) {
    const auto [shorter, longer] = std::minmax({word.size(), candidate.size()});
    const std::size_t allowed = std::max<std::size_t>(1, longer / 3);
    if (shorter == 0 || longer - shorter > allowed) continue;
    const std::size_t changes = distance(word, candidate);
    if (changes <= allowed && changes < longer && changes < best_distance) {
      best = candidate;
      best_distance = changes;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known,
                         std::string_view before, std::string_view after) {
  const std::string found = nearest(word, known);
  if (found.empty()) return "";
  return "; did you mean " + std::string(before) + found + std::string(after) + "?";
}

}  // namespace heed
