#pragma once

#include <optional>
#include <string>

#include "heed/data/dataset.h"
#include "heed/model/model.h"

namespace heed {

// What one would have without a network, on the same data: so that everybody sees what it adds.
struct Baseline {
  std::string name;    // "each word's most frequent tag"
  double score = 0.0;  // the same measure as the model's
};

// What a baseline may learn from and is scored on.
struct BaselineData {
  const Dataset& train;
  const Dataset& dev;
  // The model of the run and what it was judged by, where there is one: it may know the answer.
  Model* model = nullptr;
  const Examples* dev_examples = nullptr;
};

// Nothing where it would take more than `seconds`.
using MakeBaseline = std::optional<Baseline> (*)(const BaselineData& data, double seconds,
                                                 int workers);

// Labels of texts: a linear SVM for each class and naive Bayes, over TF-IDF features of
// words, pairs of words and character n-grams, as model/wide/tfidf has them. The score is the
// accuracy. A model that has them beside its network is asked for their scores.
std::optional<Baseline> linear_on_tfidf(const BaselineData& data, double seconds, int workers);

// Tags of words: each word's most frequent tag, of unknown words the most frequent of all. The
// score is that of the tags output: accuracy, or F1 of spans.
std::optional<Baseline> most_frequent_tag(const BaselineData& data, double seconds, int workers);

// The linear CRF that a model has beside its network, by itself; where it has none, each word's
// most frequent tag.
std::optional<Baseline> linear_crf_alone(const BaselineData& data, double seconds, int workers);

}  // namespace heed
