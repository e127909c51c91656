#include "heed/model/output/label.h"
#include "heed/model/wide/tfidf.h"
#include "heed/train/defaults.h"
#include "heed/train/defaults/text.h"

namespace heed {
namespace {

void start(const Config& said, Config& config) {
  TextOptions& text = config.input.as<TextInput>()->options();
  start_text(said, text);
  text.tokenizer.vocabulary = has_words(said) ? 100000 : 30000;
  if (auto* body = config.body.as<AttentionBody>()) {
    start_attention(*body);
    // Layers that begin as little more than a bag of words, and vectors that keep their length,
    // which says how much a word matters: mr 73.7 → 74.9 %, as above.
    body->options().encoder.branch = 0.2f;
    body->options().encoder.last_norm = false;
  }
  LabelOptions& label = config.output.as<LabelOutput>()->options();
  label.classes.smoothing = 0.1f;
  label.pooling = nn::PoolingKind::kMeanMax;
  config.wide = Choice<Wide>("tfidf");
}

// Where texts are long, attention takes many times as long as a bag of words.
std::string settle(const Dataset& train, Config& config) {
  constexpr double kLong = 700.0;  // bytes, a hundred words or so
  double bytes = 0.0;
  for (const Record& record : train.records) bytes += static_cast<double>(content_bytes(record));
  if (bytes < kLong * static_cast<double>(train.size())) return {};
  config.body = Choice<Body>("bag");
  return "the texts are long: words are read without attention to each other (--body attention "
         "changes that)";
}

}  // namespace

const PairDefaults kTextLabel = {"text", "label", "attention", start, settle, 1.0, tfidf_svm};

}  // namespace heed
