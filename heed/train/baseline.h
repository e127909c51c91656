#pragma once

#include <optional>
#include <string>

#include "heed/data/dataset.h"

namespace heed {

// What one would have without a network, on the same data: so that everybody sees what it adds.
struct Baseline {
  std::string name;    // "TF-IDF + linear SVM"
  double score = 0.0;  // the same measure as the model's
};

// Learns from `train` and is scored on `dev`. Nothing where it would take more than `seconds`.
using MakeBaseline = std::optional<Baseline> (*)(const Dataset& train, const Dataset& dev,
                                                 double seconds, int workers);

// Labels of texts: a linear SVM (liblinear) for each class over TF-IDF features of words and pairs
// of words that occur twice. The score is the accuracy.
std::optional<Baseline> tfidf_svm(const Dataset& train, const Dataset& dev, double seconds,
                                  int workers);

// Tags of words: each word's most frequent tag, of unknown words the most frequent of all. The
// score is that of the tags output: accuracy, or F1 of spans.
std::optional<Baseline> most_frequent_tag(const Dataset& train, const Dataset& dev, double seconds,
                                          int workers);

}  // namespace heed
