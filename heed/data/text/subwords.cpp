#include "heed/data/text/subwords.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "heed/base/error.h"
#include "heed/data/text/unicode.h"

namespace heed {
namespace {

// SentencePiece leaves out longer sentences.
constexpr std::size_t kLongest = 4000;
// More text than this changes the pieces little and the time much (unigram: about 1 s per MB).
constexpr std::size_t kEnough = 8 << 20;

// Texts as SentencePiece wants them: no line ends, none too long, and not more than enough.
std::vector<std::string> sentences_of(std::span<const std::string> texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  const std::size_t stride = bytes / kEnough + 1;
  std::vector<std::string> sentences;
  std::string sentence;
  const auto finish = [&] {
    if (sentence.find_first_not_of(' ') != sentence.npos) sentences.push_back(sentence);
    sentence.clear();
  };
  for (std::size_t i = 0; i < texts.size(); i += stride) {
    for (std::string_view rest = texts[i]; !rest.empty();) {
      const char32_t code_point = next_code_point(rest);
      const Category kind = category(code_point);
      const bool space = kind == Category::kSpace || kind == Category::kControl;
      if (sentence.size() >= kLongest || (space && sentence.size() >= kLongest / 2)) finish();
      append_code_point(space ? U' ' : code_point, sentence);
    }
    finish();
  }
  return sentences;
}

class Sentences : public sentencepiece::SentenceIterator {
 public:
  explicit Sentences(const std::vector<std::string>& all) : all_(all) {}
  bool done() const override { return next_ >= all_.size(); }
  void Next() override { ++next_; }
  const std::string& value() const override { return all_[next_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  const std::vector<std::string>& all_;
  std::size_t next_ = 0;
};

// Of 2,000 characters that are written one may be unknown, as SentencePiece has it.
constexpr double kUsualCoverage = 0.9995;
// Where even then the characters fill the vocabulary, as those of Chinese may, rare ones become
// unknown: so many may be.
constexpr double kLeastCoverage = 0.98;

// How often each character occurs, the most frequent first.
std::vector<Index> character_counts(const std::vector<std::string>& sentences) {
  std::unordered_map<char32_t, Index> counts;
  for (const std::string& sentence : sentences) {
    for (std::string_view rest = sentence; !rest.empty();) ++counts[next_code_point(rest)];
  }
  std::vector<Index> sorted;
  for (const auto& [character, count] : counts) sorted.push_back(count);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  return sorted;
}

// The part of all that is written which the `most` most frequent characters make up.
double coverage_of(const std::vector<Index>& counts, Index most) {
  const auto first = std::min(counts.size(), static_cast<std::size_t>(most));
  const auto all = std::reduce(counts.begin(), counts.end());
  return static_cast<double>(
             std::reduce(counts.begin(), counts.begin() + static_cast<Index>(first))) /
         static_cast<double>(all);
}

std::string train_subwords(Subwords::Method method, Index size, double coverage,
                           const std::vector<std::string>& sentences, std::string& bytes) {
  Sentences iterator(sentences);
  const auto status = sentencepiece::SentencePieceTrainer::Train(
      {{"model_type", method == Subwords::Method::kBpe ? "bpe" : "unigram"},
       {"vocab_size", std::to_string(std::min<Index>(size, 1 << 24))},
       {"hard_vocab_limit", "false"},
       {"character_coverage", fmt::format("{:.6f}", coverage)},
       {"unk_id", "0"},
       {"unk_piece", "<unknown>"},
       {"bos_id", "-1"},
       {"eos_id", "-1"},
       {"pad_id", "-1"},
       {"normalization_rule_name", "identity"},
       {"num_threads", "2"},  // part of the result: sums are rounded in the order of threads
       {"minloglevel", "3"}},
      &iterator, &bytes);
  return status.ok() ? std::string() : status.message();
}

}  // namespace

struct Subwords::Model {
  sentencepiece::SentencePieceProcessor processor;
};

Subwords Subwords::train(Method method, Index size, std::span<const std::string> texts) {
  const std::vector<std::string> sentences = sentences_of(texts);
  if (sentences.empty()) fail<UsageError>("tokenizer", "no text to learn subwords from");
  std::string bytes;
  std::string problem = train_subwords(method, size, kUsualCoverage, sentences, bytes);
  if (problem.empty()) return Subwords(std::move(bytes), "SentencePiece");
  const std::vector<Index> counts = character_counts(sentences);
  const double coverage = coverage_of(counts, size * 3 / 4);
  if (coverage >= kLeastCoverage && coverage < kUsualCoverage) {
    problem = train_subwords(method, size, coverage, sentences, bytes);
  }
  if (!problem.empty()) {
    const Index least = std::ssize(counts) + 2;  // every character, the space, the unknown piece
    if (size < least) {
      fail<UsageError>("tokenizer",
                       "a vocabulary of {} is too small for the characters of these texts; ask "
                       "for {} or more",
                       size, least);
    }
    fail<UsageError>("tokenizer", "SentencePiece cannot learn from these texts: {}", problem);
  }
  return Subwords(std::move(bytes), "SentencePiece");
}

Subwords::Subwords(std::string bytes, const std::string& name)
    : bytes_(std::move(bytes)), model_(std::make_unique<Model>()) {
  const auto status = model_->processor.LoadFromSerializedProto(bytes_);
  if (!status.ok() || model_->processor.GetPieceSize() < 1) {
    throw FormatError(name + ": not a SentencePiece model, or a damaged one");
  }
  if (model_->processor.unk_id() != 0) {
    throw FormatError(
        fmt::format("{}: its unknown piece is {}, expected 0", name, model_->processor.unk_id()));
  }
}

Subwords::~Subwords() = default;
Subwords::Subwords(Subwords&&) noexcept = default;
Subwords& Subwords::operator=(Subwords&&) noexcept = default;

Index Subwords::size() const { return model_->processor.GetPieceSize(); }

std::string Subwords::piece(std::int32_t id) const {
  if (id < 0 || id >= size()) fail<ShapeError>("tokenizer", "piece {} of {}", id, size());
  return model_->processor.IdToPiece(id);
}

void Subwords::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  std::string spaced;
  spaced.reserve(text.size());
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t code_point = next_code_point(text);
    const Category kind = category(code_point);
    if (kind == Category::kSpace || kind == Category::kControl) {
      spaced += ' ';
    } else {
      spaced.append(before.substr(0, before.size() - text.size()));
    }
  }
  const std::vector<int> found = model_->processor.EncodeAsIds(spaced);
  ids.insert(ids.end(), found.begin(), found.end());
}

std::string Subwords::decode(std::span<const std::int32_t> ids) const {
  for (const std::int32_t id : ids) piece(id);
  return model_->processor.DecodeIds(std::vector<int>(ids.begin(), ids.end()));
}

}  // namespace heed
