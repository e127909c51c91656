#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

// What a number may be. As words it follows "a number" in a message.
struct Limits {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_allowed = true, high_allowed = true;

  bool allow(double value) const;
  std::string text() const;  // " of at least 1", " from 0 to 1", " above 0", …
};
inline Limits at_least(double low) { return {.low = low}; }
inline Limits above(double low) { return {.low = low, .low_allowed = false}; }
inline Limits between(double low, double high) { return {.low = low, .high = high}; }
// A part of the whole that is never all of it: a rate of dropout.
inline Limits part_of_one() { return {.low = 0, .high = 1, .high_allowed = false}; }

// A value somewhere in a parsed JSON text, with its place for messages. What is asked of it and is
// not so is a FormatError with file, place, expected and found:
//
//   config.json: body.attention.heads: expected a whole number of at least 1, got "eight"
//
// Copying it copies a handle; the text's values live as long as any handle on them.
// nlohmann-json does the parsing and appears in json.cpp alone.
class Json {
 public:
  // Stricter than most readers: a key that stands twice in an object, or values nested more than
  // 64 deep, are mistakes, as is all that JSON itself forbids. `file` is for messages.
  static Json parse(std::string_view text, const std::string& file);

  bool is_null() const;
  bool is_single() const;  // neither an object nor a list
  bool boolean() const;
  std::int64_t whole(const Limits& limits = {}) const;
  std::uint64_t natural() const;
  double number(const Limits& limits = {}) const;
  float single(const Limits& limits = {}) const;  // a number that a float can hold
  std::string text() const;
  std::vector<Json> list() const;

  // Of an object, in alphabetical order.
  std::vector<std::string> keys() const;
  bool has(const std::string& key) const;
  Json operator[](const std::string& key) const;  // it must be there

  // "config.json", and "body.attention" or "labels[3]"; the place of the whole is empty.
  const std::string& file() const { return *file_; }
  const std::string& place() const { return place_; }

  // Throws "config.json: body.attention: …", or what of that is not empty.
  [[noreturn]] void fail(const std::string& sentence) const;
  // Throws "…: expected a list, got true".
  [[noreturn]] void fail_expected(const std::string& expected) const;

 private:
  Json(std::shared_ptr<const void> value, std::shared_ptr<const std::string> file,
       std::string place)
      : value_(std::move(value)), file_(std::move(file)), place_(std::move(place)) {}
  Json part(const void* value, std::string place) const;

  std::shared_ptr<const void> value_;  // one of nlohmann's; keeps the whole of them
  std::shared_ptr<const std::string> file_;
  std::string place_;
};

// Builds a JSON text: a place to put one value, which may become an object or a list of more. Keys
// keep the order in which they were first named. A place is good until its neighbours are made.
class JsonPlace {
 public:
  void set_null() const;
  void set(bool value) const;
  void set(std::int64_t value) const;
  void set(std::uint64_t value) const;
  void set(double value) const;  // infinity and NaN are not JSON: a FormatError
  void set(float value) const;   // with no more digits than a float needs: 0.1, not 0.10000000149
  void set(std::string_view value) const;  // UTF-8
  void set_object() const;
  void set_list() const;

  JsonPlace operator[](const std::string& key) const;  // makes this an object
  JsonPlace append() const;                            // makes this a list

 private:
  friend class JsonText;
  explicit JsonPlace(void* value) : value_(value) {}
  void* value_;
};

// A text under construction. Copying it copies a handle.
class JsonText {
 public:
  JsonText();

  JsonPlace root() const;
  std::string pages() const;  // indented by two, with a line feed at the end: for files
  std::string line() const;   // without spaces or line feeds

 private:
  std::shared_ptr<void> root_;  // one of nlohmann's
};

}  // namespace heed
