#pragma once

#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "heed/data/content.h"
#include "heed/model/output.h"

namespace heed {

// Options of every output that chooses among classes with names.
struct ClassOptions {
  std::vector<std::string> names;    // in order of the alphabet
  std::vector<float> class_weights;  // empty: 1 each
  float smoothing = 0.0f;            // label smoothing: probability mass given to the other classes
  float dropout = 0.1f;              // before the classifier layer
};
template <class Archive>
void describe(Archive& archive, ClassOptions& options);

// Calls take(name) with every name in an answer.
void each_name(const Answer& answer, const std::function<void(const std::string&)>& take);

// What an output with classes learns from the data, for labels and tags alike; `noun` is "class" or
// "tag". See Output for what each does.
void fit_classes(const Dataset& all, const char* noun, ClassOptions& options,
                 std::size_t fewest = 2);
void add_classes(const Dataset& all, ClassOptions& options);
std::string unseen_classes(const Dataset& data, const std::string& what,
                           const ClassOptions& options);
void balance_classes(const Dataset& train, ClassOptions& options);

// From the names of the classes to their indices.
class ClassIndex {
 public:
  ClassIndex() = default;
  explicit ClassIndex(std::span<const std::string> names);
  // kNoAnswer for a name that is none of them.
  std::int32_t operator[](const std::string& name) const;
  // Gives a name that is none of them the next index.
  std::int32_t add(const std::string& name);

 private:
  std::unordered_map<std::string, std::int32_t> indices_;
};

// The `top` most likely classes of one row of scores, best first, with their probabilities.
std::vector<Candidate> best_candidates(std::span<const float> scores, Index top);

// The same of a row of probabilities.
std::vector<Candidate> best_of_probabilities(std::span<const float> probabilities, Index top);
// The probability of one class by a row of scores; 0 of none of them.
float probability_of(std::span<const float> scores, std::int32_t index);

// The weight of all answers: what a loss is divided by.
double total_weight(std::span<const std::int32_t> answers, std::span<const float> class_weights);

// "answers": [{"label": "good", "probability": 0.9}, …] into `list`.
void write_candidates(const JsonPlace& list, const char* what,
                      std::span<const Candidate> candidates, std::span<const std::string> names);

// The labels of one record and their probabilities, as a line and as JSON. A record that is a whole
// file is told by its name, as there is no line to count.
std::string label_line(const Record& record, std::span<const Candidate> labels,
                       std::span<const std::string> names);
void write_labels(const JsonPlace& place, const Record& record, std::span<const Candidate> labels,
                  std::span<const std::string> names);

// What outputs with classes have in common. `Options` has ClassOptions as `classes`; the answers of
// a batch are indices in the first column of batch.answer.
template <class Derived, class Options>
class ClassOutput : public PartOf<Derived, Output, Options> {
 public:
  void read(JsonReader& archive) override {
    PartOf<Derived, Output, Options>::read(archive);
    index_names();
  }
  void balance(const Dataset& train) override { balance_classes(train, named()); }
  void fit_more(const Dataset& all) override {
    add_classes(all, named());
    index_names();
  }
  std::string unseen(const Dataset& data, const std::string& what) const override {
    return unseen_classes(data, what, named());
  }
  double weight(const Batch& batch) const override {
    return total_weight(batch.answer.integers(0).values(), named().class_weights);
  }
  Index classes() const override { return std::ssize(named().names); }
  const std::string& name_of(std::int32_t index) const override {
    return named().names[static_cast<std::size_t>(index)];
  }
  void assume_classes() override {
    named().names = {"a", "b"};
    index_names();
  }
  void set_dropout(float rate) override { named().dropout = rate; }
  void apply(const SizePreset& size) override { named().dropout = size.dropout; }

  const std::vector<std::string>& names() const { return named().names; }

 protected:
  void fit_names(const Dataset& all, const char* noun, std::size_t fewest = 2) {
    fit_classes(all, noun, named(), fewest);
    index_names();
  }
  const std::string& name(const Candidate& candidate) const { return name_of(candidate.index); }
  std::int32_t index_of(const std::string& name) const { return index_[name]; }

 private:
  ClassOptions& named() { return this->options_.classes; }
  const ClassOptions& named() const { return this->options_.classes; }
  void index_names() { index_ = ClassIndex(named().names); }

  ClassIndex index_;
};

}  // namespace heed
