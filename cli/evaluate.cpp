#include "cli/evaluate.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/flag_values.h"
#include "cli/read_flags.h"
#include "heed/base/file.h"
#include "heed/base/json.h"
#include "heed/model/read_records.h"
#include "heed/train/run.h"

namespace heed::cli {
namespace {

struct Report {
  std::string text, json;
};

Report measure(const std::string& folder, const std::vector<std::string>& paths,
               const ReadOptions& read, int workers) {
  const Model model = load_model(folder);
  const auto note = [](const std::string& sentence) { fmt::print(stderr, "{}\n", sentence); };
  const Input& input = *model.config().input;
  Dataset data = opened(folder, model,
                        [&] { return read_records(paths, for_model(read, model), input, note); });
  const std::string unseen = model.config().output->unseen(data, "given");
  if (!unseen.empty()) note(unseen);
  const std::unique_ptr<Measures> measures = evaluate(model, std::move(data), workers);
  const JsonText json;
  measures->write(json.root());
  return {measures->report(), json.pages()};
}

struct EvaluateFlags {
  std::string folder;
  std::vector<std::string> data;
  ReadOptions read;
  bool json = false;
  int workers = Workers::available();
};

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
      app.add_subcommand("evaluate", "Measure how good a model is on labelled files");
  evaluate_app->add_option("MODEL", flags->folder, "The model's folder")->required();
  evaluate_app->add_option("DATA", flags->data, "Files (or one folder) with the right answers")
      ->required();
  add_read_flags(*evaluate_app, flags->read, Answers::kRequired);
  evaluate_app->add_flag("--json", flags->json, "For programs: one JSON object");
  evaluate_app->add_option("--workers", flags->workers, "Threads")
      ->check(whole_number(between(1, 1024)))
      ->default_str("one for each core");
  evaluate_app->footer(
      "Labels: accuracy, F1, a table of the classes and what was taken for what. Tags:\n"
      "accuracy and, where tags mark spans (B-, I-), their F1. Translations: BLEU and\n"
      "chrF as sacreBLEU has them, with their signatures. With 95 % intervals.\n"
      "\n"
      "Examples:\n"
      "  heed evaluate reviews.heed test.csv\n"
      "  heed evaluate tagger.heed test.conllu --json\n"
      "  heed evaluate de-en.heed test.de test.en");
  evaluate_app->callback([flags] {
    const Report result = measure(flags->folder, flags->data, flags->read, flags->workers);
    fmt::print("{}", flags->json ? result.json : result.text);
  });
}

}  // namespace heed::cli
