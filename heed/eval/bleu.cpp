#include "heed/eval/bleu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace heed {
namespace {

constexpr const char* kVersion = "2.6.0";

// How often each n-gram of one length occurs. Tokens have no space in them, or are single
// characters, so that a unit separator keeps them apart.
using Ngrams = std::unordered_map<std::string, Index>;

Ngrams ngrams(const std::vector<std::string>& tokens, std::size_t length) {
  Ngrams counts;
  for (std::size_t begin = 0; begin + length <= tokens.size(); ++begin) {
    std::string ngram;
    for (std::size_t i = begin; i < begin + length; ++i) ngram += tokens[i] + '\x1F';
    ++counts[ngram];
  }
  return counts;
}

Index matches(const Ngrams& hypothesis, const Ngrams& reference) {
  Index sum = 0;
  for (const auto& [ngram, count] : hypothesis) {
    const auto found = reference.find(ngram);
    if (found != reference.end()) sum += std::min(count, found->second);
  }
  return sum;
}

// How many n-grams a text of so many tokens has.
Index total(std::size_t tokens, std::size_t length) {
  return tokens < length ? 0 : static_cast<Index>(tokens - length + 1);
}

}  // namespace

void Bleu::Counts::add(const Counts& other, Index times) {
  hypothesis += times * other.hypothesis;
  reference += times * other.reference;
  for (std::size_t n = 0; n < kOrder; ++n) {
    correct[n] += times * other.correct[n];
    total[n] += times * other.total[n];
  }
}

double Bleu::Counts::brevity() const {
  if (hypothesis >= reference) return 1.0;
  if (hypothesis == 0) return 0.0;
  return std::exp(1.0 - static_cast<double>(reference) / static_cast<double>(hypothesis));
}

std::array<double, Bleu::kOrder> Bleu::Counts::precisions() const {
  std::array<double, kOrder> result{};
  double smooth = 1.0;
  for (std::size_t n = 0; n < kOrder && total[n] > 0; ++n) {
    if (correct[n] == 0) smooth *= 2.0;
    const double right = correct[n] == 0 ? 1.0 / smooth : static_cast<double>(correct[n]);
    result[n] = 100.0 * right / static_cast<double>(total[n]);
  }
  return result;
}

double Bleu::Counts::score() const {
  if (std::all_of(correct.begin(), correct.end(), [](Index count) { return count == 0; })) {
    return 0.0;
  }
  double logs = 0.0;
  for (const double precision : precisions()) {
    if (precision == 0.0) return 0.0;  // no n-grams of this length at all
    logs += std::log(precision);
  }
  return brevity() * std::exp(logs / static_cast<double>(kOrder));
}

void Bleu::add(std::string_view hypothesis, std::string_view reference) {
  const std::vector<std::string> said = score_tokens(hypothesis, tokens_);
  const std::vector<std::string> meant = score_tokens(reference, tokens_);
  Counts counts;
  counts.hypothesis = std::ssize(said);
  counts.reference = std::ssize(meant);
  for (std::size_t n = 0; n < kOrder; ++n) {
    counts.correct[n] = matches(ngrams(said, n + 1), ngrams(meant, n + 1));
    counts.total[n] = heed::total(said.size(), n + 1);
  }
  all_.add(counts);
  sentences_.push_back(counts);
}

Measure Bleu::measure(const BootstrapOptions& options) const {
  if (sentences_.empty()) return {};
  const std::vector<Index> ones(sentences_.size(), 1);
  const auto score = [&](std::span<const Index> drawn, std::span<double> scores) {
    Counts sum;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      if (drawn[i] > 0) sum.add(sentences_[i], drawn[i]);
    }
    scores[0] = sum.score() / 100.0;
  };
  const Measure measure = bootstrap(ones, 1, score, options)[0];  // as a part of 1
  const Interval& interval = measure.interval;
  return {100.0 * measure.value,
          {100.0 * interval.low, 100.0 * interval.high, interval.confidence}};
}

std::string Bleu::signature() const {
  return fmt::format("nrefs:1|case:mixed|eff:no|tok:{}|smooth:exp|version:{}", name_of(tokens_),
                     kVersion);
}

void Chrf::add(std::string_view hypothesis, std::string_view reference) {
  const std::vector<std::string> said = characters_of(hypothesis, Spaces::kDropped);
  const std::vector<std::string> meant = characters_of(reference, Spaces::kDropped);
  for (std::size_t n = 0; n < kOrder; ++n) {
    const Index in_reference = total(meant.size(), n + 1);
    // Where the reference has no such n-grams the hypothesis' do not count against it.
    if (in_reference > 0) all_[n].hypothesis += total(said.size(), n + 1);
    all_[n].reference += in_reference;
    all_[n].correct += matches(ngrams(said, n + 1), ngrams(meant, n + 1));
  }
}

double Chrf::score() const {
  constexpr double kRecall = 4.0;  // β², β = 2
  double precision = 0.0, recall = 0.0, orders = 0.0;
  for (const Counts& counts : all_) {
    if (counts.hypothesis == 0 || counts.reference == 0) continue;
    precision += static_cast<double>(counts.correct) / static_cast<double>(counts.hypothesis);
    recall += static_cast<double>(counts.correct) / static_cast<double>(counts.reference);
    ++orders;
  }
  if (precision + recall == 0.0) return 0.0;
  precision /= orders;
  recall /= orders;
  return 100.0 * (1.0 + kRecall) * precision * recall / (kRecall * precision + recall);
}

std::string Chrf::signature() {
  return fmt::format("nrefs:1|case:mixed|eff:yes|nc:{}|nw:0|space:no|version:{}", kOrder, kVersion);
}

}  // namespace heed
