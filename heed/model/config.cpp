#include "heed/model/config.h"

#include <fmt/format.h>

#include "heed/model/options.h"

namespace heed {

template <class Archive>
void describe(Archive& archive, EnsembleOptions& options) {
  archive.field("size", options.size, between(1, kMostLayers));
  archive.field("bodies", options.bodies);
  const Index bodies = std::ssize(options.bodies);
  archive.check("bodies", bodies == 0 || bodies == options.size - 1,
                "none, or one for each network after the first");
}

template <class Archive>
void describe(Archive& archive, KnownColumns& columns) {
  archive.field("text", columns.text);
  archive.field("second", columns.second);
  archive.field("label", columns.label);
  archive.field("separator", columns.separator);
  archive.field("tag", columns.tag);
  archive.field("count", columns.count, between(0, kMostRows));
}

template <class Archive>
void describe(Archive& archive, Config& config) {
  archive.field("width", config.width, between(1, kMostWidth));
  archive.field("input", config.input);
  archive.field("body", config.body);
  archive.field("output", config.output);
  archive.field("wide", config.wide);
  archive.field("ensemble", config.ensemble);
  archive.field("columns", config.columns);
  archive.field("seed", config.seed);
  archive.check(
      "wide",
      !config.wide->present() || (config.output->takes_wide() &&
                                  config.output->answers_rows() == config.wide->scores_rows()),
      fmt::format(
          "none where the output is \"{}\": it scores {}", config.output.kind(),
          config.wide->scores_rows() ? "the tag of each word" : "the label of a whole text"));
  archive.check("ensemble", config.ensemble.size == 1 || config.output->can_average(),
                fmt::format("of size 1 with {}", config.output->no_mean()));
  archive.check("input", config.input->mixup() == 0.0f || config.output->can_mix(),
                fmt::format("a mixup of 0 where the output is \"{}\": its answers have no shares",
                            config.output.kind()));
  if (config.output->answers_rows()) archive.refuse("input", config.input->row_problem());
  if (config.output->predicts_input()) {
    archive.refuse("input", config.input->token_problem());
    archive.refuse("body", config.body->causal_problem());
  }
  const bool timeless = config.input->row_seconds() == 0.0;
  const auto refuse_body = [&](const char* name, const Body& body) {
    archive.refuse(name, body.problem(config.width));
    if (timeless) archive.refuse(name, body.timeless_problem());
  };
  refuse_body("body", *config.body);
  for (const Choice<Body>& body : config.ensemble.bodies) refuse_body("ensemble.bodies", *body);
}

template void describe(JsonReader& archive, Config& config);
template void describe(JsonWriter& archive, Config& config);

std::string config_text(const Config& config) { return to_json(config); }

Config parse_config(const std::string& text, const std::string& file) {
  Config config;
  from_json(text, file, config);
  return config;
}

SizePreset size_preset(const std::string& name) {
  static constexpr SizePreset kPresets[] = {{"tiny", 64, 4, 128, 1, 0.1f},
                                            {"small", 128, 4, 256, 2, 0.2f},
                                            {"base", 256, 8, 1024, 4, 0.2f}};
  for (const SizePreset& preset : kPresets) {
    if (name == preset.name) return preset;
  }
  throw UsageError("there is no preset " + name + "; there are tiny, small and base");
}

void apply_preset(const std::string& name, Config& config) {
  const SizePreset size = size_preset(name);
  config.width = size.width;
  config.input->apply(size);
  config.body->apply(size);
  for (Choice<Body>& body : config.ensemble.bodies) body->apply(size);
  config.output->apply(size);
}

std::string option_json(const std::string& path, const std::string& value) {
  const JsonText quoted;
  quoted.root().set(std::string_view(value));
  std::string text = quoted.line();
  const bool literal = value == "true" || value == "false" || value == "null" ||
                       (!value.empty() && (value.front() == '[' || value.front() == '-' ||
                                           (value.front() >= '0' && value.front() <= '9')));
  if (literal) {
    try {
      Json::parse(value, path);
      text = value;
    } catch (const FormatError&) {
      // Something like 3d: a text after all.
    }
  }
  std::size_t end = path.size();
  while (true) {
    const std::size_t dot = path.rfind('.', end == 0 ? 0 : end - 1);
    const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
    const JsonText key;
    key.root().set(std::string_view(path).substr(begin, end - begin));
    text = fmt::format("{{{}:{}}}", key.line(), text);
    if (dot == std::string::npos) return text;
    end = dot;
  }
}

}  // namespace heed
