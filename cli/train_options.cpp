#include "cli/train_options.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/read_flags.h"
#include "heed/base/file.h"
#include "heed/data/content.h"
#include "heed/model/folder.h"
#include "heed/train/defaults.h"
#include "heed/train/presets.h"
#include "heed/train/settings.h"

namespace heed::cli {
namespace {

// The parts of "attention,bag".
std::vector<std::string> bodies_of(const std::string& names) {
  std::vector<std::string> kinds;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t comma = std::min(names.find(',', begin), names.size());
    kinds.push_back(names.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return kinds;
}

Choice<Body> body_named(const std::string& kind) {
  try {
    return Choice<Body>(kind);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("--body {}", error.what()));
  }
}

// One body, or several with a comma between: an ensemble of networks. A body begins with its
// defaults for the task, unless the settings have it already.
void set_bodies(const TrainFlags& flags, Config& config) {
  if (flags.body.empty()) return;
  const std::vector<std::string> kinds = bodies_of(flags.body);
  const auto body = [&](const std::string& kind) {
    Config said = config;
    said.body = body_named(kind);
    return default_config(said).body;
  };
  if (config.body.kind() != kinds.front()) config.body = body(kinds.front());
  if (kinds.size() == 1) return;
  config.ensemble.size = std::ssize(kinds);
  config.ensemble.bodies.clear();
  for (std::size_t i = 1; i < kinds.size(); ++i) config.ensemble.bodies.push_back(body(kinds[i]));
}

// A flag about the body is for every body of an ensemble that has such an option.
void apply_path(const PathFlag& flag, Settings& settings) {
  constexpr std::string_view kBody = "body.";
  std::vector<Choice<Body>>& others = settings.config.ensemble.bodies;
  if (!flag.path.starts_with(kBody) || others.empty()) {
    apply_setting(flag.flag, flag.path, flag.value, settings);
    return;
  }
  bool used = false;
  std::string problem;
  const auto apply = [&](Choice<Body>& body) {
    Settings alone = settings;
    alone.config.body = body;
    try {
      apply_setting(flag.flag, flag.path, flag.value, alone);
      body = alone.config.body;
      used = true;
    } catch (const UsageError& error) {
      problem = error.what();
    }
  };
  apply(settings.config.body);
  for (Choice<Body>& body : others) apply(body);
  if (!used) throw UsageError(problem);
}

// What was said, on top of what the settings are.
void apply_flags(const TrainFlags& flags, Settings& settings) {
  Config& config = settings.config;
  TrainingOptions& training = settings.training;
  if (!flags.config_file.empty()) {
    from_json(read_file(flags.config_file), flags.config_file, config, Checks::kEachValue);
  }
  set_bodies(flags, config);
  for (const PathFlag& flag : flags.paths) {
    if (!flag.value.empty()) apply_path(flag, settings);
  }
  if (flags.crf) apply_setting("--crf", "output.crf", "true", settings);
  // Class weights have no meaning with a CRF.
  if (flags.no_crf || (flags.run.balance && flags.output == "tags" && !flags.crf)) {
    apply_setting("--no-crf", "output.crf", "false", settings);
  }
  if (flags.shared_vocabulary) {
    apply_setting("--shared-vocabulary", "input.targets", "true", settings);
    apply_setting("--shared-vocabulary", "output.shared", "true", settings);
  }
  if (flags.no_wide) apply_setting("--no-wide", "wide.kind", "none", settings);
  const auto set = [](auto& option, const auto& flag) {
    if (flag) option = *flag;
  };
  if (flags.dropout) {
    config.input->set_dropout(*flags.dropout);
    config.body->set_dropout(*flags.dropout);
    for (Choice<Body>& body : config.ensemble.bodies) body->set_dropout(*flags.dropout);
    config.output->set_dropout(*flags.dropout);
  }
  set(training.epochs, flags.epochs);
  set(training.rate, flags.rate);
  set(training.patience, flags.patience);
  if (!flags.select.empty()) training.select = flags.select;
  if (!flags.time.empty()) training.seconds = parse_time(flags.time);
  training.workers = flags.workers;
  set(config.seed, flags.seed);
  set(training.seed, flags.seed);
  for (const std::string& setting : flags.settings) apply_setting(setting, settings);
}

// Whether it is for the task at all, and whether it fits together.
void check(const Settings& settings, const TrainFlags& flags) {
  const std::string& kind = settings.config.output.kind();
  if (kind != flags.output) {
    throw UsageError(
        fmt::format("output.kind {}: this task learns the output {}; see heed train "
                    "--help for the others",
                    kind, flags.output));
  }
  if (flags.crf && flags.no_crf) throw UsageError("--crf and --no-crf: choose one of them");
  if (flags.run.balance && flags.crf) {
    throw UsageError("--balance: a CRF has no class weights; leave out --balance or --crf");
  }
  check_settings(settings);
}

// Options that are set twice, by --set or by --set and a flag: one would be dropped in silence.
void check_repeated(const TrainFlags& flags) {
  std::map<std::string, std::string> by;  // an option, and what was said about it
  for (const PathFlag& flag : flags.paths) {
    if (!flag.value.empty()) by[flag.path] = flag.flag;
  }
  if (flags.epochs) by["training.epochs"] = "--epochs";
  if (flags.rate) by["training.rate"] = "--rate";
  if (flags.patience) by["training.patience"] = "--patience";
  if (!flags.select.empty()) by["training.select"] = "--select";
  if (!flags.time.empty()) by["training.seconds"] = "--time";
  if (!flags.body.empty()) by["body.kind"] = "--body";
  if (flags.crf) by["output.crf"] = "--crf";
  if (flags.no_crf) by["output.crf"] = "--no-crf";
  if (flags.no_wide) by["wide.kind"] = "--no-wide";
  if (flags.seed) by["seed"] = by["training.seed"] = "--seed";
  for (const std::string& setting : flags.settings) {
    const std::string path = setting.substr(0, setting.find('='));
    const auto [before, fresh] = by.emplace(path, "--set");
    if (fresh) continue;
    if (before->second != "--set") refuse_both(before->second, "--set " + path);
    throw UsageError(fmt::format("--set {} is given more than once", path));
  }
}

// Flags of which one would be dropped in silence.
void check_conflicts(const TrainFlags& flags) {
  const RunOptions& run = flags.run;
  check_repeated(flags);
  if (!flags.time.empty() && flags.epochs) refuse_both("--time", "--epochs");
  if (!run.dev.empty() && flags.held_out) refuse_both("--dev", "--held-out");
  if (!run.read.group_column.empty() && !run.dev.empty()) {
    throw UsageError(fmt::format("--group-column {}: nothing is held out where there is --dev",
                                 run.read.group_column));
  }
  if (run.from.empty()) return;
  if (!flags.preset.empty()) refuse_both("--from", "--preset");
  if (!flags.config_file.empty()) refuse_both("--from", "--config");
  if (!flags.body.empty()) refuse_both("--from", "--body");
}

// A model that goes on learning is as it was; the rate is lower, so that it does not forget at once
// what it knows.
void settle_from(TrainFlags& flags) {
  constexpr float kRateShare = 0.3f;
  RunOptions& run = flags.run;
  Settings settings{load_config(run.from), run.training};
  if (settings.config.output.kind() != flags.output) {
    throw UsageError(fmt::format("--from {}: is a model that {}; this task learns the output {}",
                                 run.from, purpose(settings.config), flags.output));
  }
  run.read.known = settings.config.columns;
  if (run.read.content == ContentKind::kUnknown)
    run.read.content = settings.config.input->content();
  start_training(settings.config, settings.training);
  settings.training.rate *= kRateShare;
  apply_flags(flags, settings);
  check(settings, flags);
  run.config = settings.config;
  run.training = settings.training;
}

}  // namespace

// "90", "90s", "5m", "1h" in seconds.
double parse_time(const std::string& text) {
  std::size_t used = 0;
  double value = 0.0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  const std::string unit = text.substr(used);
  const double factor = unit.empty() || unit == "s" ? 1.0
                        : unit == "m"               ? 60.0
                        : unit == "h"               ? 3600.0
                                                    : 0.0;
  if (used == 0 || factor == 0.0 || !(value > 0.0)) {
    throw UsageError("--time " + text + ": expected a time such as 90s, 5m or 1h");
  }
  return value * factor;
}

void refuse_both(const std::string& one, const std::string& other) {
  throw UsageError(fmt::format("{} and {}: only one of them can be given", one, other));
}

namespace {

// Whether the flags name an option, in whatever way, of which `about` is true.
bool says(const TrainFlags& flags, bool (*about)(std::string_view option)) {
  const auto flag = [&](const PathFlag& one) { return !one.value.empty() && about(one.path); };
  return std::any_of(flags.paths.begin(), flags.paths.end(), flag) ||
         std::any_of(flags.settings.begin(), flags.settings.end(), about);
}

// Whether the width of the network may follow from the data.
bool leaves_width_open(const TrainFlags& flags) {
  const auto about_width = [](std::string_view option) {
    return option.starts_with("width") || option.starts_with("body.") ||
           option.starts_with("input.vectors");  // which have a width
  };
  return flags.run.from.empty() && flags.preset.empty() && flags.config_file.empty() &&
         !says(flags, about_width);
}

// Whether nothing was said about the size of the network. Naming a body is not about its size; the
// networks of an ensemble keep theirs.
bool leaves_network_open(const TrainFlags& flags) {
  const auto sets_network = [](const std::string& setting) {
    return !setting.starts_with("training.") && !setting.starts_with("wide.");
  };
  return leaves_width_open(flags) && flags.body.find(',') == std::string::npos &&
         std::none_of(flags.settings.begin(), flags.settings.end(), sets_network);
}

}  // namespace

void settle_options(TrainFlags& flags) {
  RunOptions& run = flags.run;
  // What keeps its size in a time limit does not become wider then either.
  const bool timed = !flags.time.empty(), open = leaves_network_open(flags);
  run.width_by_data = timed ? open : leaves_width_open(flags);
  run.size_by_time = timed && open;
  check_conflicts(flags);
  if (flags.held_out) run.held_out = *flags.held_out;
  if (!run.from.empty()) return settle_from(flags);
  // Defaults depend on what is chosen, in whatever way: that is asked first.
  if (run.read.content == ContentKind::kUnknown) {
    run.read.content = find_content(run.train.front(), run.read);
  }
  Settings said{default_config(flags.output, run.read.content), run.training};
  apply_flags(flags, said);
  Settings settings{default_config(said.config), run.training};
  start_training(settings.config, settings.training);
  for (const std::string& setting : flags.task) apply_setting(setting, settings);
  if (!flags.preset.empty()) apply_preset(flags.preset, settings);
  apply_flags(flags, settings);
  check(settings, flags);
  run.config = settings.config;
  run.training = settings.training;
}

std::string option_text(const Config& config, const std::string& path) {
  const nlohmann::json* value = nullptr;
  const nlohmann::json all = nlohmann::json::parse(config_text(config));
  value = &all;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t dot = std::min(path.find('.', begin), path.size());
    value = &value->at(path.substr(begin, dot - begin));
    begin = dot + 1;
  }
  if (value->is_number_float()) return fmt::format("{}", value->get<float>());
  return value->is_string() ? value->get<std::string>() : value->dump();
}

}  // namespace heed::cli
