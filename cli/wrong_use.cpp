#include "cli/wrong_use.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "cli/help.h"
#include "heed/base/nearest.h"

namespace heed::cli {
namespace {

// All long flags of a command, those in its groups too.
void add_flags(const CLI::App& app, std::vector<std::string>& flags) {
  for (const CLI::Option* option : app.get_options()) {
    flags.insert(flags.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  const auto nameless = [](const CLI::App* part) { return part->get_name().empty(); };
  for (const CLI::App* group : app.get_subcommands(nameless)) add_flags(*group, flags);
}

// The option that a message of CLI11 begins or ends with, such as "--epochs: 1 required INT
// missing" or "Could not convert: --force = maybe".
const CLI::Option* option_in(const CLI::App& command, const std::string& message) {
  const std::size_t begin = message.find('-');
  if (begin == std::string::npos) return nullptr;
  const std::size_t end = std::min(message.find_first_of(": =", begin), message.size());
  return command.get_option_no_throw(message.substr(begin, end - begin));
}

// What other programs call a flag, and what is meant by it here.
struct Synonym {
  std::string_view theirs, flag;
  std::string_view advice = {};  // in place of "it is called --flag here"
};
constexpr Synonym kSynonyms[] = {
    {"learning-rate", "rate"},
    {"lr", "rate"},
    {"learning_rate", "rate"},
    {"batch-size", "set", "--set training.batch_rows=4096 says how many words make a batch"},
    {"batch_size", "set", "--set training.batch_rows=4096 says how many words make a batch"},
    {"batch", "set", "--set training.batch_rows=4096 says how many words make a batch"},
    {"weight-decay", "set", "--set training.adamw.decay=0.01 sets it"},
    {"num-epochs", "epochs"},
    {"num_train_epochs", "epochs"},
    {"max-epochs", "epochs"},
    {"dim", "width"},
    {"hidden-size", "width"},
    {"d-model", "width"},
    {"num-layers", "layers"},
    {"num-heads", "heads"},
    {"max-length", "truncate"},
    {"max-seq-length", "truncate"},
    {"threads", "workers"},
    {"thread", "workers"},
    {"jobs", "workers"},
    {"random-seed", "seed"},
    {"val", "dev"},
    {"valid", "dev"},
    {"validation", "dev"},
    {"eval", "dev"},
    {"early-stopping", "patience"},
    {"class-weights", "balance"},
    {"device", "workers", "heed computes on the CPU; --workers says on how many threads"},
    {"gpu", "workers", "heed computes on the CPU; --workers says on how many threads"},
};

// The end of a message about a flag of other programs; empty where it is none, or where the command
// has no such thing.
std::string called_here(std::string_view word, const std::vector<std::string>& flags) {
  for (const Synonym& synonym : kSynonyms) {
    const bool has = std::find(flags.begin(), flags.end(), synonym.flag) != flags.end();
    if (synonym.theirs != word || !has) continue;
    return synonym.advice.empty() ? fmt::format("; it is called --{} here", synonym.flag)
                                  : fmt::format("; {}", synonym.advice);
  }
  return {};
}

// What CLI11 says, in heed's words.
std::string reason(const CLI::App& command, const CLI::ParseError& error) {
  std::string message = error.what();
  std::replace(message.begin(), message.end(), '\n', ' ');
  const CLI::Option* option = option_in(command, message);
  if (option == nullptr) return message;
  const std::string name = option_names(*option).back();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr &&
      option->results().size() > 1) {
    return fmt::format("{} is given more than once: {}", name, fmt::join(option->results(), ", "));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return fmt::format("{0} needs a value: {0} {1}", name, value_name(*option));
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    return fmt::format("{} takes no value, got {}", name, fmt::join(option->results(), " "));
  }
  return message;
}

}  // namespace

std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app;
  std::string name = app.get_name();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    name += " " + command->get_name();
  }
  const std::string help = fmt::format("; see {} --help", name);
  std::vector<std::string> commands;
  for (const CLI::App* part : subcommands(*command)) commands.push_back(part->get_name());

  // What nobody knew comes before what is missing: often it is the same thing, misspelt.
  const std::vector<std::string> unknown = app.remaining(true);
  if (!unknown.empty()) {
    std::string word = unknown.front();
    if (word.starts_with("-")) {
      word = word.substr(0, word.find('='));
      std::vector<std::string> flags;
      add_flags(*command, flags);
      const std::string bare = word.substr(std::min(word.find_first_not_of('-'), word.size()));
      std::string meant = called_here(bare, flags);
      if (meant.empty()) meant = did_you_mean(bare, flags, "--");
      return fmt::format("{} has no flag {}{}", name, word, meant.empty() ? help : meant);
    }
    if (!commands.empty()) {
      return fmt::format("{} has no command {}, only {}{}", name, word, fmt::join(commands, ", "),
                         did_you_mean(word, commands));
    }
    return fmt::format("{} does not know what to do with {}{}", name, word, help);
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !commands.empty()) {
    return fmt::format("{} needs a command: {}{}", name, fmt::join(commands, ", "), help);
  }
  return reason(*command, error) + help;
}

}  // namespace heed::cli
