#include "cli/compare_variants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "cli/train.h"
#include "heed/train/defaults.h"

namespace heed::cli {
namespace {

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return parts;
}

// A number with nothing behind it; NaN where there is none.
double number_of(const std::string& text) {
  std::size_t used = 0;
  try {
    const double value = std::stod(text, &used);
    if (used == text.size()) return value;
  } catch (const std::exception&) {
  }
  return std::numeric_limits<double>::quiet_NaN();
}

const CLI::App* nameless(const CLI::App* part) { return part->get_name().empty() ? part : nullptr; }

// Whether a body has an option, as its own defaults show it.
bool has_option(const std::string& output, const std::string& body, const std::string& path) {
  Config said = default_config(output);
  said.body = Choice<Body>(body);
  try {
    option_text(default_config(said), path);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

// A command with the flags of heed train, and what it was told.
RunOptions parse_train(const CompareFlags& flags, std::vector<std::string> arguments) {
  TrainFlags train;
  train.output = flags.common.output;
  const Config start = default_config(train.output);
  CLI::App app;
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.set_help_flag();
  add_model_flags(app, train, start);
  add_training_flags(app, train, start);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  app.parse(arguments);
  const bool balance = train.run.balance;
  train.run = flags.common.run;
  train.run.balance = balance;
  if (!flags.wide && start.wide->present()) train.no_wide = true;
  settle_options(train);
  return train.run;
}

CompareVariant body_variant(const CLI::App& app, const CompareFlags& flags,
                            const std::string& body) {
  const std::vector<std::string> known = Registry<Body>::instance().names();
  if (std::find(known.begin(), known.end(), body) == known.end()) {
    throw UsageError(fmt::format("--bodies {}: expected some of {}, with commas between", body,
                                 fmt::join(known, ", ")));
  }
  std::vector<std::string> arguments;
  // A flag about bodies is for those that have such an option.
  for (const std::string& argument : given(app, true)) {
    const auto path =
        std::find_if(flags.common.paths.begin(), flags.common.paths.end(),
                     [&](const PathFlag& flag) { return argument.starts_with(flag.flag + "="); });
    const bool other = path != flags.common.paths.end() && path->path.starts_with("body.") &&
                       !has_option(flags.common.output, body, path->path);
    if (!other) arguments.push_back(argument);
  }
  arguments.push_back("--body=" + body);
  return {body, fmt::format("{}", fmt::join(arguments, " ")), parse_train(flags, arguments), true};
}

// name="flags"
CompareVariant said_variant(const CLI::App& app, const CompareFlags& flags,
                            const std::string& said) {
  const std::size_t equals = said.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError(
        fmt::format("--variant {}: expected NAME=\"FLAGS\", such as deep=\"--layers 6\"", said));
  }
  const std::string name = said.substr(0, equals), own = said.substr(equals + 1);
  std::vector<std::string> arguments = given(app, true);
  for (std::string& argument : CLI::detail::split_up(own)) arguments.push_back(std::move(argument));
  try {
    return {name, fmt::format("{}", fmt::join(arguments, " ")), parse_train(flags, arguments),
            false};
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("--variant {}: {}; see heed train --help", name, error.what()));
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("--variant {}: {}", name, error.what()));
  }
}

}  // namespace

std::vector<std::string> given(const CLI::App& app, bool groups_only) {
  std::vector<std::string> words, data;
  const auto add = [&](const CLI::App& part) {
    for (const CLI::Option* option : part.get_options()) {
      if (option->count() == 0) continue;
      const bool flag = option->get_items_expected_max() == 0;
      for (const std::string& value : option->results()) {
        if (option->get_lnames().empty() && option->get_snames().empty()) {
          data.push_back(value);
        } else if (option->get_lnames().empty() || flag) {
          words.push_back(option->get_lnames().empty() ? "-" + option->get_snames().front()
                                                       : "--" + option->get_lnames().front());
          if (!flag) words.push_back(value);
        } else {
          words.push_back(fmt::format("--{}={}", option->get_lnames().front(), value));
        }
      }
    }
  };
  if (!groups_only) add(app);
  for (const CLI::App* group :
       app.get_subcommands([](const CLI::App* part) { return nameless(part) != nullptr; })) {
    add(*group);
  }
  words.insert(words.end(), data.begin(), data.end());
  return words;
}

std::vector<CompareVariant> make_variants(const CLI::App& app, const CompareFlags& flags) {
  std::vector<CompareVariant> variants;
  std::string bodies = flags.bodies;
  if (bodies.empty() && flags.variants.empty()) bodies = "attention,cnn,lstm,window,bag";
  if (!bodies.empty()) {
    for (const std::string& body : parts_of(bodies)) {
      variants.push_back(body_variant(app, flags, body));
    }
  }
  for (const std::string& said : flags.variants) {
    variants.push_back(said_variant(app, flags, said));
  }
  std::set<std::string> names;
  for (const CompareVariant& variant : variants) {
    if (!names.insert(variant.name).second) {
      throw UsageError(fmt::format("{}: there are two variants of this name", variant.name));
    }
  }
  return variants;
}

std::vector<double> parse_amounts(const std::string& text) {
  std::vector<double> amounts;
  for (std::string part : parts_of(text)) {
    const bool percent = part.ends_with('%');
    if (percent) part.pop_back();
    const double amount = number_of(part) * (percent ? 0.01 : 1.0);
    if (!(amount > 0.0 && amount <= 1.0)) {
      throw UsageError(fmt::format(
          "--amounts {}: expected parts of the data with commas between, such as 1%,10%,100%",
          text));
    }
    amounts.push_back(amount);
  }
  std::sort(amounts.begin(), amounts.end());
  amounts.erase(std::unique(amounts.begin(), amounts.end()), amounts.end());
  return amounts;
}

std::vector<Index> parse_lengths(const std::string& text) {
  std::vector<Index> lengths;
  if (text == "0") return lengths;
  for (const std::string& part : parts_of(text)) {
    const double length = number_of(part);
    if (!(length >= 1.0 && length <= 1e6) || length != std::floor(length)) {
      throw UsageError(fmt::format(
          "--lengths {}: expected whole numbers from 1 to 1000000 with commas between, or 0",
          text));
    }
    lengths.push_back(static_cast<Index>(length));
  }
  return lengths;
}

}  // namespace heed::cli
