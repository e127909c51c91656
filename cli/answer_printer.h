#pragma once

#include <string>
#include <vector>

#include "heed/data/record_source.h"
#include "heed/model/predictor.h"

namespace heed::cli {

// How `predict` prints answers: as text, as a JSON object each, or into what was read.
class AnswerPrinter {
 public:
  enum class Form { kText, kJson, kKeep };
  struct Options {
    Form form = Form::kText;
    Index top = 1;
    bool shares = false;  // with JSON: the scores of the network and of the wide part
  };

  AnswerPrinter(const Predictor& predictor, const Options& options)
      : predictor_(predictor), options_(options) {}

  // Around the answers to what one source has: the names of columns, what stands behind the last
  // row.
  void begin(const RecordSource& source, const std::string& file);
  void end(const RecordSource& source);
  // Where rows are to be kept and there are none, that is a UsageError.
  void operator()(const Record& record, const Prediction& prediction);

 private:
  const Output& output() const { return *predictor_.model().config().output; }
  void print(const std::string& text);
  std::string json(const Record& record, const Prediction& prediction) const;
  std::string kept(const Record& record, const Prediction& prediction) const;

  const Predictor& predictor_;
  Options options_;
  std::string file_;
  std::vector<std::string> names_;  // of the columns of answers
  std::string head_;                // as it was printed
  bool divided_ = true;             // what was printed last ends with an empty line
  bool sentences_ = false;          // lines of sentences were printed
};

}  // namespace heed::cli
