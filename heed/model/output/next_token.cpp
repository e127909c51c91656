#include "heed/model/output/next_token.h"

#include <fmt/format.h>

#include "heed/base/error.h"
#include "heed/data/lines.h"
#include "heed/model/options.h"
#include "heed/model/output/next_token_measures.h"
#include "heed/model/output/next_token_network.h"

namespace heed {
namespace {

std::string_view prompt_of(const Record& record) {
  const auto* text = std::get_if<Text>(&record.content);
  return text == nullptr ? std::string_view() : std::string_view(text->text);
}

}  // namespace

template <class Archive>
void describe(Archive& archive, NextTokenOptions& options) {
  archive.field("entries", options.entries, between(0, kMostEntries));
  archive.field("smoothing", options.smoothing, part_of_one());
  archive.field("search", options.search);
}

template void describe(JsonReader&, NextTokenOptions&);
template void describe(JsonWriter&, NextTokenOptions&);

void NextTokenOutput::fit(const Dataset& all, bool) {
  for (const Record& record : all.records) {
    if (!is_blank(prompt_of(record))) return;
  }
  throw FormatError(all[0].place.text() + ": all texts are empty; there is nothing to learn");
}

void NextTokenOutput::learn(const Dataset&) { options_.entries = tokenizer_->size(); }

void NextTokenOutput::share(std::shared_ptr<const Tokenizer> tokenizer) {
  tokenizer_ = std::move(tokenizer);
}

void NextTokenOutput::load(const std::string& folder) {
  if (tokenizer_ != nullptr && tokenizer_->size() == options_.entries) return;
  throw FormatError(fmt::format(
      "{}: config.json says that {} tokens are predicted, the tokenizer has {}: one of them was "
      "changed",
      folder, options_.entries, tokenizer_ == nullptr ? 0 : tokenizer_->size()));
}

void NextTokenOutput::balance(const Dataset&) {
  throw UsageError("--balance: texts that are written have no classes to balance");
}

void NextTokenOutput::prepare(const Answer& answer, Batch& batch) const {
  Ragged<std::int32_t>& tokens = batch.answer.integers(0);
  if (const auto* text = std::get_if<Sequence>(&answer)) {
    tokenizer_->encode(text->text, tokens.buffer());
    tokens.push(static_cast<std::int32_t>(options_.entries));  // the end
    tokens.truncate(batch.lengths.back());                     // as the input did
  }
  tokens.close();
}

void NextTokenOutput::keep_rows(Batch& batch, Index first, Index count) const {
  batch.answer.integers(0).keep(first, count);
}

double NextTokenOutput::weight(const Batch& batch) const {
  return static_cast<double>(batch.answer.integers(0).values().size());
}

bool NextTokenOutput::continues(const Batch& batch) const {
  return batch.answer.integers(0).values().empty();
}

const std::string& NextTokenOutput::name_of(std::int32_t index) const {
  fail<UsageError>("next_token", "token {} of a text is not an answer by itself", index);
}

std::unique_ptr<OutputNetwork> NextTokenOutput::network(const Scope&, Index) const {
  return std::make_unique<NextTokenNetwork>(options_);
}

std::unique_ptr<Measures> NextTokenOutput::measures() const {
  return std::make_unique<NextTokenMeasures>(tokenizer_);
}

// Together with the prompt, so that words are joined as they are in a text.
std::string NextTokenOutput::written_text(const Record& record,
                                          std::span<const std::int32_t> tokens) const {
  std::vector<std::int32_t> all;
  tokenizer_->encode(prompt_of(record), all);
  const std::string before = tokenizer_->decode(all);
  all.insert(all.end(), tokens.begin(), tokens.end());
  const std::string whole = tokenizer_->decode(all);
  // A word that goes on may be written with a mark that another one had not.
  return whole.starts_with(before) ? whole.substr(before.size()) : tokenizer_->decode(tokens);
}

Answer NextTokenOutput::answer(const Record& record, const Prediction& prediction) const {
  std::string text(prompt_of(record));
  if (!prediction.written.empty()) {
    text += written_text(record, prediction.written.front().tokens);
  }
  return Sequence{std::move(text)};
}

std::string NextTokenOutput::answer_text(const Record& record, const Prediction& prediction) const {
  std::string lines;
  for (const Written& written : prediction.written) {
    lines +=
        in_a_line(std::string(prompt_of(record)) + written_text(record, written.tokens)) + "\n";
  }
  return lines;
}

void NextTokenOutput::write_answer(const JsonPlace& place, const Record& record,
                                   const Prediction& prediction) const {
  place["prompt"].set(prompt_of(record));
  write_texts(place, prediction.written,
              [&](const Written& written) { return written_text(record, written.tokens); });
}

}  // namespace heed
