#include "heed/base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "heed/base/error.h"

namespace heed {
namespace {

using Value = nlohmann::json;
using OrderedValue = nlohmann::ordered_json;

constexpr int kDeepest = 64;
constexpr std::size_t kLongestQuote = 60;

const Value& at(const std::shared_ptr<const void>& value) {
  return *static_cast<const Value*>(value.get());
}
OrderedValue& at(void* value) { return *static_cast<OrderedValue*>(value); }

std::string join(const std::string& place, const std::string& key) {
  return place.empty() ? key : place + "." + key;
}

// What was found, in a few words.
std::string found(const Value& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  std::string text = value.dump(-1, ' ', false, Value::error_handler_t::replace);
  if (text.size() <= kLongestQuote) return text;
  std::size_t end = kLongestQuote;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…\"";
}

// "12:5", both counted from one.
std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n');
  const std::size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1;
  return fmt::format("{}:{}", line, column);
}

// The part of nlohmann's sentence that says what is wrong, without its own prefix and quotes:
//   "[json…] parse error at line 1, column 2: syntax error while parsing value - invalid literal;
//    last read: 'x'"  →  "invalid literal"
std::string reason(std::string message) {
  if (const auto start = message.find(" - "); start != std::string::npos) {
    message.erase(0, start + 3);
  } else if (const auto prefix = message.find("] "); prefix != std::string::npos) {
    message.erase(0, prefix + 2);
  }
  if (const auto quote = message.find("; last read"); quote != std::string::npos) {
    message.erase(quote);
  }
  return message;
}

// Watches the parser for what it would let pass.
class Strictness {
 public:
  explicit Strictness(const std::string& file) : file_(file) {}

  bool operator()(int depth, Value::parse_event_t event, const Value& parsed) {
    if (depth > kDeepest) {
      throw FormatError(fmt::format("{}: values are nested more than {} deep", file_, kDeepest));
    }
    if (event == Value::parse_event_t::object_start) {
      objects_.emplace_back();
    } else if (event == Value::parse_event_t::object_end) {
      objects_.pop_back();
    } else if (event == Value::parse_event_t::key) {
      Object& object = objects_.back();
      object.key = parsed.get<std::string>();
      if (!object.keys.insert(object.key).second) {
        throw FormatError(fmt::format("{}: {}: stands there twice; keep one", file_, place()));
      }
    }
    return true;
  }

 private:
  struct Object {
    std::set<std::string> keys;
    std::string key;
  };
  std::string place() const {
    std::string result;
    for (const Object& object : objects_) result = join(result, object.key);
    return result;
  }

  const std::string& file_;
  std::vector<Object> objects_;
};

}  // namespace

bool Limits::allow(double value) const {
  return (low_allowed ? value >= low : value > low) &&
         (high_allowed ? value <= high : value < high);
}

std::string Limits::text() const {
  // 1000000, not 1e+06.
  const auto plain = [](double number) {
    const bool whole = std::abs(number) < 1e15 && number == std::floor(number);
    return whole ? fmt::format("{:.0f}", number) : fmt::format("{}", number);
  };
  const bool has_low = std::isfinite(low), has_high = std::isfinite(high);
  if (has_low && has_high && low_allowed && high_allowed) {
    return fmt::format(" from {} to {}", plain(low), plain(high));
  }
  std::string result;
  if (has_low) result = fmt::format(" {} {}", low_allowed ? "of at least" : "above", plain(low));
  if (has_low && has_high) result += " and";
  if (has_high) result += fmt::format(" {} {}", high_allowed ? "of at most" : "below", plain(high));
  return result;
}

Json Json::parse(std::string_view text, const std::string& file) {
  auto root = std::make_shared<Value>();
  try {
    Strictness strictness(file);
    *root = Value::parse(text.begin(), text.end(),
                         [&](int depth, Value::parse_event_t event, Value& parsed) {
                           return strictness(depth, event, parsed);
                         });
  } catch (const Value::parse_error& error) {
    throw FormatError(fmt::format("{}:{}: not JSON: {}", file, line_and_column(text, error.byte),
                                  reason(error.what())));
  } catch (const Value::exception& error) {
    throw FormatError(fmt::format("{}: not JSON: {}", file, reason(error.what())));
  }
  return {std::move(root), std::make_shared<const std::string>(file), ""};
}

Json Json::part(const void* value, std::string place) const {
  return {std::shared_ptr<const void>(value_, value), file_, std::move(place)};
}

void Json::fail(const std::string& sentence) const {
  std::string message;
  for (const std::string* part : {file_.get(), &place_}) {
    if (!part->empty()) message += *part + ": ";
  }
  throw FormatError(message + sentence);
}

void Json::fail_expected(const std::string& expected) const {
  fail(fmt::format("expected {}, got {}", expected, found(at(value_))));
}

bool Json::is_null() const { return at(value_).is_null(); }
bool Json::is_single() const { return at(value_).is_primitive(); }

bool Json::boolean() const {
  if (!at(value_).is_boolean()) fail_expected("true or false");
  return at(value_).get<bool>();
}

std::int64_t Json::whole(const Limits& limits) const {
  const Value& value = at(value_);
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() ||
                     value.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max());
  if (!fits || !limits.allow(static_cast<double>(value.get<std::int64_t>()))) {
    fail_expected("a whole number" + limits.text());
  }
  return value.get<std::int64_t>();
}

std::uint64_t Json::natural() const {
  if (!at(value_).is_number_unsigned()) fail_expected("a whole number of at least 0");
  return at(value_).get<std::uint64_t>();
}

double Json::number(const Limits& limits) const {
  const Value& value = at(value_);
  if (!value.is_number() || !limits.allow(value.get<double>())) {
    fail_expected("a number" + limits.text());
  }
  return value.get<double>();
}

float Json::single(const Limits& limits) const {
  const double value = number(limits);
  if (std::abs(value) > std::numeric_limits<float>::max()) {
    fail_expected("a number between −3.4e38 and 3.4e38");
  }
  return static_cast<float>(value);
}

std::string Json::text() const {
  if (!at(value_).is_string()) fail_expected("a text in quotation marks");
  return at(value_).get<std::string>();
}

std::vector<Json> Json::list() const {
  const Value& value = at(value_);
  if (!value.is_array()) fail_expected("a list");
  std::vector<Json> result;
  result.reserve(value.size());
  for (const Value& element : value) {
    result.push_back(part(&element, fmt::format("{}[{}]", place_, result.size())));
  }
  return result;
}

std::vector<std::string> Json::keys() const {
  const Value& value = at(value_);
  if (!value.is_object()) fail_expected("an object");
  std::vector<std::string> result;
  result.reserve(value.size());
  for (const auto& [key, member] : value.items()) result.push_back(key);
  return result;
}

bool Json::has(const std::string& key) const {
  if (!at(value_).is_object()) fail_expected("an object");
  return at(value_).contains(key);
}

Json Json::operator[](const std::string& key) const {
  if (!has(key)) fail(fmt::format("the key \"{}\" is missing", key));
  return part(&at(value_)[key], join(place_, key));
}

JsonText::JsonText() : root_(std::make_shared<OrderedValue>()) {}
JsonPlace JsonText::root() const { return JsonPlace(root_.get()); }

namespace {

std::string dump(void* root, int indent) {
  try {
    return at(root).dump(indent);
  } catch (const OrderedValue::exception&) {
    throw FormatError("[json] a text to be written is not UTF-8");
  }
}

}  // namespace

std::string JsonText::pages() const { return dump(root_.get(), 2) + "\n"; }
std::string JsonText::line() const { return dump(root_.get(), -1); }

void JsonPlace::set_null() const { at(value_) = nullptr; }
void JsonPlace::set(bool value) const { at(value_) = value; }
void JsonPlace::set(std::int64_t value) const { at(value_) = value; }
void JsonPlace::set(std::uint64_t value) const { at(value_) = value; }
void JsonPlace::set(std::string_view value) const { at(value_) = std::string(value); }
void JsonPlace::set_object() const { at(value_) = OrderedValue::object(); }
void JsonPlace::set_list() const { at(value_) = OrderedValue::array(); }

void JsonPlace::set(double value) const {
  if (!std::isfinite(value))
    heed::fail<FormatError>("json", "expected a finite number, got {}", value);
  at(value_) = value;
}

void JsonPlace::set(float value) const {
  char digits[32];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
  double shortest = 0.0;
  std::from_chars(std::begin(digits), end, shortest);
  // Rounded twice, it could in principle come back as the float beside it.
  set(static_cast<float>(shortest) == value ? shortest : static_cast<double>(value));
}

JsonPlace JsonPlace::operator[](const std::string& key) const {
  return JsonPlace(&at(value_)[key]);
}

JsonPlace JsonPlace::append() const {
  at(value_).push_back(nullptr);
  return JsonPlace(&at(value_).back());
}

}  // namespace heed
