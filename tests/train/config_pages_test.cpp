#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "heed/base/file.h"
#include "heed/train/defaults.h"
#include "heed/train/run_json.h"

// docs/config.md and docs/training.md have a row for every option, and none that does not exist.
namespace heed {
namespace {

// Paths of options, and their values as a page writes them.
using Options = std::map<std::string, std::string>;

void flatten(const nlohmann::json& value, const std::string& path, Options& options) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      flatten(inner, path.empty() ? key : path + "." + key, options);
    }
    return;
  }
  const bool word = value.is_string() && !value.get<std::string>().empty();
  options[path] = word ? value.get<std::string>() : value.dump();
}

Options options_in(const std::string& json, const std::string& path) {
  Options options;
  flatten(nlohmann::json::parse(json), path, options);
  return options;
}

// The rows "| `option` | … | default |" of a page, by section: what follows ## in its heading.
std::map<std::string, Options> sections_of(const std::string& page) {
  std::map<std::string, Options> sections;
  const std::regex row("^\\| `([a-z0-9_.]+)` \\|.*\\| ([^|]*) \\|$");
  std::istringstream lines(read_file(HEED_SOURCE_DIR "/docs/" + page));
  std::string section;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) section = line.substr(3);
    std::smatch match;
    if (!std::regex_match(line, match, row)) continue;
    Options& rows = sections[section];
    EXPECT_FALSE(rows.contains(match[1])) << page << " has " << match[1] << " twice";
    rows[match[1]] = match[2];
  }
  return sections;
}

void expect_rows(const std::string& page, const Options& rows, const Options& expected) {
  for (const auto& [option, value] : expected) {
    if (!rows.contains(option)) {
      ADD_FAILURE() << "docs/" << page << " has no row for `" << option << "`";
    } else if (rows.at(option).find('`') != std::string::npos) {  // not "one for each core"
      EXPECT_EQ(rows.at(option), value) << "docs/" << page << ": the default of `" << option << "`";
    }
  }
  for (const auto& [option, value] : rows) {
    EXPECT_TRUE(expected.contains(option))
        << "docs/" << page << " describes `" << option << "`, which does not exist";
  }
}

// The names in ` ` of a heading such as "The body: `lstm`, `gru`, `rnn`", after its words.
std::pair<std::string, std::vector<std::string>> kinds_of(const std::string& heading) {
  std::vector<std::string> kinds;
  const std::regex name("`([a-z0-9_]+)`");
  for (std::sregex_iterator at(heading.begin(), heading.end(), name), end; at != end; ++at) {
    kinds.push_back((*at)[1]);
  }
  return {heading.substr(0, heading.find(':')), kinds};
}

// The defaults of one part of this kind, where there is such a kind: for labels, tags or both.
template <class Axis>
void add_cells(const std::string& key, Choice<Axis> Config::*part, const std::string& kind,
               Options& cells) {
  std::vector<Options> both;
  for (const std::string output : {"label", "tags", "sequence", "next_token", "labels"}) {
    Config said = default_config(output);
    if constexpr (std::is_same_v<Axis, Output>) {
      if (kind != output) continue;
    } else if (output != "label" && output != "tags") {
      continue;  // their defaults for inputs and bodies are in training.md
    }
    said.*part = Choice<Axis>(kind);
    Config config = default_config(said);
    if ((config.*part).kind() != kind) config.*part = Choice<Axis>(kind);
    both.push_back(options_in(to_json(config.*part), key));
    both.back().erase(key + ".kind");
  }
  for (const auto& [option, value] : both.front()) {
    const std::string& other = both.back().at(option);
    cells[option] = "`" + value + "`" + (other == value ? "" : " / `" + other + "`");
  }
}

// Every kind has a section with its options, and those that are the same for all have one too.
TEST(ConfigPages, ConfigHasEveryOptionWithItsDefaults) {
  std::map<std::string, Options> sections = sections_of("config.md");
  std::map<std::string, std::vector<std::string>> described;  // kinds, by axis
  Options rows;  // of the sections that are for no kind
  for (const auto& [heading, found] : sections) {
    const auto [axis, kinds] = kinds_of(heading);
    for (const std::string& kind : kinds) {
      described[axis].push_back(kind);
      Options cells;
      if (axis == "The input") add_cells("input", &Config::input, kind, cells);
      if (axis == "The body") add_cells("body", &Config::body, kind, cells);
      if (axis == "The output") add_cells("output", &Config::output, kind, cells);
      if (axis == "The wide part") add_cells("wide", &Config::wide, kind, cells);
      SCOPED_TRACE(heading + ", " + kind);
      expect_rows("config.md", found, cells);
    }
    if (kinds.empty()) rows.insert(found.begin(), found.end());
  }
  const auto all_described = [&](const std::string& axis, const auto& registry) {
    for (const std::string& kind : registry.names()) {
      // Not those without options, and those of fake_axes_test.cpp.
      if (kind == "none" || kind == "bag" || kind.starts_with("fake_")) continue;
      EXPECT_EQ(std::count(described[axis].begin(), described[axis].end(), kind), 1)
          << "docs/config.md has no section \"" << axis << ": `" << kind << "`\"";
    }
  };
  all_described("The input", Registry<Input>::instance());
  all_described("The body", Registry<Body>::instance());
  all_described("The output", Registry<Output>::instance());
  all_described("The wide part", Registry<Wide>::instance());

  const Options label = options_in(config_text(default_config("label")), "");
  const Options tags = options_in(config_text(default_config("tags")), "");
  Options cells;
  for (const auto& [option, value] : label) {
    const std::string axis = option.substr(0, option.find('.'));
    const bool of_a_kind = axis == "input" || axis == "body" || axis == "output" || axis == "wide";
    if (of_a_kind && option != axis + ".kind") continue;
    const std::string& other = tags.at(option);
    cells[option] = "`" + value + "`" + (other == value ? "" : " / `" + other + "`");
  }
  expect_rows("config.md", rows, cells);
}

TEST(ConfigPages, TrainingHasEveryOptionWithItsDefault) {
  Options cells;
  for (const auto& [option, value] : options_in(to_json(TrainingOptions{}), "training")) {
    cells[option] = "`" + value + "`";
  }
  Options rows;
  for (const auto& [heading, found] : sections_of("training.md"))
    rows.insert(found.begin(), found.end());
  std::erase_if(rows, [](const auto& row) { return !row.first.starts_with("training."); });
  expect_rows("training.md", rows, cells);
}

}  // namespace
}  // namespace heed
