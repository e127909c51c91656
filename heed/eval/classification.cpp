#include "heed/eval/classification.h"

namespace heed {
namespace {

// Cells of the confusion matrix that are not empty: the kinds of example that the bootstrap draws.
struct Cells {
  std::vector<std::size_t> truth, predicted;
  std::vector<Index> counts;
};

Cells cells_of(std::span<const Index> confusion, std::size_t classes) {
  Cells cells;
  for (std::size_t cell = 0; cell < confusion.size(); ++cell) {
    if (confusion[cell] == 0) continue;
    cells.truth.push_back(cell / classes);
    cells.predicted.push_back(cell % classes);
    cells.counts.push_back(confusion[cell]);
  }
  return cells;
}

void count(const Cells& cells, std::span<const Index> counts, std::vector<ClassScore>& scores) {
  scores.assign(scores.size(), {});
  for (std::size_t cell = 0; cell < counts.size(); ++cell) {
    scores[cells.truth[cell]].support += counts[cell];
    scores[cells.predicted[cell]].predicted += counts[cell];
    if (cells.truth[cell] == cells.predicted[cell]) {
      scores[cells.truth[cell]].correct += counts[cell];
    }
  }
}

double accuracy(std::span<const ClassScore> scores) {
  Index correct = 0, examples = 0;
  for (const ClassScore& score : scores) {
    correct += score.correct;
    examples += score.support;
  }
  return ClassScore::share(correct, examples);
}

double weighted_f1(std::span<const ClassScore> scores, Index examples) {
  double sum = 0.0;
  for (const ClassScore& score : scores) sum += score.f1() * static_cast<double>(score.support);
  return sum / static_cast<double>(examples);
}

}  // namespace

double macro_f1(std::span<const ClassScore> scores) {
  double sum = 0.0;
  int present = 0;
  for (const ClassScore& score : scores) {
    if (score.support + score.predicted == 0) continue;
    sum += score.f1();
    ++present;
  }
  return present == 0 ? 0.0 : sum / present;
}

Classification score_classes(std::span<const std::int32_t> truth,
                             std::span<const std::int32_t> predicted, Index classes,
                             const BootstrapOptions& options) {
  if (truth.size() != predicted.size()) {
    fail<ShapeError>("score_classes", "expected as many predictions as truths, got {} and {}",
                     predicted.size(), truth.size());
  }
  if (truth.empty()) fail<UsageError>("score_classes", "expected at least one example, got none");
  for (std::size_t i = 0; i < truth.size(); ++i) {
    for (const std::int32_t id : {truth[i], predicted[i]}) {
      if (id < 0 || id >= classes) {
        fail<ShapeError>("score_classes", "expected classes from 0 to {}, got {} in example {}",
                         classes - 1, id, i);
      }
    }
  }
  const auto width = static_cast<std::size_t>(classes);
  Classification result;
  result.examples = static_cast<Index>(truth.size());
  result.confusion.resize(width * width);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    ++result.confusion[static_cast<std::size_t>(truth[i]) * width +
                       static_cast<std::size_t>(predicted[i])];
  }
  const Cells cells = cells_of(result.confusion, width);
  result.scores.resize(width);
  count(cells, cells.counts, result.scores);
  result.weighted_f1 = weighted_f1(result.scores, result.examples);

  std::vector<ClassScore> scores(width);
  const auto measures = bootstrap(
      cells.counts, 2,
      [&](std::span<const Index> counts, std::span<double> found) {
        count(cells, counts, scores);
        found[0] = accuracy(scores);
        found[1] = macro_f1(scores);
      },
      options);
  result.accuracy = measures[0];
  if (options.resamples > 0) {
    Index right = 0;
    for (const ClassScore& score : result.scores) right += score.correct;
    result.accuracy.interval = wilson(right, result.examples, options.confidence);
  }
  result.macro_f1 = measures[1];
  return result;
}

}  // namespace heed
