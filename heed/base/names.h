#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

template <typename Enum>
struct Name {
  Enum value;
  std::string_view name;
};

// The names of an enumeration's values in files and on the command line, each given once:
//
//   template <>
//   struct Names<Norm> {
//     static constexpr Name<Norm> kTable[] = {{Norm::kLayer, "layer"}, {Norm::kRms, "rms"}};
//   };
template <typename Enum>
struct Names;

template <typename Enum>
std::string_view name_of(Enum value) {
  for (const Name<Enum>& entry : Names<Enum>::kTable) {
    if (entry.value == value) return entry.name;
  }
  return "?";
}

template <typename Enum>
std::optional<Enum> value_named(std::string_view name) {
  for (const Name<Enum>& entry : Names<Enum>::kTable) {
    if (entry.name == name) return entry.value;
  }
  return std::nullopt;
}

template <typename Enum>
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Name<Enum>& entry : Names<Enum>::kTable) names.emplace_back(entry.name);
  return names;
}

}  // namespace heed
