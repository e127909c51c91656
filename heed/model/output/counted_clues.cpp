#include "heed/model/output/counted_clues.h"

#include <cmath>
#include <numeric>

#include "heed/grad/embedding.h"
#include "heed/grad/linear.h"
#include "heed/model/output/clues.h"

namespace heed {
namespace {

constexpr float kSmoothing = 0.05f;  // how often each clue has been in every class before

// Row `entries` of the counts: the sum of all others.
Index entries_of(const Tensor& counts) { return counts.rows() - 1; }

}  // namespace

const Parameter& add_counted(const Scope& scope, std::string_view name, const Shape& shape,
                             float first) {
  const Parameter* there = scope.parameters().find(scope.path(name));
  return there != nullptr ? *there
                          : scope.add(name, shape, Init::constant(first), {.frozen = true});
}

CountedClues::CountedClues(const Scope& scope, const Scope& counted, const Config& config) {
  const auto classes = static_cast<Index>(config.output.names.size());
  const ClueOptions& options = config.text.clues;
  counts_ =
      &add_counted(counted, "counts", {std::max<Index>(1, options.entries) + 1, classes}, 0.0f);
  loudness_ =
      &scope.add("loudness", {1, classes}, Init::constant(options.counted), {.decay = false});
}

void CountedClues::count(std::span<const Example> examples, const Tensor& idf,
                         const Tensor& counts) {
  std::fill_n(counts.data, counts.count(), 0.0f);
  std::vector<float> weights;
  for (const Example& example : examples) {
    if (example.label == kNoAnswer) continue;
    weights.resize(example.clues.size());
    weigh_clues(example.clues, example.clue_counts, idf, weights);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      counts.row(example.clues[i])[example.label] += weights[i];
    }
  }
  for (Index label = 0; label < counts.columns(); ++label) {
    double sum = 0.0;
    for (Index id = 0; id < entries_of(counts); ++id) {
      sum += static_cast<double>(counts.row(id)[label]);
    }
    counts.row(entries_of(counts))[label] = static_cast<float>(sum);
  }
}

Var CountedClues::operator()(Context& context, const BatchPart& part, const Layout& layout,
                             std::span<const float> weights) const {
  const Tensor& counts = counts_->value;
  const Index classes = counts.columns(), entries = entries_of(counts);
  const float* of_class = counts.row(entries);
  const float all = std::accumulate(of_class, of_class + classes, 0.0f);
  const Tensor scores = context.arena().tensor({layout.count(), classes});
  for (Index s = 0; s < layout.count(); ++s) {
    const std::int32_t own =
        context.training() ? part.labels[static_cast<std::size_t>(s)] : kNoAnswer;
    float total = 0.0f;  // of the weights
    float* score = scores.row(s);
    std::fill_n(score, classes, 0.0f);
    for (Index i = layout.begin(s); i < layout.end(s); ++i) {
      const float weight = weights[static_cast<std::size_t>(i)];
      const float* row = counts.row(part.clues[static_cast<std::size_t>(i)]);
      total += weight;
      // A text of its own class is not among the others of that class, but of every other.
      const float here = std::accumulate(row, row + classes, 0.0f);
      for (Index label = 0; label < classes; ++label) {
        const float taken = own == kNoAnswer || own == label ? 0.0f : weight;
        const float others = std::max(here - row[label] - taken, 0.0f);
        score[label] -= weight * std::log(others + kSmoothing);
      }
    }
    float mean = 0.0f;
    for (Index label = 0; label < classes; ++label) {
      const float taken = own == kNoAnswer || own == label ? 0.0f : total;
      const float others = std::max(all - of_class[label] - taken, 0.0f);
      score[label] += total * std::log(others + kSmoothing * static_cast<float>(entries));
      mean += score[label] / static_cast<float>(classes);
    }
    for (Index label = 0; label < classes; ++label) score[label] -= mean;
  }
  const auto first = context.arena().array<std::int32_t>(layout.count());
  std::fill(first.begin(), first.end(), 0);
  const Var loudness = grad::embedding(context, first, *loudness_);  // (sequences, classes)
  return grad::multiply(context, loudness, context.constant(scores, "counted clues"));
}

}  // namespace heed
