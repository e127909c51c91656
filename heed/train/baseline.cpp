#include "heed/train/baseline.h"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>

#include "heed/data/examples.h"
#include "heed/model/output/label.h"
#include "heed/model/output/tags.h"
#include "heed/model/wide/linear_crf.h"
#include "heed/model/wide/tfidf_network.h"

namespace heed {
namespace {

// Texts with the features of a wide part and the labels of an output, and nothing else.
StoredExamples examples_of(const Dataset& data, const TfidfWide& wide, const LabelOutput& output) {
  Batch batch;
  for (const Record& record : data.records) {
    batch.lengths.push_back(1);
    wide.prepare(record.content, batch);
    output.prepare(record.answer, batch);
  }
  return StoredExamples(std::move(batch));
}

// Whether the first of the highest scores is the label, for all examples.
template <typename Scores>
double accuracy(const Examples& examples, const Scores& scores) {
  Index right = 0;
  Batch one;
  Context context;
  for (Index i = 0; i < examples.count(); ++i) {
    one.clear();
    examples.load(i, one);
    context.begin(Mode::kEvaluate);
    const Var row = scores(context, one);  // (1, classes)
    const float* best = std::max_element(row.value.data, row.value.data + row.value.count());
    right += labels_of(one).front() == best - row.value.data ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(std::max<Index>(1, examples.count()));
}

constexpr const char* kLinear = "a linear SVM and naive Bayes on TF-IDF";

}  // namespace

std::optional<Baseline> linear_on_tfidf(const BaselineData& data, double seconds, int workers) {
  if (data.model != nullptr) {
    if (data.model->config().wide.as<TfidfWide>() != nullptr) {
      return Baseline{kLinear,
                      accuracy(*data.dev_examples, [&](Context& context, const Batch& batch) {
                        return data.model->wide_scores(context, batch);
                      })};
    }
  }
  LabelOutput output;
  output.fit(data.train, false);
  TfidfWide wide;
  wide.fit(data.train, output.classes());
  Parameters parameters(1);
  TfidfNetwork network(parameters, wide.options(), output.classes());
  if (!network.learn(examples_of(data.train, wide, output), workers, seconds)) return {};
  return Baseline{kLinear, accuracy(examples_of(data.dev, wide, output),
                                    [&](Context& context, const Batch& batch) {
                                      return network(context, batch);
                                    })};
}

std::optional<Baseline> most_frequent_tag(const BaselineData& data, double, int) {
  const Dataset &train = data.train, &dev = data.dev;
  TagsOutput output;
  output.fit(train, false);
  std::unordered_map<std::string, std::map<std::int32_t, Index>> counts;
  std::map<std::int32_t, Index> all;
  Batch batch;
  // Calls take(word, tag) with all words of a data set.
  const auto each = [&](const Record& record, const auto& take) {
    const auto& words = std::get<Sentence>(record.content).words;
    batch.clear();
    batch.lengths.push_back(std::ssize(words));
    output.prepare(record.answer, batch);
    const auto tags = batch.answer.integers(0).values();
    for (std::size_t i = 0; i < words.size(); ++i) take(words[i], tags[i]);
  };
  const auto most = [](const std::map<std::int32_t, Index>& tags) {
    return std::max_element(tags.begin(), tags.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  };
  for (const Record& record : train.records) {
    each(record, [&](const std::string& word, std::int32_t tag) {
      ++counts[word][tag];
      ++all[tag];
    });
  }
  const std::int32_t unknown = most(all);
  const std::unique_ptr<Measures> measures = output.measures();
  for (const Record& record : dev.records) {
    Prediction prediction;
    each(record, [&](const std::string& word, std::int32_t) {
      const auto known = counts.find(word);
      prediction.rows.push_back({{known == counts.end() ? unknown : most(known->second), 1.0f}});
    });
    measures->add(record.answer, prediction);
  }
  return Baseline{"each word's most frequent tag", measures->score()};
}

std::optional<Baseline> linear_crf_alone(const BaselineData& data, double seconds, int workers) {
  if (data.model == nullptr || data.model->config().wide.as<LinearCrfWide>() == nullptr) {
    return most_frequent_tag(data, seconds, workers);
  }
  const Output& output = *data.model->config().output;
  const std::unique_ptr<Measures> measures = output.measures();
  Batch one;
  Context context;
  for (Index i = 0; i < data.dev_examples->count(); ++i) {
    one.clear();
    data.dev_examples->load(i, one);
    context.begin(Mode::kEvaluate);
    const Var scores = data.model->wide_scores(context, one);  // (rows, tags)
    Prediction prediction;
    for (Index row = 0; row < scores.rows(); ++row) {
      prediction.rows.push_back(best_candidates(
          {scores.value.row(row), static_cast<std::size_t>(scores.columns())}, scores.columns()));
    }
    output.settle(prediction);
    measures->add(data.dev[i].answer, prediction);
  }
  return Baseline{"a linear CRF on features of words", measures->score()};
}

}  // namespace heed
