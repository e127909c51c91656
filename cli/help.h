#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

// How heed explains itself. Help, the manual page and shell completion are all read off the program
// itself, so that none of them can be out of date.
namespace heed::cli {

// What an option looks like to whoever uses it.
std::vector<std::string> option_names(const CLI::Option& option);  // "-o", "--output"
// "FOLDER", "N", or what there is to choose from: "attention|bag|window". Empty for a flag, and for
// an argument without such a choice.
std::string value_name(const CLI::Option& option);
std::vector<std::string> choices(const CLI::Option& option);
bool takes_many(const CLI::Option& option);
std::string option_text(const CLI::Option& option);  // its description, and its default

// A part of a command's help: "Arguments", "Options" or a group, in the order of the help.
struct HelpSection {
  std::string title;
  std::vector<const CLI::Option*> options;
};
std::vector<HelpSection> help_sections(const CLI::App& app);

// Those that help shows.
std::vector<const CLI::App*> subcommands(const CLI::App& app);
// "heed train classify"
std::string command_name(const CLI::App& app);
// "DATA... -o FOLDER [OPTIONS]"
std::string usage(const CLI::App& app);

// Writes help as heed does: sections, at most 80 columns wide.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

// A command that does not exist is a UsageError that names those that do, and the nearest.
void check_command(const CLI::App& app, int argc, const char* const* argv);

}  // namespace heed::cli
