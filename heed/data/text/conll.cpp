#include "heed/data/text/conll.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "heed/base/error.h"
#include "heed/data/text/columns.h"
#include "heed/data/utf8.h"

namespace heed {
namespace {

constexpr std::array<std::string_view, 10> kUniversalColumns = {
    "id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"};
constexpr Index kForm = 1, kUpos = 3;
constexpr std::string_view kDocumentStart = "-DOCSTART-";
constexpr std::string_view kSentenceId = "# sent_id";
constexpr std::size_t kMostWords = 4096;  // of a sentence that is read at once, to predict
// How far to look for the first word behind comments.
constexpr std::size_t kLookAhead = 10'000;

// "12", or with ranges and empty nodes also "12-13" and "12.1".
bool is_number(std::string_view id, std::string_view marks) {
  return !id.empty() && id.front() >= '0' && id.front() <= '9' &&
         std::all_of(id.begin(), id.end(), [&](char c) {
           return (c >= '0' && c <= '9') || marks.find(c) != std::string_view::npos;
         });
}

bool is_document_start(std::string_view line) { return line.starts_with(kDocumentStart); }

// A column by its name in CoNLL-U, or by its number from 1.
Index column_from(const std::string& option, ConllLayout layout, std::string_view what) {
  if (layout == ConllLayout::kUniversal) {
    std::string name = option;
    for (char& c : name) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    }
    const auto place = std::find(kUniversalColumns.begin(), kUniversalColumns.end(), name);
    if (place != kUniversalColumns.end()) return place - kUniversalColumns.begin();
  }
  Index number = 0;
  const auto [end, error] = std::from_chars(option.data(), option.data() + option.size(), number);
  if (error != std::errc() || end != option.data() + option.size() || number < 1) {
    throw UsageError(fmt::format("{} column \"{}\": expected {}", what, option,
                                 layout == ConllLayout::kUniversal
                                     ? "upos, xpos or another column of CoNLL-U, or its number"
                                     : "its number, from 1"));
  }
  return number - 1;
}

}  // namespace

ConllSource::ConllSource(LineReader lines, ConllLayout layout, const ReadOptions& options)
    : lines_(std::move(lines)),
      layout_(layout),
      keeps_lines_(options.answers == Answers::kOptional) {
  find_columns(options);
}

void ConllSource::find_columns(const ReadOptions& options) {
  const bool universal = layout_ == ConllLayout::kUniversal;
  Index first = 0;  // the line that shows how many columns there are
  columns_ = std::ssize(kUniversalColumns);
  if (!universal) {
    std::string sample;
    for (std::size_t ahead = 0; ahead < kLookAhead; ++ahead) {
      const std::string* line = lines_.peek(ahead);
      if (line == nullptr) break;
      if (is_blank(*line) || is_document_start(*line)) continue;
      if (sample.empty() || sample.starts_with("# ")) {
        sample = *line;
        first = static_cast<Index>(ahead) + 1;
      }
      if (!sample.starts_with("# ")) break;
    }
    split_columns(sample, fields_);
    columns_ = std::ssize(fields_);
  }
  if (columns_ == 1 && options.answers == Answers::kRequired && options.tag_column.empty()) {
    lines_.refuse(first, "1 column, expected at least 2, the word first and its tag last");
  }
  word_column_ = universal ? kForm : 0;
  if (!options.text_column.empty()) {
    word_column_ = column_from(options.text_column, layout_, "text");
  }
  tag_column_ = find_tag_column(options);
  tagged_ = tag_column_ < columns_;
  // Where tags are to be written, the one behind the last is a column too.
  const bool adds = (!universal || options.keep) && options.answers == Answers::kOptional;
  const Index most = std::max(word_column_, tag_column_ - (adds ? 1 : 0));
  if (columns_ > 0 && most >= columns_) {
    throw UsageError(fmt::format("{}: no column {}; there are {}", lines_.path(),
                                 std::max(word_column_, tag_column_) + 1, columns_));
  }
  if (word_column_ == tag_column_) {
    throw UsageError(
        fmt::format("{}: column {} cannot be both word and tag", lines_.path(), word_column_ + 1));
  }
}

// As the options say, or else where the tag stood when the model was trained. What is written must
// not take the place of anything else: then a tag whose column is not known gets a new one.
Index ConllSource::find_tag_column(const ReadOptions& options) const {
  const KnownColumns& known = options.known;
  if (options.keep) return std::max<Index>(columns_, 1);
  const bool writes = options.answers == Answers::kOptional;
  const auto column = [&](const std::string& name) { return column_from(name, layout_, "tag"); };
  if (!options.tag_column.empty()) return column(options.tag_column);
  if (layout_ == ConllLayout::kUniversal) {
    if (known.count > 0 && writes) {
      throw UsageError(fmt::format(
          "{}: which column of CoNLL-U the tags go into is not known, as the model was trained on "
          "{} columns of another kind; choose with --tag-column upos, xpos, ...",
          lines_.path(), known.count));
    }
    return known.count > 0 || known.tag.empty() ? kUpos : column(known.tag);
  }
  const Index behind = std::max<Index>(columns_, 1);
  const Index last = columns_ > 1 ? columns_ - 1 : behind;
  if (known.tag.empty()) return last;
  if (writes) return known.count == columns_ ? column(known.tag) : behind;
  const Index usual = known.count > 0 ? column(known.tag) : last;
  return usual + 1 == known.count || usual >= columns_ ? last : usual;
}

KnownColumns ConllSource::columns() const {
  KnownColumns known;
  if (layout_ == ConllLayout::kUniversal) {
    const auto column = static_cast<std::size_t>(tag_column_);
    if (column < kUniversalColumns.size()) known.tag = kUniversalColumns[column];
  } else {
    known.tag = std::to_string(tag_column_ + 1);
    known.count = columns_;
  }
  return known;
}

void ConllSource::keep_line() {
  if (keeps_lines_) sentence_.lines.lines.push_back(lines_.bytes());
}

// Whether the sentence is to go on in another record: it is too long to be read at once. Better
// behind a full stop than anywhere.
bool ConllSource::is_full() const {
  const std::vector<std::string>& words = sentence_.words;
  if (!keeps_lines_ || words.size() < kMostWords / 2) return false;
  const std::string& last = words.back();
  return words.size() == kMostWords || last == "." || last == "!" || last == "?" || last == "。";
}

bool ConllSource::next(Record& record) {
  sentence_ = {};
  record = {};
  while (!record.extras->continues && lines_.next(line_)) {
    if (is_blank(line_)) {
      keep_line();
      if (!sentence_.words.empty()) break;
      continue;
    }
    if (is_word()) {
      if (sentence_.words.empty()) record.place = lines_.place();
      add_word();
      const std::string* following = is_full() ? lines_.peek() : nullptr;
      if (following != nullptr && !is_blank(*following)) record.extras.edit().continues = true;
    } else if (line_.starts_with(kSentenceId) && line_.find('=') != std::string::npos) {
      record.extras.edit().id = trimmed(std::string_view(line_).substr(line_.find('=') + 1));
    }
    keep_line();
  }
  if (sentence_.words.empty()) {
    for (const std::string& line : sentence_.lines.lines) rest_ += line;
    return false;
  }
  record.content = Sentence{std::move(sentence_.words)};
  if (tagged_) record.answer = Tags{std::move(sentence_.tags)};
  if (keeps_lines_) {
    sentence_.lines.tag_column = tag_column_;
    record.extras.edit().lines = std::make_shared<const ConllLines>(std::move(sentence_.lines));
  }
  return true;
}

// A sentence is whole when the empty line behind it is there.
bool ConllSource::ready() {
  bool begun = false;
  for (std::size_t ahead = 0; lines_.ready(ahead); ++ahead) {
    const std::string* line = lines_.peek(ahead);
    if (line == nullptr || (begun && is_blank(*line))) return true;
    begun = begun || !(is_blank(*line) || is_document_start(*line));
  }
  return false;
}

// Splits the line, and says whether it holds a word.
bool ConllSource::is_word() {
  if (layout_ == ConllLayout::kUniversal) {
    if (line_.starts_with('#')) return false;
    split_columns(line_, fields_);
    check_count();
    if (!is_number(fields_[0], "-.")) {
      lines_.refuse(lines_.line(), "\"{}\" in the first column, expected the number of a word",
                    shortened(fields_[0]));
    }
    return is_number(fields_[0], "");
  }
  if (is_document_start(line_)) return false;
  split_columns(line_, fields_);
  const bool may_be_comment = sentence_.words.empty() && line_.starts_with("# ");
  if (may_be_comment && (std::ssize(fields_) != columns_ || line_.find('=') != std::string::npos)) {
    return false;
  }
  check_count();
  return true;
}

void ConllSource::check_count() const {
  const auto found = std::ssize(fields_);
  if (found == columns_) return;
  if (layout_ == ConllLayout::kUniversal) {
    lines_.refuse(lines_.line(), "{} column{}, expected 10 between tabs as CoNLL-U has them", found,
                  found == 1 ? "" : "s");
  }
  lines_.refuse(lines_.line(),
                "{} column{}, expected {} like the first word; an empty line ends a "
                "sentence",
                found, found == 1 ? "" : "s", columns_);
}

void ConllSource::add_word() {
  const std::string_view word = fields_[static_cast<std::size_t>(word_column_)];
  if (word.empty())
    lines_.refuse(lines_.line(), "the word in column {} is empty", word_column_ + 1);
  sentence_.words.emplace_back(word);
  sentence_.lines.word_lines.push_back(std::ssize(sentence_.lines.lines));
  if (!tagged_) return;
  const std::string_view tag = fields_[static_cast<std::size_t>(tag_column_)];
  if (tag.empty()) lines_.refuse(lines_.line(), "the tag in column {} is empty", tag_column_ + 1);
  sentence_.tags.emplace_back(tag);
}

ConllLayout find_layout(std::string_view line) {
  std::vector<std::string_view> fields;
  split_columns(line, fields);
  const bool universal = fields.size() == kUniversalColumns.size() && is_number(fields[0], "-.") &&
                         line.find('\t') != std::string_view::npos;
  return universal ? ConllLayout::kUniversal : ConllLayout::kColumns;
}

ConllLayout find_conll_layout(LineReader& lines) {
  for (std::size_t ahead = 0; ahead < kLookAhead; ++ahead) {
    const std::string* line = lines.peek(ahead);
    if (line == nullptr) break;
    if (is_blank(*line) || line->starts_with('#')) continue;
    return find_layout(*line);
  }
  return ConllLayout::kColumns;
}

}  // namespace heed
