#include "cli/describe.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/flag_values.h"
#include "heed/base/display.h"
#include "heed/base/file.h"
#include "heed/base/json.h"
#include "heed/model/description_svg.h"
#include "heed/model/folder.h"
#include "heed/train/defaults.h"

namespace heed::cli {
namespace {

struct DescribeFlags {
  std::string path, svg;
  Index length = 0;
  bool json = false;
};

// What is described, and where it came from.
struct Subject {
  Config config;
  std::string name;     // the last part of the path
  double bytes = 0.0;   // of its weights on disk
  bool stored = false;  // whether they are there
};

// As `heed train --config` reads it: what a file does not say is as it is without it.
Config read_config(const std::string& path) {
  const std::string text = read_file(path);
  Config said;
  from_json(text, path, said, Checks::kEachValue);
  Config config = default_config(said);
  from_json(text, path, config);
  return config;
}

Subject open_subject(const std::string& path) {
  if (!file_exists(path)) {
    throw IoError(path + ": there is no such file; expected a model's folder or a config.json");
  }
  Subject subject;
  const std::filesystem::path clean = std::filesystem::absolute(path).lexically_normal();
  subject.name = (clean.has_filename() ? clean : clean.parent_path()).filename().string();
  if (!std::filesystem::is_directory(path)) {
    subject.config = read_config(path);
    return subject;
  }
  subject.config = load_config(path);
  std::error_code missing;
  const auto bytes = std::filesystem::file_size(path + "/model.safetensors", missing);
  subject.stored = !missing;
  if (subject.stored) subject.bytes = static_cast<double>(bytes);
  return subject;
}

std::string count_text(Index count) { return count == 0 ? "-" : with_commas(count); }

void print_table(const Description& description, const Subject& subject) {
  struct Row {
    std::string step, in, out, parameters, flops, note;
  };
  std::vector<Row> rows = {{"step", "in", "out", "parameters", "FLOPs", ""}};
  for (const PlanStep& step : description.steps) {
    rows.push_back({step.layer.empty() ? step.name : step.layer + ": " + step.name,
                    step.in.rank() == 0 ? "-" : step.in.text(), step.out.text(),
                    count_text(step.parameters), step.flops > 0.0 ? short_count(step.flops) : "-",
                    step.note});
  }
  rows.push_back(
      {"total", "", "", with_commas(description.parameters), short_count(description.flops), ""});
  const auto width = [&](std::string Row::*column) {
    std::size_t widest = 0;
    for (const Row& row : rows) widest = std::max(widest, columns(row.*column));
    return widest;
  };
  const std::size_t step = width(&Row::step), in = width(&Row::in), out = width(&Row::out),
                    parameters = width(&Row::parameters), flops = width(&Row::flops);
  for (const Row& row : rows) {
    const std::string line =
        fmt::format("{}  {}  {}  {}  {}  {}", pad_right(row.step, step), pad_right(row.in, in),
                    pad_right(row.out, out), pad_left(row.parameters, parameters),
                    pad_left(row.flops, flops), row.note);
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
  const double share = description.parameters == 0
                           ? 0.0
                           : static_cast<double>(description.embedding_parameters) /
                                 static_cast<double>(description.parameters);
  fmt::print("\n{} parameters, {} of them in embeddings ({:.0f} %)\n",
             with_commas(description.parameters), with_commas(description.embedding_parameters),
             100.0 * share);
  const Index longest = longest_length(subject.config);
  fmt::print("{} FLOPs for one example of {} rows; it reads {}\n", short_count(description.flops),
             with_commas(description.length),
             longest == 0 ? "any length" : fmt::format("up to {} at a time", with_commas(longest)));
  fmt::print("{}B {}\n", short_count(subject.bytes) + (subject.bytes < 999.5 ? " " : ""),
             subject.stored ? "of weights on disk" : "of weights on disk, once it is trained");
}

void print_json(const Description& description, const Subject& subject) {
  const JsonText text;
  const JsonPlace root = text.root();
  const auto sizes = [](const JsonPlace& place, const Shape& shape) {
    place.set_list();
    for (int axis = 0; axis < shape.rank(); ++axis) place.append().set(shape[axis]);
  };
  root["length"].set(description.length);
  root["steps"].set_list();
  for (const PlanStep& step : description.steps) {
    const JsonPlace place = root["steps"].append();
    place["layer"].set(std::string_view(step.layer));
    place["name"].set(std::string_view(step.name));
    sizes(place["in"], step.in);
    sizes(place["out"], step.out);
    place["parameters"].set(step.parameters);
    place["flops"].set(step.flops);
    place["note"].set(std::string_view(step.note));
  }
  root["parameters"].set(description.parameters);
  root["embedding_parameters"].set(description.embedding_parameters);
  root["flops"].set(description.flops);
  root["bytes"].set(subject.bytes);
  root["longest"].set(longest_length(subject.config));
  fmt::print("{}", text.pages());
}

void describe_path(const DescribeFlags& flags) {
  Subject subject = open_subject(flags.path);
  const Description description = describe_model(subject.config, flags.length);
  if (!subject.stored) subject.bytes = 4.0 * static_cast<double>(description.parameters);
  if (!flags.svg.empty()) write_file(flags.svg, description_svg(description, subject.name));
  flags.json ? print_json(description, subject) : print_table(description, subject);
}

}  // namespace

void add_describe(CLI::App& app) {
  auto flags = std::make_shared<DescribeFlags>();
  CLI::App* describe_app =
      app.add_subcommand("describe", "Show what a model does, step by step, and what it costs");
  describe_app
      ->add_option("MODEL", flags->path, "A model's folder, or a config.json without its weights")
      ->required();
  describe_app->add_option("--length", flags->length, "Rows (tokens) of the example")
      ->type_name("N")
      ->check(whole_number(between(1, 1e12)))
      ->default_str("128, or what fits");
  describe_app->add_option("--svg", flags->svg, "Also draw it into this file")->type_name("FILE");
  describe_app->add_flag("--json", flags->json, "For programs: one JSON object");
  describe_app->footer(
      "FLOPs are 2 m n k for each matrix product of one forward pass; a step of\n"
      "training costs three times that.\n"
      "\n"
      "Examples:\n"
      "  heed describe reviews.heed\n"
      "  heed describe reviews.heed --length 400 --svg reviews.svg\n"
      "  heed describe my_config.json");
  describe_app->callback([flags] { describe_path(*flags); });
}

}  // namespace heed::cli
