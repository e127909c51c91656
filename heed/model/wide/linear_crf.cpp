#include "heed/model/wide/linear_crf.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/display.h"
#include "heed/model/options.h"
#include "heed/model/wide/linear_crf_network.h"
#include "heed/model/wide/word_features.h"

namespace heed {
namespace {

constexpr const char* kFeaturesFile = "/wide_features.txt";

}  // namespace

template <class Archive>
void describe(Archive& archive, LinearCrfOptions& options) {
  archive.field("features", options.features, between(2, kMostEntries));
  archive.field("min_count", options.min_count, at_least(1));
  archive.field("entries", options.entries, between(0, kMostEntries));
  archive.field("every", options.every, at_least(1));
  archive.field("l2", options.l2, at_least(0));
  archive.field("rate", options.rate, above(0));
  archive.field("epochs", options.epochs, at_least(1));
  archive.field("weight", options.weight, at_least(0));
}

template void describe(JsonReader&, LinearCrfOptions&);
template void describe(JsonWriter&, LinearCrfOptions&);

bool LinearCrfWide::reads(const Content& content) const {
  return std::holds_alternative<Sentence>(content);
}

void LinearCrfWide::fit(const Dataset& train, Index classes) {
  const auto words_of = [&](Index i) -> const std::vector<std::string>& {
    return std::get<Sentence>(train[i].content).words;
  };
  Index words = 0;
  for (Index i = 0; i < train.size(); ++i) words += std::ssize(words_of(i));
  options_.every = 1 + words / kMostWords;
  WordCounts counts;
  for (Index i = 0; i < train.size(); i += options_.every) {
    each_word_feature(words_of(i),
                      [&](std::size_t, std::string_view feature) { counts.add(feature); });
  }
  const Index most = std::max<Index>(2, kMostScores / std::max<Index>(1, classes));
  features_ = std::make_shared<const Vocabulary>(counts, std::min(options_.features, most),
                                                 options_.min_count);
  options_.entries = features_->size();
}

void LinearCrfWide::prepare(const Content& content, Batch& batch) const {
  const Index rows = batch.lengths.back();
  std::vector<std::int32_t> of_rows(static_cast<std::size_t>(rows), 0);
  std::span<const std::string> words = std::get<Sentence>(content).words;
  Ragged<std::int32_t>& features = batch.wide.integers(kFeatures);
  each_word_feature(words, [&](std::size_t row, std::string_view feature) {
    const std::int32_t found = features_->find(feature);
    if (found == Vocabulary::kUnknown || row >= of_rows.size()) return;
    features.push(found);
    ++of_rows[row];
  });
  features.close();
  batch.wide.integers(kCounts).add(of_rows);
}

std::string LinearCrfWide::summary() const {
  return fmt::format("a linear CRF over {} features", with_commas(features_->size()));
}

void LinearCrfWide::save(const std::string& folder) const {
  features_->save(folder + kFeaturesFile);
}

void LinearCrfWide::load(const std::string& folder) {
  auto features = std::make_shared<const Vocabulary>(Vocabulary::load(folder + kFeaturesFile));
  if (features->size() != options_.entries) {
    throw FormatError(
        fmt::format("{}: {} features of words, config.json says {}: one of them was changed",
                    folder, features->size(), options_.entries));
  }
  features_ = std::move(features);
}

std::unique_ptr<WideNetwork> LinearCrfWide::network(const Scope& scope, Index classes) const {
  return std::make_unique<LinearCrfNetwork>(scope, options_, classes);
}

}  // namespace heed
