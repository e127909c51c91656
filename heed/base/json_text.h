#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

// Writes JSON, from beginning to end:
//
//   JsonText json;
//   json.begin_object().key("accuracy").value(0.5).key("labels").begin_array(kOneLine);
//   json.value("a").value("b").end_array().end_object();
//   json.text()  →  {
//                     "accuracy": 0.5,
//                     "labels": ["a", "b"]
//                   }
//
// Numbers are the shortest that read back as the same double; NaN and infinity, which JSON does not
// have, become null; broken UTF-8 becomes U+FFFD. Calls in an order that is not JSON are our own
// mistake and assert.
class JsonText {
 public:
  enum Lines { kManyLines, kOneLine };  // what is inside a kOneLine is on that line too

  JsonText& begin_object(Lines lines = kManyLines) { return begin('{', lines); }
  JsonText& end_object() { return end('}'); }
  JsonText& begin_array(Lines lines = kManyLines) { return begin('[', lines); }
  JsonText& end_array() { return end(']'); }

  JsonText& key(std::string_view name);
  JsonText& value(std::string_view text);
  JsonText& value(const char* text) { return value(std::string_view(text)); }
  JsonText& value(double number);
  JsonText& value(long long number);
  JsonText& value(long number) { return value(static_cast<long long>(number)); }
  JsonText& value(int number) { return value(static_cast<long long>(number)); }
  JsonText& value(bool truth);
  JsonText& null();

  const std::string& text() const { return text_; }

 private:
  struct Level {
    Lines lines;
    bool empty = true;
  };

  JsonText& begin(char bracket, Lines lines);
  JsonText& end(char bracket);
  void before_item();
  void new_line();
  void quote(std::string_view text);

  std::string text_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace heed
