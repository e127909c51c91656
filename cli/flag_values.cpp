#include "cli/flag_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace heed::cli {
namespace {

// Whether the whole text is a number of this type.
template <typename T>
bool parse(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// Lets pass what is `right`; the help calls it `value`.
template <typename Right>
CLI::Validator expecting(const std::string& value, const std::string& expected,
                         const Right& right) {
  return CLI::Validator(
      [=](const std::string& text) {
        return right(text) ? std::string() : fmt::format("expected {}, got {}", expected, text);
      },
      value);
}

}  // namespace

CLI::Validator whole_number(const Limits& limits) {
  return expecting("N", "a whole number" + limits.text(), [=](const std::string& text) {
    std::int64_t value = 0;
    return parse(text, value) && limits.allow(static_cast<double>(value));
  });
}

CLI::Validator number(const Limits& limits) {
  return expecting("X", "a number" + limits.text(), [=](const std::string& text) {
    double value = 0.0;
    return parse(text, value) && std::isfinite(value) && limits.allow(value);
  });
}

CLI::Validator seed_number() {
  return expecting("N", "a whole number from 0 to 18446744073709551615",
                   [](const std::string& text) {
                     std::uint64_t value = 0;
                     return parse(text, value);
                   });
}

CLI::Validator one_of(const std::vector<std::string>& choices) {
  return expecting("", fmt::format("one of {}", fmt::join(choices, ", ")),
                   [=](const std::string& text) {
                     return std::find(choices.begin(), choices.end(), text) != choices.end();
                   });
}

}  // namespace heed::cli
