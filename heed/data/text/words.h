#pragma once

#include <string_view>

namespace heed {

// Takes the words off a text, one after another.
//
//   Words words(text);
//   for (std::string_view word; words.next(word);) …
//
// A word is a run of letters, marks and numbers. Inside one stay ' and ’ between letters (don't), _
// between any (max_size), - before a number (x86-64, utf-8), . and , between numbers (python3.11).
// Every other visible character is a word by itself, and so is every Han ideograph.
//
// The words are parts of the text; nothing is allocated.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  // False at the end of the text.
  bool next(std::string_view& word);

 private:
  std::string_view rest_;
};

}  // namespace heed
