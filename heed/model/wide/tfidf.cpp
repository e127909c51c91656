#include "heed/model/wide/tfidf.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "heed/base/display.h"
#include "heed/base/radix_sort.h"
#include "heed/data/text/char_ngrams.h"
#include "heed/data/text/words.h"
#include "heed/model/options.h"
#include "heed/model/wide/tfidf_network.h"

namespace heed {
namespace {

constexpr const char* kWordsFile = "/wide_words.txt";
constexpr const char* kPairsFile = "/wide_pairs.txt";
constexpr const char* kNgramsFile = "/wide_ngrams.txt";

// The words of a content, prepared.
class PreparedWords {
 public:
  explicit PreparedWords(const TfidfOptions& options) : options_(options) {}

  // Valid until the next call.
  std::span<const std::string_view> of(const Content& content) {
    words_.clear();
    made_.clear();
    if (const auto* text = std::get_if<Text>(&content)) {
      split(text->text);
      if (text->second) append_second(*text->second);
    } else if (const auto* sentence = std::get_if<Sentence>(&content)) {
      for (const std::string& word : sentence->words) {
        prepare(word, options_.normalization, options_.lowercase, made_.emplace_back());
        words_.push_back(made_.back());
      }
    }
    return words_;
  }

 private:
  void split(std::string_view text) {
    prepare(text, options_.normalization, options_.lowercase, prepared_);
    Words rest(prepared_);
    for (std::string_view word; rest.next(word);) words_.push_back(word);
  }

  // Words of the second text of a pair are others than those of the first. No word has a |.
  void append_second(std::string_view text) {
    std::string prepared;
    prepare(text, options_.normalization, options_.lowercase, prepared);
    Words rest(prepared);
    for (std::string_view word; rest.next(word);) {
      words_.push_back(made_.emplace_back().append("2|").append(word));
    }
  }

  const TfidfOptions& options_;
  std::string prepared_;
  std::deque<std::string> made_;
  std::vector<std::string_view> words_;
};

}  // namespace

template <class Archive>
void describe(Archive& archive, TfidfNgramOptions& options) {
  archive.field("most", options.most, between(0, kMostEntries));
  archive.field("shortest", options.shortest, between(1, 100));
  archive.field("longest", options.longest, between(1, 100));
  archive.field("min_count", options.min_count, at_least(1));
  archive.field("entries", options.entries, between(0, kMostEntries));
  archive.check("longest", options.shortest <= options.longest,
                fmt::format("at least {}, as the shortest", options.shortest));
}

template <class Archive>
void describe(Archive& archive, TfidfOptions& options) {
  archive.field("words", options.words, between(2, kMostEntries));
  archive.field("pairs", options.pairs, between(0, kMostEntries));
  archive.field("min_count", options.min_count, at_least(1));
  archive.field("pairs_min_count", options.pairs_min_count, at_least(1));
  archive.field("char_ngrams", options.char_ngrams);
  archive.field("lowercase", options.lowercase);
  archive.field("normalization", options.normalization);
  archive.field("entries", options.entries, between(0, 3 * kMostEntries));
  archive.field("every", options.every, at_least(1));
  archive.field("svm", options.svm, at_least(0));
  archive.field("naive_bayes", options.naive_bayes, at_least(0));
  archive.field("balance", options.balance, between(0, 1));
  archive.field("weight", options.weight, at_least(0));
  archive.field("network_weight", options.network_weight, at_least(0));
}

template void describe(JsonReader&, TfidfOptions&);
template void describe(JsonWriter&, TfidfOptions&);

bool TfidfWide::reads(const Content& content) const {
  return std::holds_alternative<Text>(content) || std::holds_alternative<Sentence>(content);
}

void TfidfWide::fit(const Dataset& train, Index classes) {
  // Not those of the run whose config this is.
  options_.balance = options_.weight = options_.network_weight = 1.0f;
  Index bytes = 0;
  for (const Record& record : train.records) bytes += content_bytes(record);
  options_.every = 1 + bytes / kMostBytes;
  const auto each_record = [&](const auto& take) {
    for (Index i = 0; i < train.size(); i += options_.every) take(train[i].content);
  };
  PreparedWords prepared(options_);
  const auto each_word_of_all = [&](const auto& take) {
    each_record([&](const Content& content) {
      for (const std::string_view word : prepared.of(content)) take(word);
    });
  };
  auto features = std::make_shared<Features>();
  Index most = std::max<Index>(2, kMostScores / std::max<Index>(1, classes));
  TfidfNgramOptions& ngrams = options_.char_ngrams;
  // Of many classes n-grams get at most a third of the table.
  if (const Index size = std::min(ngrams.most, most / 3); size > 0) {
    WordCounts counts;
    CharNgrams each(ngrams.shortest, ngrams.longest);
    each_word_of_all([&](std::string_view word) {
      each(word, [&](std::string_view ngram) { counts.add(ngram); });
    });
    features->ngrams = Vocabulary(counts, size, ngrams.min_count);
  }
  ngrams.entries = features->ngrams.size() > 1 ? features->ngrams.size() : 0;
  most -= ngrams.entries;
  {
    WordCounts counts;
    each_word_of_all([&](std::string_view word) { counts.add(word); });
    features->words = Vocabulary(counts, std::min(options_.words, most), options_.min_count);
  }
  const Index pairs = std::min(options_.pairs, most - features->words.size());
  if (pairs > 0) {
    WordPairs::Counts counts;
    std::vector<std::int32_t> known;
    each_record([&](const Content& content) {
      known.assign(1, Vocabulary::kUnknown);
      features->words.find(prepared.of(content), known);
      for (std::size_t i = 1; i < known.size(); ++i) counts.add(known[i - 1], known[i]);
    });
    features->pairs = WordPairs(counts, pairs, options_.pairs_min_count);
  }
  options_.entries = features->words.size() + features->pairs.size() + ngrams.entries;
  features_ = features;
  if (!has_ngrams() || expected_values(train) <= kMostValues) return;
  options_.entries -= ngrams.entries;
  ngrams.entries = 0;
  features->ngrams = Vocabulary();
}

// Features of all texts that are learned from, each counted once in a text, by a part of them.
Index TfidfWide::expected_values(const Dataset& train) const {
  constexpr Index kSample = 1000;
  const Index texts = 1 + (train.size() - 1) / options_.every;
  const Index step = 1 + texts / kSample;
  Batch batch;
  Index looked_at = 0;
  for (Index i = 0; i < train.size(); i += step * options_.every, ++looked_at) {
    prepare(train[i].content, batch);
  }
  const Index found = std::ssize(batch.wide.integers(kFeatures).values());
  return looked_at == 0 ? 0 : found * texts / looked_at;
}

void TfidfWide::append_ngrams(std::string_view word, std::int32_t known, CharNgrams& each,
                              std::vector<std::int32_t>& found) const {
  const auto first = static_cast<std::int32_t>(features_->words.size() + features_->pairs.size());
  const auto append = [&](std::vector<std::int32_t>& to) {
    each(word, [&](std::string_view ngram) {
      const std::int32_t number = features_->ngrams.find(ngram);
      if (number != Vocabulary::kUnknown) to.push_back(first + number);
    });
  };
  const auto index = static_cast<std::size_t>(known);
  if (known == Vocabulary::kUnknown || index >= features_->of_frequent.size()) {
    append(found);
    return;
  }
  const std::span<const std::int32_t> kept = features_->of_frequent.get(index, append);
  found.insert(found.end(), kept.begin(), kept.end());
}

void TfidfWide::prepare(const Content& content, Batch& batch) const {
  PreparedWords prepared(options_);
  const std::span<const std::string_view> words = prepared.of(content);
  std::vector<std::int32_t> known, found;
  features_->words.find(words, known);
  std::int32_t previous = Vocabulary::kUnknown;
  const auto first_pair = static_cast<std::int32_t>(features_->words.size());
  CharNgrams each_ngram(options_.char_ngrams.shortest, options_.char_ngrams.longest);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (known[i] != Vocabulary::kUnknown) found.push_back(known[i]);
    const std::int32_t pair = features_->pairs.find(previous, known[i]);
    if (pair >= 0) found.push_back(first_pair + pair);
    previous = known[i];
    if (has_ngrams()) append_ngrams(words[i], known[i], each_ngram, found);
  }
  found.push_back(Vocabulary::kUnknown);  // once in each text: its score is the bias
  thread_local std::vector<std::int32_t> scratch;
  radix_sort(found, scratch);
  Ragged<std::int32_t>& features = batch.wide.integers(kFeatures);
  Ragged<std::int32_t>& counts = batch.wide.integers(kCounts);
  for (std::size_t begin = 0; begin < found.size();) {
    std::size_t end = begin;
    while (end < found.size() && found[end] == found[begin]) ++end;
    features.push(found[begin]);
    counts.push(static_cast<std::int32_t>(end - begin));
    begin = end;
  }
  features.close();
  counts.close();
}

std::string TfidfWide::summary() const {
  const std::string ngrams = has_ngrams() ? fmt::format(" and {} character n-grams",
                                                        with_commas(options_.char_ngrams.entries))
                                          : std::string();
  return fmt::format("an SVM and naive Bayes over TF-IDF of {} words{} {} pairs{}",
                     with_commas(features_->words.size()), has_ngrams() ? "," : " and",
                     with_commas(features_->pairs.size()), ngrams);
}

void TfidfWide::save(const std::string& folder) const {
  features_->words.save(folder + kWordsFile);
  features_->pairs.save(folder + kPairsFile, features_->words);
  if (has_ngrams()) features_->ngrams.save(folder + kNgramsFile);
}

void TfidfWide::load(const std::string& folder) {
  auto features = std::make_shared<Features>();
  features->words = Vocabulary::load(folder + kWordsFile);
  features->pairs = WordPairs::load(folder + kPairsFile, features->words);
  if (has_ngrams()) features->ngrams = Vocabulary::load(folder + kNgramsFile);
  const Index ngrams = has_ngrams() ? features->ngrams.size() : 0;
  const Index entries = features->words.size() + features->pairs.size() + ngrams;
  if (entries != options_.entries || ngrams != options_.char_ngrams.entries) {
    throw FormatError(fmt::format(
        "{}: {} words, pairs and n-grams for TF-IDF, config.json says {}: one of them was changed",
        folder, entries, options_.entries));
  }
  features_ = std::move(features);
}

std::unique_ptr<WideNetwork> TfidfWide::network(const Scope& scope, Index classes) const {
  return std::make_unique<TfidfNetwork>(scope, options_, classes);
}

}  // namespace heed
