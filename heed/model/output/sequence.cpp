#include "heed/model/output/sequence.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/display.h"
#include "heed/base/error.h"
#include "heed/data/text/columns.h"
#include "heed/model/options.h"
#include "heed/model/output/sequence_measures.h"
#include "heed/model/output/sequence_network.h"

namespace heed {

template <>
struct Names<SequenceMeasure> {
  static constexpr Name<SequenceMeasure> kTable[] = {{SequenceMeasure::kBleu, "bleu"},
                                                     {SequenceMeasure::kRouge, "rouge"},
                                                     {SequenceMeasure::kWordErrors, "word-errors"}};
};

namespace {

const std::string& target_of(const Answer& answer) {
  static const std::string kNone;
  const auto* sequence = std::get_if<Sequence>(&answer);
  return sequence == nullptr ? kNone : sequence->text;
}

// For an empty text nothing is written.
bool is_blank(const Record& record) {
  const auto* text = std::get_if<Text>(&record.content);
  return text != nullptr && trimmed(text->text).empty();
}

}  // namespace

template <class Archive>
void describe(Archive& archive, SequenceOptions& options) {
  archive.field("tokenizer", options.tokenizer);
  archive.field("shared", options.shared);
  archive.field("copy", options.copy);
  archive.check("copy", !options.copy || (options.shared && options.ctc < 1.0f),
                "false without shared, or with ctc 1: what is copied are the input's own tokens");
  archive.field("entries", options.entries, between(0, kMostEntries));
  archive.field("truncation", options.truncation, between(0, kMostRows));
  archive.field("position", options.position);
  archive.field("decoder", options.decoder);
  archive.field("ctc", options.ctc, between(0, 1));
  archive.field("smoothing", options.smoothing, part_of_one());
  archive.field("dropout", options.dropout, part_of_one());
  archive.field("measure", options.measure);
  archive.field("search", options.search);
}

template void describe(JsonReader&, SequenceOptions&);
template void describe(JsonWriter&, SequenceOptions&);

Index most_positions(const SequenceOptions& options) {
  if (!nn::added_to_input(options.position.kind)) return 0;
  return std::max<Index>(1, options.position.longest - 1);
}

SequenceOutput::SequenceOutput() {
  nn::DecoderOptions& decoder = options_.decoder;
  decoder.order = nn::NormOrder::kPre;
  decoder.attention.heads = 4;
  decoder.attention.position = nn::Position::kRotary;
  decoder.feed_forward.hidden = 256;
  decoder.layers = 2;
  set_dropout(0.1f);
}

std::string SequenceOutput::purpose(ContentKind) const {
  switch (options_.measure) {
    case SequenceMeasure::kRouge:
      return "summarizes texts";
    case SequenceMeasure::kWordErrors:
      return "writes down what it hears";
    default:
      return "translates texts";
  }
}

void SequenceOutput::fit(const Dataset& all, bool) {
  for (const Record& record : all.records) {
    if (!target_of(record.answer).empty()) return;
  }
  throw FormatError(all[0].place.text() + ": all targets are empty; there is nothing to learn");
}

void SequenceOutput::share(std::shared_ptr<const Tokenizer> tokenizer) {
  of_input_ = std::move(tokenizer);
  if (options_.shared && of_input_ == nullptr) {
    throw UsageError("output.shared true: the input has no tokenizer to share, expected false");
  }
}

void SequenceOutput::save(const std::string& folder) const {
  if (!options_.shared) tokenizer_->save(folder, kPrefix);
}

void SequenceOutput::learn(const Dataset& train) {
  if (options_.shared) {
    tokenizer_ = of_input_;
    options_.entries = tokenizer_->size();
    return;
  }
  tokenizer_ =
      Tokenizer::train(options_.tokenizer, [&](const std::function<void(std::string_view)>& take) {
        for (const Record& record : train.records) take(target_of(record.answer));
      });
  options_.entries = tokenizer_->size();
}

void SequenceOutput::balance(const Dataset&) {
  throw UsageError("--balance: texts that are written have no classes to balance");
}

void SequenceOutput::prepare(const Answer& answer, Batch& batch) const {
  Ragged<std::int32_t>& tokens = batch.answer.integers(0);
  if (std::holds_alternative<Sequence>(answer)) {
    tokenizer_->encode(target_of(answer), tokens.buffer());
    // One that was cut does not teach where texts end.
    const Index positions = most_positions(options_);
    Index most = options_.truncation;
    if (positions > 0 && (most == 0 || most > positions)) most = positions;
    const bool cut = most > 0 && tokens.open() > most;
    if (cut) tokens.truncate(most);
    if (!cut) tokens.push(static_cast<std::int32_t>(options_.entries));  // the end
  }
  tokens.close();
}

Index SequenceOutput::answer_rows(const Batch& batch) const {
  return batch.answer.integers(0).lengths().back();
}

double SequenceOutput::weight(const Batch& batch) const {
  return static_cast<double>(batch.answer.integers(0).values().size());
}

std::string SequenceOutput::summary() const {
  return fmt::format("{} to write", entries_text(*tokenizer_));
}

const std::string& SequenceOutput::name_of(std::int32_t index) const {
  fail<UsageError>("sequence", "token {} of a text is not an answer by itself", index);
}

void SequenceOutput::set_dropout(float rate) {
  options_.dropout = rate;
  options_.decoder.dropout = options_.decoder.feed_forward.dropout = rate;
}

void SequenceOutput::apply(const SizePreset& size) {
  options_.decoder.attention.heads = size.heads;
  options_.decoder.feed_forward.hidden = size.hidden;
  options_.decoder.layers = size.layers;
  set_dropout(size.dropout);
}

void SequenceOutput::load(const std::string& folder) {
  tokenizer_ = options_.shared ? of_input_ : Tokenizer::load(folder, kPrefix);
  if (tokenizer_->size() != options_.entries) {
    throw FormatError(fmt::format(
        "{}: the tokenizer of targets has {} entries, config.json says {}: one of them was changed",
        folder, tokenizer_->size(), options_.entries));
  }
}

std::unique_ptr<OutputNetwork> SequenceOutput::network(const Scope& scope, Index width) const {
  return std::make_unique<SequenceNetwork>(scope, options_, width);
}

std::unique_ptr<Measures> SequenceOutput::measures() const {
  return std::make_unique<SequenceMeasures>(options_.measure, tokenizer_);
}

std::string SequenceOutput::written_text(const Record& record,
                                         std::span<const std::int32_t> tokens) const {
  return is_blank(record) ? std::string() : tokenizer_->decode(tokens);
}

Answer SequenceOutput::answer(const Record& record, const Prediction& prediction) const {
  if (prediction.written.empty() || is_blank(record)) return Sequence{};
  return Sequence{text_of(prediction.written.front())};
}

std::string SequenceOutput::answer_text(const Record& record, const Prediction& prediction) const {
  if (is_blank(record)) return "\n";
  const std::string name = printable(whole_file(record)), file = name.empty() ? "" : name + "\t";
  if (prediction.written.size() == 1) {
    return file + in_a_line(text_of(prediction.written.front())) + "\n";
  }
  // Several: each with its score, an empty line behind the last.
  std::string text;
  for (const Written& written : prediction.written) {
    text += fmt::format("{}{}\t{:.4f}\n", file, in_a_line(text_of(written)), written.score);
  }
  return text + "\n";
}

void SequenceOutput::write_answer(const JsonPlace& place, const Record& record,
                                  const Prediction& prediction) const {
  if (const auto* text = std::get_if<Text>(&record.content)) {
    place["source"].set(std::string_view(text->text));
  }
  const std::string file = whole_file(record);
  if (!file.empty()) place["file"].set(std::string_view(file));
  if (prediction.written.empty() || is_blank(record)) {
    place["text"].set(std::string_view());
    return;
  }
  write_texts(place, prediction.written, [&](const Written& written) { return text_of(written); });
}

}  // namespace heed
