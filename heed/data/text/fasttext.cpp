#include "heed/data/text/fasttext.h"

#include <algorithm>
#include <utility>

#include "heed/data/text/columns.h"
#include "heed/data/utf8.h"

namespace heed {

FasttextSource::FasttextSource(LineReader lines, const TextReadOptions& options)
    : lines_(std::move(lines)), required_(options.labels == Labels::kRequired) {}

bool FasttextSource::next(LabelledText& example) {
  do {
    if (!lines_.next(line_)) return false;
  } while (is_blank(line_));
  example.file = lines_.path();
  example.line = lines_.line();
  example.label.clear();
  std::string_view text = trimmed(line_);
  if (text.starts_with(kPrefix)) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    example.label = text.substr(kPrefix.size(), end - kPrefix.size());
    if (example.label.empty()) lines_.refuse(lines_.line(), "__label__ without a name behind it");
    text = trimmed(text.substr(end));
  } else if (required_) {
    lines_.refuse(lines_.line(), "\"{}\" begins without a label, expected __label__name text",
                  shortened(text));
  }
  if (text.starts_with(kPrefix) || text.find(" __label__") != std::string_view::npos ||
      text.find("\t__label__") != std::string_view::npos) {
    lines_.refuse(lines_.line(), "several labels, expected one; heed gives each text one class");
  }
  example.text = text;
  return true;
}

}  // namespace heed
