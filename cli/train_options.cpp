#include "cli/train_options.h"

#include <fmt/format.h>
#include <algorithm>

#include "heed/base/file.h"
#include "heed/model/config_json.h"
#include "heed/train/run_json.h"
#include "heed/train/text_defaults.h"

namespace heed {
namespace {

// All that --set can name.
struct Settings {
  Config config;
  TrainingOptions training;
};

}  // namespace

template <class Archive>
void describe(Archive& archive, Settings& settings) {
  archive.field("training", settings.training);
  describe(archive, settings.config);
}

namespace cli {
namespace {

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

template <typename T>
T named(const std::string& flag, const std::string& name) {
  if (const auto value = value_named<T>(name)) return *value;
  throw UsageError(
      fmt::format("{} {}: expected one of {}", flag, name, fmt::join(all_names<T>(), ", ")));
}

// One body, or several with a comma between: a network for each, which answer together.
void set_bodies(const std::string& names, Config& config) {
  std::vector<BodyKind> kinds;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t comma = std::min(names.find(',', begin), names.size());
    kinds.push_back(named<BodyKind>("--body", names.substr(begin, comma - begin)));
    begin = comma + 1;
  }
  config.body.kind = kinds.front();
  config.body.others.assign(kinds.begin() + 1, kinds.end());
  if (kinds.size() > 1) config.members = static_cast<Index>(kinds.size());
}

// Each value is checked by itself, as its neighbours are still to come.
void apply_setting(const std::string& setting, Settings& settings) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError("--set " + setting + ": expected NAME=VALUE, such as body.encoder.layers=4");
  }
  try {
    from_json(option_json(setting.substr(0, equals), setting.substr(equals + 1)), "--set", settings,
              Checks::kEachValue);
  } catch (const FormatError& error) {
    throw UsageError(error.what());
  }
}

// What was said, on top of what the settings are.
void apply_flags(const TrainFlags& flags, Settings& settings) {
  Config& config = settings.config;
  TrainingOptions& training = settings.training;
  if (!flags.config_file.empty()) {
    from_json(read_file(flags.config_file), flags.config_file, config, Checks::kEachValue);
  }
  if (!flags.body.empty()) set_bodies(flags.body, config);
  if (!flags.beyond.empty()) config.text.beyond = named<Beyond>("--beyond", flags.beyond);
  if (!flags.pooling.empty()) config.output.pooling = named<nn::Pool>("--pooling", flags.pooling);
  if (!flags.tokenizer.empty()) {
    config.text.tokenizer.kind = named<TokenizerOptions::Kind>("--tokenizer", flags.tokenizer);
  }
  const auto set = [](auto& option, const auto& flag) {
    if (flag) option = *flag;
  };
  set(config.width, flags.width);
  set(config.body.encoder.layers, flags.layers);
  set(config.body.recurrent.layers, flags.layers);
  set(config.body.encoder.attention.heads, flags.heads);
  set(config.text.longest, flags.longest);
  set(config.text.tokenizer.vocabulary, flags.vocabulary);
  set(config.text.word_dropout, flags.word_dropout);
  set(config.output.smoothing, flags.smoothing);
  if (flags.dropout) {
    config.text.dropout = config.output.dropout = config.body.encoder.dropout =
        config.body.encoder.feed_forward.dropout = config.body.recurrent.dropout = *flags.dropout;
  }
  if (flags.crf) config.output.crf = true;
  set(training.epochs, flags.epochs);
  set(training.rate, flags.rate);
  set(training.patience, flags.patience);
  if (!flags.time.empty()) training.seconds = parse_time(flags.time);
  training.workers = flags.workers;
  set(config.seed, flags.seed);
  set(training.seed, flags.seed);
  for (const std::string& setting : flags.settings) apply_setting(setting, settings);
}

// What was said about the body stands; else long texts get one that suits them.
bool may_choose_body(const TrainFlags& flags) {
  const auto about_body = [](const std::string& setting) { return setting.starts_with("body."); };
  return flags.run.task == OutputKind::kLabel && flags.body.empty() && !flags.layers &&
         !flags.heads && flags.config_file.empty() &&
         std::none_of(flags.settings.begin(), flags.settings.end(), about_body);
}

// Whether it is for the task at all, and whether it fits together.
void check(const Settings& settings, OutputKind task) {
  const OutputKind kind = settings.config.output.kind;
  if (kind != task) {
    throw UsageError(fmt::format("output.kind {}: heed train {} learns it, not heed train {}",
                                 name_of(kind), kind == OutputKind::kTags ? "tag" : "classify",
                                 task == OutputKind::kTags ? "tag" : "classify"));
  }
  const TokenizerOptions::Kind tokenizer = settings.config.text.tokenizer.kind;
  if (task == OutputKind::kTags && tokenizer != TokenizerOptions::Kind::kWord) {
    throw UsageError(
        fmt::format("text.tokenizer.kind {}: words can be tagged with the tokenizer word alone",
                    name_of(tokenizer)));
  }
  try {
    Settings checked;
    from_json(to_json(settings), "", checked);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

void settle_options(TrainFlags& flags) {
  TextRunOptions& run = flags.run;
  if (!run.read.group_column.empty() && !run.dev.empty()) {
    throw UsageError(fmt::format("--group-column {}: nothing is held out where there is --dev",
                                 run.read.group_column));
  }
  Settings settings{default_config(run.task), run.training};
  if (!flags.preset.empty()) apply_preset(flags.preset, settings.config);
  // The tokenizer has a say in other defaults: who chooses it, in whatever way, is asked first.
  Settings said = settings;
  apply_flags(flags, said);
  suit_tokenizer(said.config.text.tokenizer.kind, settings.config.text);
  apply_flags(flags, settings);
  Config& config = settings.config;
  config.body.position.longest = std::max(config.body.position.longest, config.text.longest);
  check(settings, run.task);
  run.config = settings.config;
  run.training = settings.training;
  run.choose_body = may_choose_body(flags);
}

}  // namespace cli
}  // namespace heed
