#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "heed/base/json.h"
#include "heed/base/names.h"

namespace heed {

// What is asked of options that are read: everything, or of each value whether it can be, and not
// yet whether it fits the others, some of which are still to come.
enum class Checks { kAll, kEachValue };

// Options as JSON, both ways from one description. An options struct says once what its fields are
// called and what they may be:
//
//   template <class Archive>
//   void describe(Archive& archive, FeedForwardOptions& options) {
//     archive.field("hidden", options.hidden, at_least(1));
//     archive.field("activation", options.activation);
//   }
//
// and from_json() and to_json() do the rest. A field is a bool, a number, a text, an enumeration
// with Names, another described struct, an optional (absent is null) or a vector of any of these.
// Reading is strict: what is not given keeps the value that the struct had; what is wrong, or not
// known, is a FormatError that names the file, the key, what was expected and what was found.
class JsonReader {
 public:
  static constexpr bool kReading = true;

  explicit JsonReader(Json object, Checks checks = Checks::kAll);

  template <typename T>
  void field(const std::string& name, T& value, const Limits& limits = {});
  // Without it there is nothing to read: its absence is an error.
  template <typename T>
  void required(const std::string& name, T& value, const Limits& limits = {});
  // One of `names`.
  void choice(const std::string& name, std::string& value, const std::vector<std::string>& names);
  // An object that has no struct of its own: `fields(archive)` describes it.
  template <typename Function>
  void object(const std::string& name, const Function& fields);

  // What the type of `name` alone cannot say: unless `right`, "…: expected …, got …", or without
  // what was found where that is an object or a list. Asked among all checks only.
  void check(const std::string& name, bool right, const std::string& expected) const;

  // What is wrong with the options below `name`, as a part says it; nothing where it is empty.
  void refuse(const std::string& name, const std::string& problem) const;

  // After the last field: a key that nobody asked for is an error with the nearest right one.
  void finish() const;

  const Json& json() const { return json_; }

 private:
  bool asks_for(const std::string& name);

  Json json_;
  Checks checks_;
  std::vector<std::string> known_;
};

// The mirror image: puts the fields into an object, in the order of the description.
class JsonWriter {
 public:
  static constexpr bool kReading = false;

  explicit JsonWriter(JsonPlace object) : object_(object) { object_.set_object(); }

  template <typename T>
  void field(const std::string& name, const T& value, const Limits& = {});
  template <typename T>
  void required(const std::string& name, const T& value, const Limits& = {}) {
    field(name, value);
  }
  void choice(const std::string& name, const std::string& value, const std::vector<std::string>&) {
    field(name, value);
  }
  template <typename Function>
  void object(const std::string& name, const Function& fields);
  void check(const std::string&, bool, const std::string&) const {}
  void refuse(const std::string&, const std::string&) const {}
  void finish() const {}

 private:
  JsonPlace object_;
};

namespace detail {

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};
template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

int whole_int(const Json& json, const Limits& limits);
// The place of the text among the names.
std::size_t chosen(const Json& json, const std::vector<std::string>& names);

template <typename T>
void read(const Json& json, T& value, const Limits& limits, Checks checks = Checks::kAll) {
  if constexpr (std::is_same_v<T, bool>) {
    value = json.boolean();
  } else if constexpr (std::is_same_v<T, int>) {
    value = whole_int(json, limits);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    value = json.whole(limits);
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    value = json.natural();
  } else if constexpr (std::is_same_v<T, float>) {
    value = json.single(limits);
  } else if constexpr (std::is_same_v<T, double>) {
    value = json.number(limits);
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = json.text();
  } else if constexpr (std::is_enum_v<T>) {
    value = Names<T>::kTable[chosen(json, all_names<T>())].value;
  } else if constexpr (IsOptional<T>::value) {
    value.reset();
    if (!json.is_null()) read(json, value.emplace(), limits, checks);
  } else if constexpr (IsVector<T>::value) {
    value.clear();
    for (const Json& element : json.list()) {
      typename T::value_type one{};
      read(element, one, limits, checks);
      value.push_back(std::move(one));
    }
  } else {
    JsonReader reader(json, checks);
    describe(reader, value);
    reader.finish();
  }
}

template <typename T>
void write(const JsonPlace& place, const T& value) {
  if constexpr (std::is_same_v<T, int>) {
    place.set(std::int64_t{value});
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    place.set(value);
  } else if constexpr (std::is_enum_v<T>) {
    place.set(name_of(value));
  } else if constexpr (IsOptional<T>::value) {
    value.has_value() ? write(place, *value) : place.set_null();
  } else if constexpr (IsVector<T>::value) {
    place.set_list();
    for (std::size_t i = 0; i < value.size(); ++i) {
      write<typename T::value_type>(place.append(), value[i]);
    }
  } else {
    JsonWriter writer(place);
    T copy = value;  // a description is written for both directions, and so for what can change
    describe(writer, copy);
  }
}

}  // namespace detail

template <typename T>
void JsonReader::field(const std::string& name, T& value, const Limits& limits) {
  if (asks_for(name)) detail::read(json_[name], value, limits, checks_);
}

template <typename T>
void JsonReader::required(const std::string& name, T& value, const Limits& limits) {
  asks_for(name);
  detail::read(json_[name], value, limits, checks_);
}

template <typename Function>
void JsonReader::object(const std::string& name, const Function& fields) {
  if (!asks_for(name)) return;
  JsonReader reader(json_[name], checks_);
  fields(reader);
  reader.finish();
}

template <typename T>
void JsonWriter::field(const std::string& name, const T& value, const Limits&) {
  detail::write(object_[name], value);
}

template <typename Function>
void JsonWriter::object(const std::string& name, const Function& fields) {
  JsonWriter writer(object_[name]);
  fields(writer);
}

// Reads described options from a text; `file` is for messages, which begin with the place where it
// is empty.
template <typename T>
void from_json(std::string_view text, const std::string& file, T& options,
               Checks checks = Checks::kAll) {
  detail::read(Json::parse(text, file), options, {}, checks);
}

// As a file has it: indented, with a line feed at the end.
template <typename T>
std::string to_json(const T& options) {
  const JsonText text;
  detail::write(text.root(), options);
  return text.pages();
}

}  // namespace heed
