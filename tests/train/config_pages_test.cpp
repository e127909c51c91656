#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "heed/base/file.h"
#include "heed/model/config_json.h"
#include "heed/train/run_json.h"
#include "heed/train/text_defaults.h"

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

Options options_of(const std::string& json, const std::string& path) {
  Options options;
  flatten(nlohmann::json::parse(json), path, options);
  return options;
}

// The rows "| `option` | … | default |" of a page.
Options rows_of(const std::string& page) {
  Options rows;
  const std::regex row("^\\| `([a-z0-9_.]+)` \\|.*\\| ([^|]*) \\|$");
  std::istringstream lines(read_file(HEED_SOURCE_DIR "/docs/" + page));
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, row)) {
      EXPECT_FALSE(rows.contains(match[1])) << page << " has " << match[1] << " twice";
      rows[match[1]] = match[2];
    }
  }
  return rows;
}

void expect_rows(const std::string& page, const Options& expected, const std::string& prefix) {
  Options rows = rows_of(page);
  std::erase_if(rows, [&](const auto& row) { return row.first.rfind(prefix, 0) != 0; });
  for (const auto& [option, value] : expected) {
    if (!rows.contains(option)) {
      ADD_FAILURE() << "docs/" << page << " has no row for `" << option << "`";
    } else if (rows[option].find('`') != std::string::npos) {  // not "one for each core"
      EXPECT_EQ(rows[option], value) << "docs/" << page << ": the default of `" << option << "`";
    }
  }
  for (const auto& [option, value] : rows) {
    EXPECT_TRUE(expected.contains(option))
        << "docs/" << page << " describes `" << option << "`, which does not exist";
  }
}

TEST(ConfigPages, ConfigHasEveryOptionWithItsDefaults) {
  const Options label = options_of(config_text(default_config(OutputKind::kLabel)), "");
  const Options tags = options_of(config_text(default_config(OutputKind::kTags)), "");
  Options cells;
  for (const auto& [option, value] : label) {
    const std::string& other = tags.at(option);
    cells[option] = "`" + value + "`" + (other == value ? "" : " / `" + other + "`");
  }
  expect_rows("config.md", cells, "");
}

TEST(ConfigPages, TrainingHasEveryOptionWithItsDefault) {
  Options cells;
  for (const auto& [option, value] : options_of(to_json(TrainingOptions{}), "training")) {
    cells[option] = "`" + value + "`";
  }
  expect_rows("training.md", cells, "training.");
}

}  // namespace
}  // namespace heed
