#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/display.h"
#include "heed/base/error.h"
#include "heed/base/nearest.h"

namespace heed::cli {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kTextColumn = 26;  // where what an option does begins
constexpr std::size_t kCommandColumn = 13;

// A text in lines of at most `width` columns, broken at spaces, though not within (default 3).
std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  for (std::size_t begin = 0; begin < text.size();) {
    const bool bracket = text.compare(begin, 9, "(default ") == 0;
    const std::size_t end =
        std::min(text.find(' ', bracket ? text.find(')', begin) : begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (columns(line) + 1 + columns(word) <= width) {
      line += " " + word;
    } else {
      lines.push_back(word);
    }
    begin = end + 1;
  }
  return lines;
}

// Name and text side by side, or below each other where the name is long.
std::string row(const std::string& name, const std::string& text, std::size_t column) {
  std::string result = "  " + name;
  const std::string indent(column, ' ');
  if (columns(result) + 2 > column) {
    result += "\n" + indent;
  } else {
    result = pad_right(result, column);
  }
  return result + fmt::format("{}", fmt::join(wrapped(text, kColumns - column), "\n" + indent)) +
         "\n";
}

std::string option_head(const CLI::Option& option) {
  std::string head = option.nonpositional()
                         ? fmt::format("{}", fmt::join(option_names(option), ", "))
                         : option.get_name(true);
  const std::string value = value_name(option);
  if (option.nonpositional() && !value.empty()) head += " " + value;
  return head + (takes_many(option) ? "..." : "");
}

bool is_option_group(const CLI::App& app) { return app.get_name().empty(); }

}  // namespace

std::vector<std::string> option_names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::string value_name(const CLI::Option& option) {
  if (option.get_type_size() == 0) return "";
  // What validators add comes after a colon: the name of a number that is kept as text.
  const std::string full = option.get_type_name();
  const std::size_t colon = full.find(':');
  std::string type = full.substr(0, colon);
  if (type == "TEXT" && colon != std::string::npos) type = full.substr(colon + 1);
  if (!option.nonpositional() && type.find('|') == std::string::npos) return "";
  if (type == "INT" || type == "UINT") return "N";
  if (type == "FLOAT") return "X";
  return type;
}

std::vector<std::string> choices(const CLI::Option& option) {
  const std::string value = value_name(option);
  if (value.find('|') == std::string::npos) return {};
  return CLI::detail::split(value, '|');
}

bool takes_many(const CLI::Option& option) {
  return option.get_items_expected_max() >= CLI::detail::expected_max_vector_size;
}

std::string option_text(const CLI::Option& option) {
  const std::string& text = option.get_description();
  const std::string start = option.get_default_str();
  return start.empty() ? text : fmt::format("{} (default {})", text, start);
}

std::vector<HelpSection> help_sections(const CLI::App& app) {
  std::vector<HelpSection> sections;
  const auto section = [&](const std::string& title) -> HelpSection& {
    for (HelpSection& known : sections) {
      if (known.title == title) return known;
    }
    sections.push_back({title, {}});
    return sections.back();
  };
  section("Arguments");
  section("Options");
  const auto add = [&](const CLI::App& from, bool group) {
    for (const CLI::Option* option : from.get_options()) {
      if (option->get_group().empty() || option == from.get_help_ptr()) continue;
      section(option->get_positional() ? "Arguments"
              : group                  ? from.get_group()
                                       : option->get_group())
          .options.push_back(option);
    }
  };
  add(app, false);
  for (const CLI::App* inner : app.get_subcommands({})) {
    if (is_option_group(*inner)) add(*inner, true);
  }
  if (app.get_help_ptr() != nullptr) section("Options").options.push_back(app.get_help_ptr());
  std::erase_if(sections, [](const HelpSection& each) { return each.options.empty(); });
  return sections;
}

std::vector<const CLI::App*> subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* inner) {
    return !is_option_group(*inner) && !inner->get_group().empty();
  });
}

std::string command_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : command_name(*app.get_parent()) + " " + app.get_name();
}

std::string usage(const CLI::App& app) {
  std::vector<std::string> parts;
  bool optional = false;
  for (const HelpSection& section : help_sections(app)) {
    for (const CLI::Option* option : section.options) {
      if (option->nonpositional() && !option->get_required()) {
        optional = true;
      } else if (option->get_required()) {
        parts.push_back(option->nonpositional()
                            ? option_names(*option).front() + " " + value_name(*option)
                            : option_head(*option));
      } else {
        parts.push_back("[" + option_head(*option) + "]");
      }
    }
  }
  if (!subcommands(app).empty()) {
    parts.insert(parts.begin(), app.get_require_subcommand_min() > 0 ? "COMMAND" : "[COMMAND]");
  }
  if (optional) parts.emplace_back("[OPTIONS]");
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const {
  const std::string what = app->get_parent() == nullptr
                               ? app->get_name() + ": " + app->get_description()
                               : app->get_description();
  std::string help = fmt::format("{}\n\nUsage: {} {}\n", fmt::join(wrapped(what, kColumns), "\n"),
                                 command_name(*app), usage(*app));
  if (const auto commands = subcommands(*app); !commands.empty()) {
    help += "\nCommands:\n";
    for (const CLI::App* command : commands) {
      help += row(command->get_name(), command->get_description(), kCommandColumn);
    }
  }
  for (const HelpSection& section : help_sections(*app)) {
    help += "\n" + section.title + ":\n";
    for (const CLI::Option* option : section.options) {
      help += row(option_head(*option), option_text(*option), kTextColumn);
    }
  }
  const std::string footer = app->get_footer();
  return footer.empty() ? help : help + "\n" + footer + "\n";
}

void check_command(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* at = &app;
  for (int i = 1; i < argc && !at->get_subcommands({}).empty(); ++i) {
    const std::string word = argv[i];
    if (word.starts_with('-')) return;
    const auto inner = at->get_subcommands(
        [&](const CLI::App* each) { return !is_option_group(*each) && each->check_name(word); });
    if (!inner.empty()) {
      at = inner.front();
      continue;
    }
    std::vector<std::string> known;
    for (const CLI::App* each : subcommands(*at)) known.push_back(each->get_name());
    if (known.empty()) return;  // option groups alone
    throw UsageError(fmt::format("{} has no command {}, only {}{}", command_name(*at),
                                 printable(word), fmt::join(known, ", "),
                                 did_you_mean(word, known)));
  }
}

}  // namespace heed::cli
