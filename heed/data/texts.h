#pragma once

#include <memory>
#include <string>

#include "heed/data/lines.h"
#include "heed/data/record_source.h"

namespace heed {

// Texts for a language model, each of which is its own answer where answers are required. Then
// empty ones are passed over, too.
class TextsThemselves : public RecordSource {
 public:
  TextsThemselves(std::unique_ptr<RecordSource> texts, Answers answers)
      : texts_(std::move(texts)), answers_(answers) {}

  bool next(Record& record) override;
  bool ready() override { return texts_->ready(); }
  Index repaired() const override { return texts_->repaired(); }
  KnownColumns columns() const override { return texts_->columns(); }

 private:
  std::unique_ptr<RecordSource> texts_;
  Answers answers_;
};

// Paragraphs of a plain text: lines up to an empty one, joined by spaces.
class ParagraphSource : public RecordSource {
 public:
  static constexpr const char* kFormat = "paragraphs";

  explicit ParagraphSource(LineReader lines) : lines_(std::move(lines)) {}

  bool next(Record& record) override;
  bool ready() override { return lines_.ready(); }
  Index repaired() const override { return lines_.repaired(); }

 private:
  LineReader lines_;
};

// Opens a file of texts: lines, unless its name or the options say otherwise (csv, tsv, jsonl with
// a column of texts; paragraphs).
std::unique_ptr<RecordSource> open_texts(const std::string& path, const ReadOptions& options);

}  // namespace heed
