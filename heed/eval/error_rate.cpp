#include "heed/eval/error_rate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "heed/data/text/unicode.h"
#include "heed/eval/tokens.h"

namespace heed {
namespace {

std::vector<std::string> units(std::string_view text, ErrorRate::Unit unit) {
  const std::vector<std::string> words = split_spaces(text);
  if (unit == ErrorRate::Unit::kWords || words.empty()) return words;
  std::vector<std::string> characters = characters_of(text, Spaces::kKept);
  const auto space = [](const std::string& character) { return split_spaces(character).empty(); };
  while (space(characters.back())) characters.pop_back();
  characters.erase(characters.begin(),
                   std::find_if_not(characters.begin(), characters.end(), space));
  return characters;
}

std::vector<std::string> rouge_words(std::string_view text) {
  const std::string lowered = lower(text);
  std::vector<std::string> words;
  bool open = false;
  for (std::string_view rest = lowered; !rest.empty();) {
    const std::string_view before = rest;
    const Category kind = category(next_code_point(rest));
    const bool word =
        kind == Category::kLetter || kind == Category::kNumber || (kind == Category::kMark && open);
    if (word && !open) words.emplace_back();
    if (word) words.back() += before.substr(0, before.size() - rest.size());
    open = word;
  }
  return words;
}

double f1(Index shared, std::size_t said, std::size_t meant) {
  if (shared == 0) return 0.0;
  return 2.0 * static_cast<double>(shared) / static_cast<double>(said + meant);
}

double shared_ngrams(std::span<const std::string> said, std::span<const std::string> meant,
                     std::size_t length) {
  const auto count = [&](std::span<const std::string> words) {
    std::map<std::vector<std::string>, Index> counts;
    for (std::size_t i = 0; i + length <= words.size(); ++i) {
      ++counts[{words.begin() + static_cast<Index>(i),
                words.begin() + static_cast<Index>(i + length)}];
    }
    return counts;
  };
  const auto of_said = count(said), of_meant = count(meant);
  Index shared = 0;
  for (const auto& [ngram, times] : of_said) {
    const auto found = of_meant.find(ngram);
    if (found != of_meant.end()) shared += std::min(times, found->second);
  }
  const auto total = [&](std::size_t words) { return words < length ? 0 : words - length + 1; };
  return f1(shared, total(said.size()), total(meant.size()));
}

Index longest_common(std::span<const std::string> one, std::span<const std::string> two) {
  std::vector<Index> row(two.size() + 1, 0);
  for (const std::string& word : one) {
    Index diagonal = 0;  // of the row before
    for (std::size_t j = 1; j <= two.size(); ++j) {
      const Index above = row[j];
      row[j] = word == two[j - 1] ? diagonal + 1 : std::max(above, row[j - 1]);
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

Index edit_distance(std::span<const std::string> from, std::span<const std::string> to) {
  std::vector<Index> row(to.size() + 1);
  std::iota(row.begin(), row.end(), Index{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    Index diagonal = row[0];
    row[0] = static_cast<Index>(i);
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const Index replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

void ErrorRate::add(std::string_view hypothesis, std::string_view reference) {
  const std::vector<std::string> meant = units(reference, unit_);
  edits_ += edit_distance(units(hypothesis, unit_), meant);
  reference_ += std::ssize(meant);
}

double ErrorRate::rate() const {
  if (reference_ == 0) return edits_ == 0 ? 0.0 : std::numeric_limits<double>::infinity();
  return static_cast<double>(edits_) / static_cast<double>(reference_);
}

void Rouge::add(std::string_view hypothesis, std::string_view reference) {
  const std::vector<std::string> said = rouge_words(hypothesis);
  const std::vector<std::string> meant = rouge_words(reference);
  one_ += shared_ngrams(said, meant, 1);
  two_ += shared_ngrams(said, meant, 2);
  longest_ += f1(longest_common(said, meant), said.size(), meant.size());
  ++count_;
}

double perplexity(double loss_sum, double tokens) {
  return tokens > 0.0 ? std::exp(loss_sum / tokens) : 1.0;
}

}  // namespace heed
