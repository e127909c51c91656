#include "cli/answer_printer.h"

#include <fmt/format.h>

#include "heed/base/error.h"
#include "heed/base/json.h"
#include "heed/data/text/kept_row.h"
#include "heed/data/utf8.h"

namespace heed::cli {
namespace {

constexpr std::string_view kStandardInput = "standard input";

// Which record it is: its file and line, and its name where it has one.
void write_place(const JsonPlace& place, const Record& record) {
  if (record.place.file != nullptr && *record.place.file != kStandardInput) {
    std::string file = *record.place.file;
    repair_utf8(file);
    place["file"].set(std::string_view(file));
  }
  if (record.place.line > 0) place["line"].set(record.place.line);
  if (!record.extras->id.empty()) place["id"].set(std::string_view(record.extras->id));
}

// How the scores of one record came about: a list for each part, in the order of the classes; of
// tags a list of such lists, one for each row.
void write_shares(const JsonPlace& place, const Predictor::Shares& shares, bool of_rows) {
  const auto write = [&](const char* name, const std::vector<float>& scores) {
    if (scores.empty()) return;
    place[name].set_list();
    const std::size_t classes = scores.size() / static_cast<std::size_t>(shares.rows);
    for (std::size_t begin = 0; begin < scores.size(); begin += classes) {
      const JsonPlace list = of_rows ? place[name].append() : place[name];
      for (std::size_t i = begin; i < begin + classes; ++i) list.append().set(scores[i]);
    }
  };
  write("network", shares.network);
  write("wide", shares.wide);
}

}  // namespace

void AnswerPrinter::begin(const RecordSource& source, const std::string& file) {
  file_ = file;
  // A file may end without the empty line that ends a sentence.
  if (sentences_ && !divided_) print("\n");
  if (options_.form != Form::kKeep) return;
  names_ = output().column_names(options_.top);
  if (source.head() == nullptr) return;
  const std::string head = with_names(*source.head(), names_, file);
  if (!head_.empty() && head_ != head) {
    throw UsageError(fmt::format(
        "--keep: {} has other columns than the file before it; answer them one by one", file));
  }
  if (head_.empty()) print(head);
  head_ = head;
}

void AnswerPrinter::end(const RecordSource& source) {
  if (options_.form == Form::kJson) return;
  if (const std::string rest = source.rest(); !rest.empty()) print(rest);
}

void AnswerPrinter::operator()(const Record& record, const Prediction& prediction) {
  sentences_ = sentences_ || record.extras->lines != nullptr;
  switch (options_.form) {
    case Form::kJson:
      return print(json(record, prediction) + "\n");
    case Form::kKeep:
      return print(kept(record, prediction));
    default:
      return print(output().answer_text(record, prediction));
  }
}

void AnswerPrinter::print(const std::string& text) {
  divided_ = text.ends_with("\n\n") || text.ends_with("\n\r\n") || text == "\n";
  fmt::print("{}", text);
}

std::string AnswerPrinter::json(const Record& record, const Prediction& prediction) const {
  const JsonText text;
  write_place(text.root(), record);
  output().write_answer(text.root(), record, prediction);
  if (options_.shares) {
    write_shares(text.root()["scores"], predictor_.shares(record), output().answers_rows());
  }
  return text.line();
}

std::string AnswerPrinter::kept(const Record& record, const Prediction& prediction) const {
  if (record.extras->lines != nullptr) return output().answer_text(record, prediction);
  if (record.extras->row == nullptr) {
    throw UsageError(
        fmt::format("--keep: {} has no rows or lines that answers could be added to; leave it out",
                    file_ == "-" ? kStandardInput : file_));
  }
  const std::string place = record.place.text();
  return with_cells(*record.extras->row, names_, output().cells(record, prediction, options_.top),
                    place);
}

}  // namespace heed::cli
