#include "heed/eval/thresholds.h"

#include <algorithm>

#include "heed/base/random.h"
#include "heed/eval/score.h"

namespace heed {
namespace {

constexpr float kNothingKnown = 0.5f;  // where no text has the label

// The threshold with the best F1 among all that make a difference; `support` is how many labels
// are right in all, found or not.
float best_threshold(std::vector<ScoredLabel> labels, Index support) {
  if (support == 0 || labels.empty()) return kNothingKnown;
  std::sort(labels.begin(), labels.end(), [](const ScoredLabel& a, const ScoredLabel& b) {
    return a.probability > b.probability;
  });
  ClassScore score{.support = support};
  double best = 0.0;
  float threshold = kNothingKnown;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    ++score.predicted;
    score.correct += labels[i].right ? 1 : 0;
    const float next = i + 1 < labels.size() ? labels[i + 1].probability : 0.0f;
    // Those that are equally likely are said together.
    if (next == labels[i].probability || score.f1() <= best) continue;
    best = score.f1();
    threshold = 0.5f * (labels[i].probability + next);
  }
  return threshold;
}

using Texts = std::vector<const ScoredLabels*>;

std::vector<float> one_for_all(const Texts& texts, Index labels) {
  std::vector<ScoredLabel> all;
  Index support = 0;
  for (const ScoredLabels* text : texts) {
    all.insert(all.end(), text->labels.begin(), text->labels.end());
    support += std::ssize(text->truth);
  }
  return std::vector<float>(static_cast<std::size_t>(labels),
                            best_threshold(std::move(all), support));
}

std::vector<float> one_for_each(const Texts& texts, Index labels) {
  std::vector<float> thresholds = one_for_all(texts, labels);
  std::vector<std::vector<ScoredLabel>> each(static_cast<std::size_t>(labels));
  std::vector<Index> support(static_cast<std::size_t>(labels));
  for (const ScoredLabels* text : texts) {
    for (const ScoredLabel& label : text->labels) {
      each[static_cast<std::size_t>(label.label)].push_back(label);
    }
    for (const std::int32_t label : text->truth) {
      if (label >= 0 && label < labels) ++support[static_cast<std::size_t>(label)];
    }
  }
  for (std::size_t label = 0; label < each.size(); ++label) {
    if (support[label] < kEnoughTexts) continue;
    thresholds[label] = best_threshold(std::move(each[label]), support[label]);
  }
  return thresholds;
}

double f1_of(const Texts& texts, std::span<const float> thresholds) {
  ClassScore score;
  for (const ScoredLabels* text : texts) {
    score.support += std::ssize(text->truth);
    for (const ScoredLabel& label : text->labels) {
      if (label.probability < thresholds[static_cast<std::size_t>(label.label)]) continue;
      ++score.predicted;
      score.correct += label.right ? 1 : 0;
    }
  }
  return score.f1();
}

}  // namespace

double micro_f1(std::span<const ScoredLabels> texts, std::span<const float> thresholds) {
  Texts all;
  for (const ScoredLabels& text : texts) all.push_back(&text);
  return f1_of(all, thresholds);
}

std::vector<float> choose_thresholds(std::span<const ScoredLabels> texts, Index labels,
                                     Thresholds kind) {
  Texts all, halves[2];
  for (std::size_t i = 0; i < texts.size(); ++i) {
    all.push_back(&texts[i]);
    halves[mix(i) % 2].push_back(&texts[i]);  // at random: texts may come in a pattern
  }
  if (kind == Thresholds::kOneForAll) return one_for_all(all, labels);
  double shared = 0.0, own = 0.0;
  for (const int half : {0, 1}) {
    shared += f1_of(halves[1 - half], one_for_all(halves[half], labels));
    own += f1_of(halves[1 - half], one_for_each(halves[half], labels));
  }
  return own > shared ? one_for_each(all, labels) : one_for_all(all, labels);
}

}  // namespace heed
