#include "cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "cli/flag_values.h"
#include "cli/help.h"
#include "cli/manual.h"

namespace heed::cli {
namespace {

using Visit = std::function<void(const CLI::App&)>;

void visit_all(const CLI::App& app, const Visit& visit) {
  visit(app);
  for (const CLI::App* inner : subcommands(app)) visit_all(*inner, visit);
}

void visit_options(const CLI::App& app, const std::function<void(const CLI::Option&)>& visit) {
  for (const HelpSection& section : help_sections(app)) {
    for (const CLI::Option* option : section.options) visit(*option);
  }
}

bool is_file(const CLI::Option& option) {
  const std::string value = value_name(option);
  return value == "FILE" || value == "FOLDER" || (!option.nonpositional() && value.empty());
}

// What can stand where no option is expected: commands, or the choices of an argument.
std::vector<std::string> first_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* inner : subcommands(app)) words.push_back(inner->get_name());
  visit_options(app, [&](const CLI::Option& option) {
    if (option.nonpositional()) return;
    const auto known = choices(option);
    words.insert(words.end(), known.begin(), known.end());
  });
  return words;
}

std::string zsh_quoted(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\'') {
      result += "'\\''";
      continue;
    }
    if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') result += '\\';
    result += letter;
  }
  return result;
}

std::string zsh_function(const CLI::App& app) {
  std::string name = command_name(app);
  std::replace(name.begin(), name.end(), ' ', '_');
  return "_" + name;
}

// What may follow an option, as _arguments takes it: ":FILE:_files".
std::string zsh_value(const CLI::Option& option) {
  const std::string value = value_name(option);
  if (const auto known = choices(option); !known.empty()) {
    return fmt::format(":choice:({})", fmt::join(known, " "));
  }
  if (is_file(option)) {
    return fmt::format(":{}:_files{}", option.nonpositional() ? value : option.get_name(true),
                       value == "FOLDER" ? " -/" : "");
  }
  return value.empty() ? "" : fmt::format(":{}: ", zsh_quoted(value));
}

std::string zsh_command(const CLI::App& app) {
  std::string script =
      fmt::format("{}() {{\n  local curcontext=$curcontext state line\n  typeset -A opt_args\n",
                  zsh_function(app));
  script += "  _arguments -C";
  const auto commands = subcommands(app);
  visit_options(app, [&](const CLI::Option& option) {
    if (!option.nonpositional()) {
      const char* place = takes_many(option) ? "*" : "";
      script += fmt::format(" \\\n    '{}{}'", place, zsh_value(option));
      return;
    }
    for (const std::string& name : option_names(option)) {
      script += fmt::format(" \\\n    '{}{}[{}]{}'", takes_many(option) ? "*" : "", name,
                            zsh_quoted(option.get_description()), zsh_value(option));
    }
  });
  if (commands.empty()) return script + "\n}\n";
  script += " \\\n    '1:command:->command' \\\n    '*::argument:->argument'\n";
  script += "  case $state in\n    command)\n      local -a commands=(";
  for (const CLI::App* inner : commands) {
    script +=
        fmt::format("\n        '{}:{}'", inner->get_name(), zsh_quoted(inner->get_description()));
  }
  script += ")\n      _describe command commands ;;\n    argument)\n      case $words[1] in\n";
  for (const CLI::App* inner : commands) {
    script += fmt::format("        {}) {} ;;\n", inner->get_name(), zsh_function(*inner));
  }
  return script + "      esac ;;\n  esac\n}\n";
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::vector<std::string> commands, values, files;
  std::string known_values, known_words;
  visit_all(app, [&](const CLI::App& command) {
    const std::string name = command_name(command);
    if (&command != &app) commands.push_back("'" + name + "'");
    std::vector<std::string> flags;
    visit_options(command, [&](const CLI::Option& option) {
      for (const std::string& flag : option_names(option)) {
        flags.push_back(flag);
        const std::string place = fmt::format("'{} {}'", name, flag);
        if (const auto known = choices(option); !known.empty()) {
          known_values += fmt::format("    {}) words='{}' ;;\n", place, fmt::join(known, " "));
        } else if (is_file(option)) {
          files.push_back(place);
        } else if (!value_name(option).empty()) {
          values.push_back(place);
        }
      }
    });
    known_words += fmt::format("        '{}:-'*) words='{}' ;;\n", name, fmt::join(flags, " "));
    known_words +=
        fmt::format("        '{}:'*) words='{}' ;;\n", name, fmt::join(first_words(command), " "));
  });
  // Nothing to offer means files, unless the option wants something else.
  return fmt::format(
      R"(# Completes heed's commands, options, choices and files. Made by `heed completion bash`.
_heed() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  local command=heed words='' i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command ${{COMP_WORDS[i]}}" in
      {}) command+=" ${{COMP_WORDS[i]}}" ;;
    esac
  done
  COMPREPLY=()
  case "$command $previous" in
{}    {}) return ;;
    {}) compopt +o default 2>/dev/null; return ;;
    *)
      case "$command:$current" in
{}      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _heed heed
)",
      fmt::join(commands, " | "), known_values, fmt::join(files, " | "), fmt::join(values, " | "),
      known_words);
}

std::string zsh_completion(const CLI::App& app) {
  std::string script =
      "#compdef heed\n# Completes heed's commands, options, choices and files. Made by `heed "
      "completion zsh`.\n";
  visit_all(app, [&](const CLI::App& command) { script += zsh_command(command); });
  return script + "_heed \"$@\"\n";
}

void add_completion(CLI::App& app) {
  CLI::App* completion = app.add_subcommand("completion", "Print a script for a shell")->group("");
  auto shell = std::make_shared<std::string>();
  completion->add_option("SHELL", *shell, "bash or zsh")
      ->type_name("bash|zsh")
      ->check(one_of({"bash", "zsh"}))
      ->required();
  completion->callback([&app, shell] {
    fmt::print("{}", *shell == "bash" ? bash_completion(app) : zsh_completion(app));
  });
  app.add_subcommand("man", "Print the manual page")->group("")->callback([&app] {
    fmt::print("{}", manual(app));
  });
}

}  // namespace heed::cli
