#include "heed/heed.h"

#include <fmt/format.h>

#include "heed/data/content.h"
#include "heed/model/folder.h"
#include "heed/model/predictor.h"
#include "heed/train/defaults.h"
#include "heed/train/run.h"
#include "heed/train/settings.h"

namespace heed {
namespace {

int team(int workers) { return workers > 0 ? workers : Workers::available(); }

const Label& only_label(const Answer& answer) {
  if (const auto* label = std::get_if<Label>(&answer)) return *label;
  throw UsageError("this model tags words: ask it for tags, not for a label");
}

// The kind of output that learns such answers.
const char* output_for(const std::vector<Record>& records) {
  if (records.empty()) return "label";
  if (std::holds_alternative<Tags>(records.front().answer)) return "tags";
  if (std::holds_alternative<Labels>(records.front().answer)) return "labels";
  const auto* text = std::get_if<Text>(&records.front().content);
  const auto* sequence = std::get_if<Sequence>(&records.front().answer);
  if (text != nullptr && sequence != nullptr && text->text == sequence->text) return "next_token";
  return std::holds_alternative<Sequence>(records.front().answer) ? "sequence" : "label";
}

Dataset dataset_of(std::vector<Record> records) {
  Dataset data;
  for (Record& record : records) {
    record.place.line = data.size() + 1;
    data.records.push_back(std::move(record));
  }
  return data;
}

}  // namespace

struct Heed::State {
  State(std::unique_ptr<Model> own, int count)
      : model(std::move(own)),
        predictor(*model, count, Predictor::Weights::kStay),
        workers(count) {}

  std::unique_ptr<Model> model;
  Predictor predictor;
  int workers;

  const Output& output() const { return *model->config().output; }

  void expect_sequences() const {
    if (output().answer_kind() == AnswerKind::kSequence) return;
    throw UsageError("this model does not write texts; it " +
                     output().purpose(model->config().input->content()));
  }

  // The text that is written for a record.
  std::string text_for(const Record& record, const Written& written) const {
    expect_sequences();
    const Prediction prediction = written ? predictor.write(record, written) : predictor(record);
    return std::get<Sequence>(output().answer(record, prediction)).text;
  }

  // A single record that answers one candidate list in each row, by name.
  std::vector<std::vector<NamedAnswer>> named(const Record& record, Index top) const {
    const Prediction prediction = predictor(record, top);
    std::vector<std::vector<NamedAnswer>> rows;
    for (const std::vector<Candidate>& candidates : prediction.rows) {
      std::vector<NamedAnswer>& row = rows.emplace_back();
      for (const Candidate& candidate : candidates) {
        row.push_back({output().name_of(candidate.index), candidate.probability});
      }
    }
    return rows;
  }
};

Record labelled(std::string text, std::string label) {
  return make_record(Text{std::move(text)}, Label{std::move(label)});
}

Record labelled(std::string text, std::vector<std::string> labels) {
  return make_record(Text{std::move(text)}, Labels{std::move(labels)});
}

Record tagged(std::vector<std::string> words, std::vector<std::string> tags) {
  if (words.size() != tags.size()) {
    throw UsageError(fmt::format("a sentence of {} words with {} tags, expected one for each",
                                 words.size(), tags.size()));
  }
  return make_record(Sentence{std::move(words)}, Tags{std::move(tags)});
}

Record pair(std::string source, std::string target) {
  return make_record(Text{std::move(source)}, Sequence{std::move(target)});
}

Record spoken(std::string file, std::string text) {
  return make_record(Recording{.file = std::move(file)}, Sequence{std::move(text)});
}

Record passage(std::string text) {
  Sequence itself{text};
  return make_record(Text{std::move(text)}, std::move(itself));
}

Heed Heed::load(const std::string& folder, int workers, const std::vector<std::string>& set) {
  const auto change = [&](Config& config) {
    Settings settings{config, {}};
    for (const std::string& setting : set) {
      if (!setting.starts_with("output.search.")) {
        throw UsageError(setting +
                         ": expected an option of output.search; what else there is was "
                         "decided in training");
      }
      apply_setting(setting, settings);
    }
    config = settings.config;
  };
  return Heed(std::make_unique<Model>(load_model(folder, change)), workers);
}

Heed::Heed(std::unique_ptr<Model> model, int workers)
    : state_(std::make_shared<const State>(std::move(model), team(workers))) {}

NamedAnswer Heed::label(const std::string& text) const {
  if (state_->output().answer_kind() == AnswerKind::kLabels) return labels(text, 2).front();
  return labels(text, 1).front();
}

std::vector<NamedAnswer> Heed::labels(const std::string& text, int top) const {
  if (state_->output().answer_kind() == AnswerKind::kSequence) {
    throw UsageError("this model writes texts: ask it to translate, not for a label");
  }
  if (state_->output().answer_kind() == AnswerKind::kItself) {
    throw UsageError("this model continues texts: ask it to generate, not for a label");
  }
  if (state_->output().answer_kind() != AnswerKind::kLabel &&
      state_->output().answer_kind() != AnswerKind::kLabels) {
    only_label(Answer());
  }
  return state_->named(make_record(Text{text}), top).front();
}

std::vector<NamedAnswer> Heed::tags(const std::vector<std::string>& words) const {
  if (state_->output().answer_kind() != AnswerKind::kTags) {
    throw UsageError("this model classifies texts: ask it for a label, not for tags");
  }
  std::vector<NamedAnswer> tags;
  if (words.empty()) return tags;
  for (std::vector<NamedAnswer>& row : state_->named(make_record(Sentence{words}), 1)) {
    tags.push_back(std::move(row.front()));
  }
  return tags;
}

std::string Heed::translate(const std::string& text, const Written& written) const {
  return state_->text_for(make_record(Text{text}), written);
}

std::vector<std::string> Heed::translate(const std::vector<std::string>& texts) const {
  state_->expect_sequences();
  std::vector<Record> records;
  for (const std::string& text : texts) records.push_back(make_record(Text{text}));
  std::vector<std::string> written;
  for (Answer& answer : answers(records)) {
    written.push_back(std::move(std::get<Sequence>(answer).text));
  }
  return written;
}

std::string Heed::transcribe(const std::string& file, const Written& written) const {
  return state_->text_for(make_record(Recording{.file = file}), written);
}

std::string Heed::transcribe(Waveform sound, const Written& written) const {
  Recording recording{.sound = std::make_shared<const Waveform>(std::move(sound))};
  return state_->text_for(make_record(std::move(recording)), written);
}

std::string Heed::generate(const std::string& prompt, const Written& written) const {
  if (!state_->output().predicts_input()) {
    throw UsageError("this model does not continue texts; it " +
                     state_->output().purpose(state_->model->config().input->content()));
  }
  const Record record = make_record(Text{prompt});
  const Prediction prediction = state_->predictor.write(record, [&](std::string_view piece) {
    if (written) written(piece);
  });
  return state_->output().written_text(record, prediction.written.front().tokens);
}

Answer Heed::answer(const Record& record) const {
  return state_->output().answer(record, state_->predictor(record));
}

std::vector<Answer> Heed::answers(std::span<const Record> records) const {
  const std::vector<Prediction> predictions = state_->predictor(records);
  std::vector<Answer> answers;
  for (std::size_t i = 0; i < records.size(); ++i) {
    answers.push_back(state_->output().answer(records[i], predictions[i]));
  }
  return answers;
}

double Heed::score(std::vector<Record> records) const {
  return evaluate(*state_->model, dataset_of(std::move(records)), state_->workers)->score();
}

void Heed::save(const std::string& folder) const { save_model(folder, *state_->model); }
const Model& Heed::model() const { return *state_->model; }

Heed train(std::vector<Record> records, const TrainSettings& settings) {
  const ContentKind content =
      records.empty() ? ContentKind::kText : kind_of(records.front().content);
  RunOptions options;
  options.training.workers = team(settings.workers);
  options.training.seconds = 60.0 * settings.minutes;
  options.training.epochs = settings.epochs;
  Settings start{default_config(output_for(records), content), options.training};
  Settings said = start;
  for (const std::string& setting : settings.set) apply_setting(setting, said);
  start.config = default_config(said.config);
  start_training(start.config, start.training);
  for (const std::string& setting : settings.set) apply_setting(setting, start);
  check_settings(start);
  options.config = start.config;
  options.training = start.training;
  options.width_by_data = options.size_by_time = settings.set.empty();

  std::atomic<bool> stop = false;
  RunEvents events;
  events.note = settings.note;
  events.step = [&](const TrainingState& state, const StepResult& result, float,
                    const Evaluation* best) {
    if (!settings.progress) return;
    const double score = best == nullptr ? 0.0 : best->score.value;
    if (!settings.progress({state.steps, state.total_steps, result.loss, score})) stop = true;
  };
  std::unique_ptr<Model> model = train_records(dataset_of(std::move(records)),
                                               dataset_of(settings.dev), options, events, stop);
  if (model == nullptr) throw Error("training was stopped");
  return Heed(std::move(model), settings.workers);
}

}  // namespace heed
