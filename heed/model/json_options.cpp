#include "heed/model/json_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "heed/base/nearest.h"

namespace heed {

JsonReader::JsonReader(Json object, Checks checks) : json_(std::move(object)), checks_(checks) {
  json_.keys();  // complains unless it is an object
}

bool JsonReader::asks_for(const std::string& name) {
  known_.push_back(name);
  return json_.has(name);
}

void JsonReader::choice(const std::string& name, std::string& value,
                        const std::vector<std::string>& names) {
  if (asks_for(name)) value = names[detail::chosen(json_[name], names)];
}

void JsonReader::check(const std::string& name, bool right, const std::string& expected) const {
  if (right || checks_ == Checks::kEachValue) return;
  if (json_.has(name)) {
    const Json value = json_[name];
    value.is_single() ? value.fail_expected(expected) : value.fail("expected " + expected);
  }
  json_.fail(fmt::format("expected \"{}\" to be {}", name, expected));
}

void JsonReader::refuse(const std::string& name, const std::string& problem) const {
  if (problem.empty() || checks_ == Checks::kEachValue) return;
  json_.fail(fmt::format("{}.{}", name, problem));
}

void JsonReader::finish() const {
  for (const std::string& key : json_.keys()) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    std::string advice = did_you_mean(key, known_, "\"", "\"");
    if (advice.empty()) advice = fmt::format("; the keys are {}", fmt::join(known_, ", "));
    json_.fail(fmt::format("there is no key \"{}\"{}", key, advice));
  }
}

namespace detail {

int whole_int(const Json& json, const Limits& limits) {
  const std::int64_t value = json.whole(limits);
  if (!std::in_range<int>(value)) json.fail_expected("a whole number of fewer than ten digits");
  return static_cast<int>(value);
}

std::size_t chosen(const Json& json, const std::vector<std::string>& names) {
  const std::string text = json.text();
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  json.fail(fmt::format("expected one of \"{}\", got \"{}\"{}", fmt::join(names, "\", \""), text,
                        did_you_mean(text, names, "\"", "\"")));
}

}  // namespace detail
}  // namespace heed
