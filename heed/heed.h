#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/record.h"

// heed for C++ programs: load a model and ask it, or train one on records in memory.
//
//   const heed::Heed mails = heed::Heed::load("mails.heed");
//   std::cout << mails.label("my parcel is late").name;
//
// For networks of your own see heed/nn. Errors are exceptions of the family heed::Error
// (heed/base/error.h).
namespace heed {

class Model;

// Records to learn from.
Record labelled(std::string text, std::string label);
Record labelled(std::string text, std::vector<std::string> labels);  // any number
Record tagged(std::vector<std::string> words, std::vector<std::string> tags);
// A text and what is to be written for it: its translation, its summary.
Record pair(std::string source, std::string target);

// A recording (WAV, FLAC, …) and what is said in it.
Record spoken(std::string file, std::string text);
// A text for a language model.
Record passage(std::string text);

struct NamedAnswer {
  std::string name;
  float probability = 0.0f;
};

// A trained model. Copies share it. Safe to ask from several threads at once.
class Heed {
 public:
  // From a model's folder. `workers` are for many records at once; 0: one for each core.
  // `set` changes how texts are written, by path: "output.search.temperature=0.5".
  static Heed load(const std::string& folder, int workers = 0,
                   const std::vector<std::string>& set = {});
  explicit Heed(std::unique_ptr<Model> model, int workers = 0);

  // The label of a text: the most likely one, or several, best first. Of a model that gives any
  // number of labels, with `top` 1 those that reach their thresholds, perhaps none.
  NamedAnswer label(const std::string& text) const;
  std::vector<NamedAnswer> labels(const std::string& text, int top) const;
  // A tag for each word.
  std::vector<NamedAnswer> tags(const std::vector<std::string>& words) const;
  // Called with each bit of a text, in order, on the calling thread: together they are the text. A
  // bit comes as soon as it is certain. That is at once where tokens are drawn, as a language model
  // does, or chosen one by one (load with "output.search.beam=1"). A beam search follows several
  // texts: what all of them begin with is certain, and the rest comes with the end of the search.
  using Written = std::function<void(std::string_view)>;

  // The text that a model which writes texts writes for one: its translation, its summary.
  std::string translate(const std::string& text, const Written& written = {}) const;
  std::vector<std::string> translate(const std::vector<std::string>& texts) const;
  // What is said in a recording: a file, or sound in memory.
  std::string transcribe(const std::string& file, const Written& written = {}) const;
  std::string transcribe(Waveform sound, const Written& written = {}) const;
  // What a language model writes behind a text.
  std::string generate(const std::string& prompt, const Written& written = {}) const;
  // Any record; what its answer is depends on the model. Many are answered by all workers.
  Answer answer(const Record& record) const;
  std::vector<Answer> answers(std::span<const Record> records) const;

  // The score that training chooses models by, on records with answers: accuracy, F1 of
  // spans, BLEU (0 to 1), or 1 / perplexity per word.
  double score(std::vector<Record> records) const;

  // Writes the model into a folder, as heed train does.
  void save(const std::string& folder) const;
  const Model& model() const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

// Where training is.
struct TrainProgress {
  long long step = 0, steps = 0;  // done, and planned
  double loss = 0.0;
  double best_score = 0.0;  // on what is held out; 0 before the first evaluation
};

struct TrainSettings {
  double minutes = 0.0;  // train as well as possible in this time; 0: by the amount of data
  int epochs = 0;        // times through the data; 0: by the amount of data
  int workers = 0;       // 0: one for each core
  // Any option of config.json or of training by its path: "body.kind=lstm", "training.rate=0.001".
  std::vector<std::string> set;
  std::vector<Record> dev;  // choose the best model by these; empty: a tenth is held out
  std::function<bool(const TrainProgress&)> progress;  // false: stop, and give no model
  std::function<void(const std::string&)> note;        // sentences about the data and the model
};

// Trains a model on records: labels, tags or texts, as the records have them. Stopping is a
// heed::Error.
Heed train(std::vector<Record> records, const TrainSettings& settings = {});

}  // namespace heed
