#include "cli/evaluate.h"

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/compare_models.h"
#include "cli/flag_values.h"
#include "cli/read_flags.h"
#include "heed/base/display.h"
#include "heed/base/file.h"
#include "heed/base/json.h"
#include "heed/model/evaluation.h"
#include "heed/model/folder.h"
#include "heed/model/read_records.h"

namespace heed::cli {
namespace {

struct Report {
  std::string text, json;
};

void note(const std::string& sentence) { fmt::print(stderr, "{}\n", sentence); }

Dataset read_for(const std::string& folder, const Model& model,
                 const std::vector<std::string>& paths, const ReadOptions& read) {
  const Input& input = *model.config().input;
  Dataset data = opened(folder, model,
                        [&] { return read_records(paths, for_model(read, model), input, note); });
  const std::string unseen = model.config().output->unseen(data, "given");
  if (!unseen.empty()) note(unseen);
  return data;
}

// `errors`: a file that gets all mistakes; empty: none.
Report measure(const std::string& folder, const std::vector<std::string>& paths,
               const ReadOptions& read, int workers, const std::string& errors = {}) {
  const Model model = load_model(folder);
  tell_unfinished(folder);
  Dataset data = read_for(folder, model, paths, read);
  const Evaluated result = evaluate_records(Predictor(model, workers), data);
  if (!errors.empty()) {
    const MistakeTable table =
        mistake_table(*model.config().output, data, result.predictions, errors);
    write_file(errors, table.text);
    note(fmt::format("{}: mistakes: {}, the worst first", errors, with_commas(table.count)));
  }
  const JsonText json;
  result.measures->write(json.root());
  return {result.measures->report(), json.pages()};
}

Report compare(const std::vector<std::string>& folders, const std::vector<std::string>& paths,
               const ReadOptions& read, int workers) {
  std::vector<ComparedModel> models;
  for (const std::string& folder : folders) {
    const Model model = load_model(folder);
    tell_unfinished(folder);
    Dataset data = read_for(folder, model, paths, read);
    models.push_back({folder, evaluate_records(Predictor(model, workers), data).measures});
  }
  const JsonText json;
  write_compared(json.root(), models);
  return {compared_text(models), json.pages()};
}

// The whole model, then its network and what stands beside it, each alone.
Report compare_parts(const std::string& folder, const std::vector<std::string>& paths,
                     const ReadOptions& read, int workers) {
  Model model = load_model(folder);
  if (!model.config().wide->present()) {
    throw UsageError(fmt::format("--parts: {} is a network alone, with nothing beside it", folder));
  }
  tell_unfinished(folder);
  Dataset data = read_for(folder, model, paths, read);
  std::vector<ComparedModel> parts;
  const auto add = [&](const char* name, Model::Parts used) {
    model.use(used);
    parts.push_back({name, evaluate_records(Predictor(model, workers), data).measures});
  };
  add("both", Model::Parts::kAll);
  add("network", Model::Parts::kNetwork);
  add("linear", Model::Parts::kWide);
  const JsonText json;
  write_compared(json.root(), parts);
  return {compared_text(parts), json.pages()};
}

struct EvaluateFlags {
  std::string folder;
  std::vector<std::string> data;
  std::string errors;
  bool parts = false;
  ReadOptions read;
  bool json = false;
  int workers = Workers::available();
};

bool is_model(const std::string& path) { return file_exists(path + "/config.json"); }

// The first paths may be more models, to be compared with the first.
Report evaluate_or_compare(const EvaluateFlags& flags) {
  std::vector<std::string> models{flags.folder}, data;
  for (const std::string& path : flags.data) {
    (data.empty() && is_model(path) ? models : data).push_back(path);
  }
  if (data.empty()) {
    throw UsageError(
        fmt::format("{} is a model too; expected data to compare the two on", models.back()));
  }
  for (const std::string& path : data) {
    std::error_code missing;  // what is not there is not the same
    if (!std::filesystem::equivalent(path, flags.errors, missing)) continue;
    throw UsageError(
        fmt::format("--errors {}: is what is evaluated; choose another file", flags.errors));
  }
  if (flags.parts && (models.size() > 1 || !flags.errors.empty())) {
    throw UsageError("--parts: compares the parts of one model, without --errors");
  }
  if (flags.parts) return compare_parts(flags.folder, data, flags.read, flags.workers);
  if (models.size() == 1) {
    return measure(flags.folder, data, flags.read, flags.workers, flags.errors);
  }
  if (!flags.errors.empty()) {
    throw UsageError("--errors: lists the mistakes of one model; evaluate them one by one");
  }
  return compare(models, data, flags.read, flags.workers);
}

}  // namespace

void evaluate_and_record(const std::string& folder, const std::vector<std::string>& data,
                         const ReadOptions& read, int workers) {
  const Report result = measure(folder, data, read, workers);
  // Behind what training wrote there.
  const std::string path = folder + "/metrics.json";
  nlohmann::ordered_json metrics = nlohmann::ordered_json::parse(result.json);
  if (file_exists(path)) {
    const auto before = nlohmann::ordered_json::parse(read_file(path), nullptr, false);
    if (before.is_object() && before.contains("held_out")) metrics["held_out"] = before["held_out"];
  }
  write_file(path, metrics.dump(2) + "\n");
  fmt::print("{}", result.text);
}

void add_evaluate(CLI::App& app) {
  auto flags = std::make_shared<EvaluateFlags>();
  CLI::App* evaluate_app =
      app.add_subcommand("evaluate", "Measure how good a model is, or which of two is better");
  evaluate_app->add_option("MODEL", flags->folder, "The model's folder")->required();
  evaluate_app
      ->add_option("DATA", flags->data,
                   "Files (or one folder) with the right answers; before them perhaps another "
                   "model, to compare the two")
      ->required();
  add_read_flags(*evaluate_app, flags->read, Answers::kRequired);
  evaluate_app
      ->add_option("--errors", flags->errors,
                   "Write all mistakes into this file, the worst first: the text, the truth, the "
                   "answer, its probability; .csv, .jsonl, else with tabs")
      ->type_name("FILE");
  evaluate_app->add_flag("--parts", flags->parts,
                         "Of a model with a linear part: also how good the network and the linear "
                         "part are alone, by a paired test");
  evaluate_app->add_flag("--json", flags->json, "For programs: one JSON object");
  evaluate_app->add_option("--workers", flags->workers, "Threads")
      ->check(whole_number(between(1, 1024)))
      ->default_str("one for each core");
  evaluate_app->footer(
      "Labels: accuracy, F1, a table of the classes and what was taken for what. Tags:\n"
      "accuracy and, where tags mark spans (B-, I-), their F1. Both: how far their\n"
      "probabilities can be believed. Translations: BLEU and chrF as sacreBLEU has\n"
      "them, with their signatures. All with 95 % intervals. With two models: which is\n"
      "better, by a paired test.\n"
      "\n"
      "Examples:\n"
      "  heed evaluate reviews.heed test.csv --errors mistakes.csv\n"
      "  heed evaluate tagger.heed test.conllu --json\n"
      "  heed evaluate old.heed new.heed test.csv\n"
      "  heed evaluate reviews.heed test.csv --parts\n"
      "  heed evaluate de-en.heed test.de test.en");
  evaluate_app->callback([flags] {
    const Report result = evaluate_or_compare(*flags);
    fmt::print("{}", flags->json ? result.json : result.text);
  });
}

}  // namespace heed::cli
