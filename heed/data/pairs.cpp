#include "heed/data/pairs.h"

#include <fmt/format.h>

#include "heed/base/error.h"
#include "heed/data/content.h"
#include "heed/data/text/columns.h"
#include "heed/data/text/open.h"

namespace heed {

bool AlignedLines::next(Record& record) {
  std::string source, target;
  while (true) {
    const bool any_source = sources_.next(source), any_target = targets_.next(target);
    if (!any_source && !any_target) return false;
    if (any_source != any_target) {
      const LineReader& longer = any_source ? sources_ : targets_;
      const LineReader& shorter = any_source ? targets_ : sources_;
      throw FormatError(fmt::format(
          "{}:{}: has no line beside it: {} ends after line {}; lines that belong together must "
          "have the same number",
          longer.path(), longer.line(), shorter.path(), shorter.line()));
    }
    const bool no_source = trimmed(source).empty(), no_target = trimmed(target).empty();
    if (no_source && no_target) continue;
    if (no_source || no_target) {
      const LineReader& empty = no_source ? sources_ : targets_;
      const LineReader& other = no_source ? targets_ : sources_;
      throw FormatError(
          fmt::format("{}:{}: is empty, but line {} of {} is not; leave out both, or neither",
                      empty.path(), empty.line(), other.line(), other.path()));
    }
    record =
        make_record(Text{std::string(trimmed(source))}, Sequence{std::string(trimmed(target))});
    record.place = sources_.place();
    return true;
  }
}

bool TableOfPairs::next(Record& record) {
  if (!rows_->next(record)) return false;
  if (auto* label = std::get_if<Label>(&record.answer)) {
    std::string text = std::move(label->name);
    record.answer = Sequence{std::move(text)};
  }
  return true;
}

bool is_in_two_files(const std::string& path, const ReadOptions& options) {
  return options.answer == AnswerKind::kSequence && options.answers == Answers::kRequired &&
         find_content(path, options) == ContentKind::kText && !is_table(path, options);
}

std::unique_ptr<RecordSource> open_aligned(const std::string& sources, const std::string& targets,
                                           const ReadOptions& options) {
  const auto refuse = [&](const char* flag, const std::string& value) {
    if (value.empty()) return;
    throw UsageError(
        fmt::format("{} {}: {} is read as lines, which have no columns", flag, value, sources));
  };
  refuse("--source-column", options.text_column);
  refuse("--target-column", options.label_column);
  refuse("--group-column", options.group_column);
  refuse("--delimiter", options.delimiter);
  if (targets.empty()) {
    throw UsageError(sources +
                     ": lines without targets; expected two files, SOURCE TARGET, whose lines "
                     "belong together, or a table (csv, tsv, jsonl) with a column of each");
  }
  if (sources == targets) {
    throw UsageError(sources + ": is given both as source and as target");
  }
  return std::make_unique<AlignedLines>(LineReader(sources), LineReader(targets));
}

}  // namespace heed
