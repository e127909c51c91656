#include "cli/manual.h"

#include <fmt/format.h>

#include "cli/help.h"

namespace heed::cli {
namespace {

// Letters beyond ASCII as \[u2026], since not every roff reads UTF-8.
std::string code_point(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  unsigned value = lead & (0x3Fu >> more);
  for (std::size_t i = 0; i < more && at + 1 < text.size(); ++i) {
    value = value << 6 | (static_cast<unsigned char>(text[++at]) & 0x3Fu);
  }
  return fmt::format("\\[u{:04X}]", value);
}

// Text as it stands: hyphens that can be copied to a shell, nothing that roff takes for a request.
std::string plain(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    const bool line_begins = i == 0 || text[i - 1] == '\n';
    if (line_begins && (letter == '.' || letter == '\'')) result += "\\&";
    if (letter == '\\') {
      result += "\\e";
    } else if (letter == '-') {
      result += "\\-";
    } else if (letter == '\'') {
      result += "\\(aq";
    } else if (static_cast<unsigned char>(letter) >= 0x80) {
      result += code_point(text, i);
    } else {
      result += letter;
    }
  }
  return result;
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

std::string head(const CLI::Option& option) {
  std::string names;
  if (option.nonpositional()) {
    for (const std::string& name : option_names(option)) {
      names += (names.empty() ? "" : ", ") + bold(name);
    }
    if (const std::string value = value_name(option); !value.empty()) {
      names += " " + italic(value);
    }
  } else {
    names = italic(option.get_name(true));
  }
  return names + (takes_many(option) ? "..." : "");
}

// Footers are meant for a terminal: their lines stay as they are.
std::string verbatim(const std::string& text) {
  return text.empty() ? "" : ".PP\n.nf\n" + plain(text) + "\n.fi\n";
}

// A line for each command that is complete in itself.
void add_synopsis(const CLI::App& app, std::string& page) {
  const auto inner = subcommands(app);
  for (const CLI::App* each : inner) add_synopsis(*each, page);
  if (inner.empty()) {
    page += fmt::format("{} {}\n.br\n", bold(command_name(app)), plain(usage(app)));
  }
}

void add_command(const CLI::App& app, std::string& page) {
  page += fmt::format(".SS {} {}\n{}.\n", bold(command_name(app)), plain(usage(app)),
                      plain(app.get_description()));
  for (const HelpSection& section : help_sections(app)) {
    if (section.title != "Arguments" && section.title != "Options") {
      page += fmt::format(".PP\n{}:\n", plain(section.title));
    }
    for (const CLI::Option* option : section.options) {
      page += fmt::format(".TP\n{}\n{}\n", head(*option), plain(option_text(*option)));
    }
  }
  page += verbatim(app.get_footer());
  for (const CLI::App* inner : subcommands(app)) add_command(*inner, page);
}

constexpr const char* kEnd =
    ".SH EXIT STATUS\n"
    ".TP\n0\nDone.\n"
    ".TP\n1\nFailed: a file that is not what it should be, a full disk. Standard error has one\n"
    "sentence that says what, where and what to do.\n"
    ".TP\n2\nWrong use: an option or an argument that does not exist or does not make sense.\n"
    ".TP\n130\nInterrupted. Training saves a checkpoint first and can be resumed.\n"
    ".SH ENVIRONMENT\n"
    ".TP\n\\fBNO_COLOR\\fR\nIf it is set, the progress bar has no colour.\n"
    ".SH FILES\n"
    "A model is a folder:\n"
    ".TP\n\\fIconfig.json\\fR\nEverything that is needed to rebuild it, the names of the answers "
    "included.\n"
    ".TP\n\\fImodel.safetensors\\fR\nThe weights.\n"
    ".TP\n\\fItokenizer.txt\\fR and its neighbours\nHow text becomes tokens.\n"
    ".TP\n\\fIcheckpoint/\\fR\nUntil training has finished: what it goes on from.\n";

}  // namespace

std::string manual(const CLI::App& app) {
  std::string page = fmt::format(
      ".\\\" Made by `heed man` from the program itself.\n"
      ".TH HEED 1 \"\" \"heed {}\" \"User Commands\"\n"
      ".nh\n.ad l\n"
      ".SH NAME\nheed \\- {}\n"
      ".SH SYNOPSIS\n",
      HEED_VERSION, plain(app.get_description()));
  add_synopsis(app, page);
  page += ".SH DESCRIPTION\n" + verbatim(app.get_footer()) + ".SH COMMANDS\n";
  for (const CLI::App* command : subcommands(app)) add_command(*command, page);
  return page + kEnd;
}

}  // namespace heed::cli
