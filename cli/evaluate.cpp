#include "cli/evaluate.h"

#include <memory>

#include "cli/flag_values.h"
#include "cli/read_flags.h"
#include "heed/base/file.h"
#include "heed/base/json.h"
#include "heed/eval/report.h"
#include "heed/model/folder.h"
#include "heed/model/predict.h"
#include "heed/train/text_score.h"

namespace heed::cli {
namespace {

struct Report {
  std::string text, json;
};

Report evaluate(const std::string& folder, const std::vector<std::string>& paths,
                TextReadOptions read, int count) {
  const LoadedModel loaded = load_model(folder);
  read.known = loaded.model->config().columns;
  const OutputOptions& output = loaded.model->config().output;
  const TextData data =
      opened(folder, output.kind, [&] { return read_text_data(output.kind, paths, read); });
  check_answers(data, output.names, "given");
  const TextExamples prepare = loaded.examples();
  Workers workers(count);
  const std::vector<Prediction> predictions =
      predict_all(*loaded.model, text_examples(data, prepare), workers);
  const JsonText json;
  if (output.kind == OutputKind::kLabel) {
    const LabelAnswers answers = label_answers(data, prepare, predictions);
    const Classification result =
        score_classes(answers.truth, answers.predicted, static_cast<Index>(output.names.size()));
    write_json(json.root(), result, output.names);
    return {report(result, output.names), json.pages()};
  }
  const TagAnswers answers = tag_answers(data, prepare, predictions);
  const Tagging result = score_tags(TagScheme(output.names), answers.truth, answers.predicted);
  write_json(json.root(), result);
  return {report(result), json.pages()};
}

struct EvaluateFlags {
  std::string folder;
  std::vector<std::string> data;
  TextReadOptions read;
  bool json = false;
  int workers = Workers::available();
};

}  // namespace

void evaluate_and_record(const std::string& folder, const std::vector<std::string>& data,
                         const TextReadOptions& read, int workers) {
  const Report result = evaluate(folder, data, read, workers);
  write_file(folder + "/metrics.json", result.json);
  fmt::print("{}", result.text);
}

void add_evaluate(CLI::App& app) {
  auto flags = std::make_shared<EvaluateFlags>();
  CLI::App* evaluate_app =
      app.add_subcommand("evaluate", "Measure how good a model is on labelled files");
  evaluate_app->add_option("MODEL", flags->folder, "The model's folder")->required();
  evaluate_app->add_option("DATA", flags->data, "Files (or one folder) with the right answers")
      ->required();
  add_read_flags(*evaluate_app, flags->read, Labels::kRequired);
  evaluate_app->add_flag("--json", flags->json, "For programs: one JSON object");
  evaluate_app->add_option("--workers", flags->workers, "Threads")
      ->check(whole_number(between(1, 1024)))
      ->default_str("one for each core");
  evaluate_app->footer(
      "Labels: accuracy, F1, a table of the classes and what was taken for what. Tags:\n"
      "accuracy and, where tags mark spans (B-, I-), their F1. With 95 % intervals.\n"
      "\n"
      "Examples:\n"
      "  heed evaluate reviews.heed test.csv\n"
      "  heed evaluate tagger.heed test.conllu --json");
  evaluate_app->callback([flags] {
    const Report result = evaluate(flags->folder, flags->data, flags->read, flags->workers);
    fmt::print("{}", flags->json ? result.json : result.text);
  });
}

}  // namespace heed::cli
