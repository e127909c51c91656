#include "heed/base/json_text.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

#include "heed/base/utf8.h"

namespace heed {

JsonText& JsonText::key(std::string_view name) {
  assert(!levels_.empty() && !after_key_);
  before_item();
  quote(name);
  text_ += ": ";
  after_key_ = true;
  return *this;
}

JsonText& JsonText::value(std::string_view text) {
  before_item();
  quote(text);
  return *this;
}

JsonText& JsonText::value(double number) {
  if (!std::isfinite(number)) return null();
  before_item();
  text_ += fmt::format("{}", number);
  return *this;
}

JsonText& JsonText::value(long long number) {
  before_item();
  text_ += std::to_string(number);
  return *this;
}

JsonText& JsonText::value(bool truth) {
  before_item();
  text_ += truth ? "true" : "false";
  return *this;
}

JsonText& JsonText::null() {
  before_item();
  text_ += "null";
  return *this;
}

JsonText& JsonText::begin(char bracket, Lines lines) {
  before_item();
  text_ += bracket;
  const bool inside_line = !levels_.empty() && levels_.back().lines == kOneLine;
  levels_.push_back({inside_line ? kOneLine : lines});
  return *this;
}

JsonText& JsonText::end(char bracket) {
  assert(!levels_.empty() && !after_key_);
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.lines == kManyLines && !level.empty) new_line();
  text_ += bracket;
  return *this;
}

void JsonText::before_item() {
  if (after_key_ || levels_.empty()) {
    after_key_ = false;
    return;
  }
  Level& level = levels_.back();
  if (!level.empty) text_ += level.lines == kOneLine ? ", " : ",";
  level.empty = false;
  if (level.lines == kManyLines) new_line();
}

void JsonText::new_line() {
  text_ += '\n';
  text_.append(2 * levels_.size(), ' ');
}

void JsonText::quote(std::string_view text) {
  text_ += '"';
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    switch (character.code) {
      case '"':
        text_ += "\\\"";
        break;
      case '\\':
        text_ += "\\\\";
        break;
      case '\n':
        text_ += "\\n";
        break;
      case '\r':
        text_ += "\\r";
        break;
      case '\t':
        text_ += "\\t";
        break;
      default:
        if (character.code < 0x20) {
          text_ += fmt::format("\\u{:04x}", static_cast<unsigned>(character.code));
        } else if (!character.valid) {
          text_ += "\xEF\xBF\xBD";
        } else {
          text_ += text.substr(0, character.bytes);
        }
    }
    text.remove_prefix(character.bytes);
  }
  text_ += '"';
}

}  // namespace heed
