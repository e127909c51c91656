#include "heed/model/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "heed/data/utf8.h"

namespace heed {
namespace {

// What a record asks, in one text.
struct Asked {
  std::string operator()(const Text& text) const { return text.text; }
  std::string operator()(const Sentence& sentence) const {
    std::string text;
    for (const std::string& word : sentence.words) text += (text.empty() ? "" : " ") + word;
    return text;
  }
  std::string operator()(const Recording& recording) const { return *recording.file; }
  std::string operator()(const Picture& picture) const { return *picture.file; }
  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }
};

struct FoundMistake {
  const Record* record;
  Mistake mistake;
};

std::vector<FoundMistake> worst_first(const Output& output, const Dataset& data,
                                      const std::vector<Prediction>& predictions) {
  std::vector<FoundMistake> found;
  for (Index i = 0; i < data.size(); ++i) {
    for (Mistake& mistake : output.mistakes(data[i], predictions[static_cast<std::size_t>(i)])) {
      found.push_back({&data[i], std::move(mistake)});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const FoundMistake& a, const FoundMistake& b) {
    return a.mistake.wrong > b.mistake.wrong;
  });
  return found;
}

enum Column : std::size_t { kFile, kLine, kId, kText, kItem, kTruth, kAnswer, kValue, kColumns };
using Cells = std::array<std::string, kColumns>;

Cells cells_of(const FoundMistake& found) {
  const Record& record = *found.record;
  Cells cells;
  if (record.place.file != nullptr) cells[kFile] = *record.place.file;
  repair_utf8(cells[kFile]);
  if (record.place.line > 0) cells[kLine] = std::to_string(record.place.line);
  cells[kId] = record.extras->id;
  cells[kText] = std::visit(Asked(), record.content);
  repair_utf8(cells[kText]);
  cells[kItem] = found.mistake.item;
  cells[kTruth] = found.mistake.truth;
  cells[kAnswer] = found.mistake.answer;
  cells[kValue] = fmt::format("{:.4f}", found.mistake.value);
  return cells;
}

// A row of a table with tabs has neither tabs nor line ends in its cells.
std::string in_one_line(std::string text) {
  for (char& c : text) {
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::string object_of(const Cells& cells, const std::array<std::string, kColumns>& names,
                      const std::array<bool, kColumns>& used, const Mistake& mistake, Index line) {
  const JsonText text;
  for (std::size_t c = 0; c < kColumns; ++c) {
    if (!used[c]) continue;
    const JsonPlace place = text.root()[names[c]];
    if (c == kLine) {
      place.set(line);
    } else if (c == kValue) {
      place.set(mistake.value);
    } else {
      place.set(std::string_view(cells[c]));
    }
  }
  return text.line() + "\n";
}

}  // namespace

Evaluated evaluate_records(const Predictor& predictor, Dataset& data) {
  const Config& config = predictor.model().config();
  for (Record& record : data.records) config.input->align(record);
  Evaluated result{config.output->measures(),
                   predictor(data, config.output->measured_candidates())};
  for (Index i = 0; i < data.size(); ++i) {
    result.measures->add(data[i].answer, result.predictions[static_cast<std::size_t>(i)]);
  }
  return result;
}

MistakeTable mistake_table(const Output& output, const Dataset& data,
                           const std::vector<Prediction>& predictions, const std::string& path) {
  const std::vector<FoundMistake> found = worst_first(output, data, predictions);
  const std::array<std::string, kColumns> names = {
      "file", "line", "id", "text", "word", "truth", "answer", output.mistake_value()};
  std::array<bool, kColumns> used{};
  for (const FoundMistake& one : found) {
    const Cells cells = cells_of(one);
    for (std::size_t c = 0; c < kColumns; ++c) used[c] = used[c] || !cells[c].empty();
  }
  for (const std::size_t always : {kText, kTruth, kAnswer, kValue}) used[always] = true;

  const bool json = path.ends_with(".jsonl") || path.ends_with(".json");
  const bool comma = path.ends_with(".csv");
  MistakeTable table;
  table.count = std::ssize(found);
  const auto add_row = [&](const Cells& cells) {
    std::string row;
    for (std::size_t c = 0; c < kColumns; ++c) {
      if (!used[c]) continue;
      row += comma ? quoted(cells[c]) : in_one_line(cells[c]);
      row += comma ? ',' : '\t';
    }
    row.back() = '\n';
    table.text += row;
  };
  if (!json) add_row(names);
  for (const FoundMistake& one : found) {
    const Cells cells = cells_of(one);
    if (json) {
      table.text += object_of(cells, names, used, one.mistake, one.record->place.line);
    } else {
      add_row(cells);
    }
  }
  return table;
}

}  // namespace heed
