#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/model/predictor.h"

namespace heed {

// A model's answers to records whose answers are known, and how good they are.
struct Evaluated {
  std::unique_ptr<Measures> measures;
  std::vector<Prediction> predictions;  // one for each record
};
// The records are aligned with the input first.
Evaluated evaluate_records(const Predictor& predictor, Dataset& data);

// All wrong answers, the worst first, as a table: file, line, id, text, truth, answer and how sure
// the model was. Columns that would be empty are left out. The end of the path says how: .csv,
// .jsonl, else TSV.
struct MistakeTable {
  std::string text;
  Index count = 0;
};
MistakeTable mistake_table(const Output& output, const Dataset& data,
                           const std::vector<Prediction>& predictions, const std::string& path);

}  // namespace heed
