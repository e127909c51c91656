#include "heed/data/texts.h"

#include "heed/base/error.h"
#include "heed/data/content.h"
#include "heed/data/text/columns.h"
#include "heed/data/text/open.h"

namespace heed {

bool TextsThemselves::next(Record& record) {
  while (texts_->next(record)) {
    const auto* text = std::get_if<Text>(&record.content);
    if (answers_ == Answers::kOptional || text == nullptr) {
      record.answer = {};
      return true;
    }
    if (is_blank(text->text)) continue;
    record.answer = Sequence{text->text};
    return true;
  }
  return false;
}

bool ParagraphSource::next(Record& record) {
  std::string text, line;
  Place place;
  while (lines_.next(line)) {
    const std::string_view words = trimmed(line);
    if (words.empty() && !text.empty()) break;
    if (words.empty()) continue;
    if (text.empty()) place = lines_.place();
    if (!text.empty()) text += ' ';
    text += words;
  }
  if (text.empty()) return false;
  record = make_record(Text{std::move(text)});
  record.place = std::move(place);
  return true;
}

std::unique_ptr<RecordSource> open_texts(const std::string& path, const ReadOptions& options) {
  if (options.content != ContentKind::kText && options.content != ContentKind::kUnknown) {
    throw UsageError(path + ": expected texts, which can be continued");
  }
  ReadOptions texts = options;
  texts.answer = AnswerKind::kLabel;
  texts.answers = Answers::kOptional;
  std::unique_ptr<RecordSource> source;
  if (options.format == ParagraphSource::kFormat) {
    source = std::make_unique<ParagraphSource>(LineReader(path));
  } else {
    if (texts.format.empty() && !is_table(path, texts)) texts.format = "lines";
    source = open_text(LineReader(path), texts);
  }
  return std::make_unique<TextsThemselves>(std::move(source), options.answers);
}

}  // namespace heed
