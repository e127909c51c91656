#include "heed/data/text/fasttext.h"

#include <algorithm>
#include <utility>

#include "heed/data/text/columns.h"
#include "heed/data/text/kept_line.h"
#include "heed/data/utf8.h"

namespace heed {

FasttextSource::FasttextSource(LineReader lines, const ReadOptions& options)
    : lines_(std::move(lines)),
      required_(options.answers == Answers::kRequired),
      several_(options.answer == AnswerKind::kLabels),
      keeps_(options.keep) {}

// The label that a text begins with, which is taken off.
std::string_view FasttextSource::take_label(std::string_view& text) const {
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view label = text.substr(kPrefix.size(), end - kPrefix.size());
  if (label.empty()) lines_.refuse(lines_.line(), "__label__ without a name behind it");
  text = trimmed(text.substr(end));
  return label;
}

bool FasttextSource::next(Record& record) {
  for (;;) {
    if (!lines_.next(line_)) return false;
    if (!is_blank(line_)) break;
    if (keeps_) blank_ += lines_.bytes();
  }
  record = {};
  if (keeps_) record.extras.edit().row = kept_line(lines_, KeptRow::Form::kLine, blank_);
  record.place = lines_.place();
  std::string_view text = trimmed(line_);
  if (several_) {
    Labels labels;
    std::string rest;
    while (!text.empty()) {
      if (text.starts_with(kPrefix)) {
        const std::string_view label = take_label(text);
        if (std::find(labels.names.begin(), labels.names.end(), label) == labels.names.end()) {
          labels.names.emplace_back(label);
        }
        continue;
      }
      // Up to the next word that is a label.
      std::size_t end = std::min(text.find(" __label__"), text.find("\t__label__"));
      end = std::min(end, text.size());
      if (!rest.empty()) rest += ' ';
      rest += trimmed(text.substr(0, end));
      text = trimmed(text.substr(end));
    }
    record.content = Text{std::move(rest)};
    record.answer = std::move(labels);
    return true;
  }
  if (text.starts_with(kPrefix)) {
    record.answer = Label{std::string(take_label(text))};
  } else if (required_) {
    lines_.refuse(lines_.line(), "\"{}\" begins without a label, expected __label__name text",
                  shortened(text));
  }
  if (text.starts_with(kPrefix) || text.find(" __label__") != std::string_view::npos ||
      text.find("\t__label__") != std::string_view::npos) {
    lines_.refuse(lines_.line(),
                  "several labels, expected one; heed train label learns several at once");
  }
  record.content = Text{std::string(text)};
  return true;
}

}  // namespace heed
