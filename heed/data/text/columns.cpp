#include "heed/data/text/columns.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "heed/base/error.h"
#include "heed/data/utf8.h"

namespace heed {
namespace {

// The better sign first.
constexpr std::array<std::string_view, 20> kTextNames = {
    "text",    "sentence", "content",  "body",      "description", "review", "message",
    "comment", "document", "tweet",    "utterance", "post",        "query",  "question",
    "title",   "headline", "abstract", "summary",   "input",       "words"};
// Of files that a table names.
constexpr std::array<std::string_view, 9> kPathNames = {
    "path", "file", "filename", "file_name", "audio", "wav", "image", "picture", "img"};
constexpr std::array<std::string_view, 25> kLabelNames = {
    "label",   "class", "category",   "section", "topic", "target", "sentiment", "intent", "labels",
    "tag",     "genre", "type",       "rating",  "stars", "score",  "language",  "answer", "output",
    "speaker", "word",  "categories", "topics",  "tags",  "genres", "classes"};

// Of parts of recordings.
constexpr std::array<std::string_view, 5> kBeginNames = {"start", "begin", "onset", "start_time",
                                                         "from"};
constexpr std::array<std::string_view, 5> kEndNames = {"end", "stop", "offset", "end_time", "to"};

constexpr std::array<std::string_view, 7> kIdNames = {"id",  "uid",     "uuid",  "guid",
                                                      "key", "sent_id", "doc_id"};

// Of pairs of texts: what is read, and what is to be written.
constexpr std::array<std::string_view, 15> kSourceNames = {
    "source", "src",  "text",  "document", "article", "body",     "content", "description",
    "long",   "from", "input", "question", "message", "sentence", "dialogue"};
constexpr std::array<std::string_view, 16> kTargetNames = {
    "target", "tgt", "translation", "summary", "title", "subject", "headline",   "transcript",
    "text",   "to",  "output",      "answer",  "label", "short",   "highlights", "abstract"};

// Of pairs of texts that belong to one label.
struct PairNames {
  std::string_view first, second;
};
constexpr std::array<PairNames, 8> kPairNames = {{{"premise", "hypothesis"},
                                                  {"sentence1", "sentence2"},
                                                  {"sentence_1", "sentence_2"},
                                                  {"sentence_a", "sentence_b"},
                                                  {"question1", "question2"},
                                                  {"text1", "text2"},
                                                  {"text_1", "text_2"},
                                                  {"text_a", "text_b"}}};

std::string lower(std::string_view name) {
  std::string result(name);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return result;
}

// The column of this name, as it is written or else with other capitals.
Index find(const std::vector<std::string>& names, std::string_view wanted) {
  auto place = std::find(names.begin(), names.end(), wanted);
  if (place == names.end()) {
    place = std::find_if(names.begin(), names.end(),
                         [&](const std::string& name) { return lower(name) == lower(wanted); });
  }
  return place == names.end() ? TextColumns::kNone : place - names.begin();
}

Index find_first(const std::vector<std::string>& names, std::span<const std::string_view> wanted) {
  for (const std::string_view name : wanted) {
    const Index column = find(names, name);
    if (column != TextColumns::kNone) return column;
  }
  return TextColumns::kNone;
}

// A header holds names; an example holds sentences or numbers.
bool looks_like_data(const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    if (name.empty()) return false;
    const bool number = name.find_first_not_of("0123456789.-") == std::string::npos;
    const auto spaces = std::count(name.begin(), name.end(), ' ');
    return number || spaces >= 4 || name.size() > 60 || name.ends_with('.') ||
           name.ends_with('!') || name.ends_with('?');
  });
}

[[noreturn]] void refuse_missing(const std::vector<std::string>& names, const std::string& place,
                                 std::string_view noun, std::string_view what) {
  if (noun == "column" && looks_like_data(names)) {
    throw FormatError(place +
                      ": the first line looks like an example, not like the names of columns (" +
                      listed(names) + "); put a line such as text,label above it");
  }
  if (names.size() == 1) {
    throw FormatError(fmt::format("{0}: there is only the {1} \"{2}\", and none for the {3}", place,
                                  noun, names.front(), what));
  }
  throw FormatError(
      fmt::format("{0}: cannot tell which {1} is the {2}; the {1}s are {3}: choose "
                  "with --{2}-column",
                  place, noun, what, listed(names)));
}

Index find_named(const std::vector<std::string>& names, const std::string& wanted,
                 const std::string& place, std::string_view noun) {
  const Index column = find(names, wanted);
  if (column == TextColumns::kNone) {
    throw FormatError(
        fmt::format("{0}: no {1} \"{2}\"; the {1}s are {3}", place, noun, wanted, listed(names)));
  }
  return column;
}

// The columns of the two texts of a pair; kNone where the text is one.
struct PairColumns {
  Index first = TextColumns::kNone, second = TextColumns::kNone;
};

PairColumns choose_pair(const std::vector<std::string>& names, const ReadOptions& options,
                        const std::string& place, std::string_view noun) {
  constexpr Index kNone = TextColumns::kNone;
  const std::string& asked = options.text_column;
  if (!options.second_column.empty()) {
    return {find_named(names, asked, place, noun),
            find_named(names, options.second_column, place, noun)};
  }
  const std::size_t comma = asked.find(',');
  if (comma != std::string::npos && find(names, asked) == kNone) {
    return {find_named(names, std::string(trimmed(asked.substr(0, comma))), place, noun),
            find_named(names, std::string(trimmed(asked.substr(comma + 1))), place, noun)};
  }
  if (!asked.empty()) return {};
  const KnownColumns& known = options.known;
  if (!known.text.empty()) {
    const PairColumns pair{find(names, known.text),
                           known.second.empty() ? kNone : find(names, known.second)};
    return pair.first == kNone || pair.second == kNone ? PairColumns() : pair;
  }
  for (const PairNames& usual : kPairNames) {
    const PairColumns pair{find(names, usual.first), find(names, usual.second)};
    if (pair.first != kNone && pair.second != kNone) return pair;
  }
  return {};
}

}  // namespace

TextColumns choose_columns(const std::vector<std::string>& names, const ReadOptions& options,
                           const std::string& place, std::string_view noun) {
  constexpr Index kNone = TextColumns::kNone;
  const bool required = options.answers == Answers::kRequired;
  TextColumns columns;
  columns.text = kNone;
  const bool pairs = options.answer == AnswerKind::kSequence;
  // Of pairs, a column that says which examples belong together is neither source nor target,
  // though it may be called so.
  std::vector<std::string> guessed = names;
  if (!options.group_column.empty()) {
    columns.group = find_named(names, options.group_column, place, noun);
    if (pairs) guessed[static_cast<std::size_t>(columns.group)].clear();
  }
  const auto choose = [&](const std::string& option, const std::string& known,
                          std::span<const std::string_view> usual) {
    if (!option.empty()) return find_named(names, option, place, noun);
    const Index column = known.empty() ? kNone : find(names, known);
    return column == kNone ? find_first(guessed, usual) : column;
  };
  const bool paths =
      options.content == ContentKind::kAudio || options.content == ContentKind::kImage;
  const std::string_view text_name = pairs ? "source" : "text";
  const std::string_view label_name = pairs ? "target" : "label";
  using Names = std::span<const std::string_view>;
  const Names usual = paths ? Names(kPathNames) : pairs ? Names(kSourceNames) : Names(kTextNames);
  const PairColumns pair = paths ? PairColumns() : choose_pair(names, options, place, noun);
  columns.second = pair.second;
  columns.text =
      pair.first != kNone ? pair.first : choose(options.text_column, options.known.text, usual);
  columns.label = choose(options.label_column, options.known.label,
                         pairs ? Names(kTargetNames) : Names(kLabelNames));
  if (columns.text == columns.label && columns.text != kNone && options.label_column.empty()) {
    columns.label = kNone;
  }
  std::vector<Index> rest;
  for (Index i = 0; i < std::ssize(names); ++i) {
    if (i != columns.group || !pairs) rest.push_back(i);
  }
  if (columns.text == kNone && columns.label == kNone && rest.size() == 1 && !required) {
    columns.text = rest[0];
  }
  if (rest.size() == 2) {
    const auto other = [&](Index column) { return column == rest[0] ? rest[1] : rest[0]; };
    // Two columns of other names, such as de and en: the first is the source.
    if (pairs && columns.text == kNone && columns.label == kNone) columns.text = rest[0];
    if (columns.text == kNone && columns.label != kNone) columns.text = other(columns.label);
    if (columns.label == kNone && columns.text != kNone && required) {
      columns.label = other(columns.text);
    }
  }
  if (columns.text == kNone) refuse_missing(names, place, noun, text_name);
  if (columns.label == kNone && required) refuse_missing(names, place, noun, label_name);
  if (options.content == ContentKind::kAudio) {
    columns.begin = find_first(names, kBeginNames);
    columns.end = find_first(names, kEndNames);
  }
  const auto refuse_both = [&](Index one, Index two, std::string_view what,
                               std::string_view other) {
    if (one != two || one == kNone) return;
    throw UsageError(fmt::format("{}: the {} \"{}\" is chosen both as {} and as {}", place, noun,
                                 names[static_cast<std::size_t>(one)], what, other));
  };
  refuse_both(columns.text, columns.label, text_name, label_name);
  refuse_both(columns.text, columns.second, "the first text", "the second");
  refuse_both(columns.second, columns.label, text_name, label_name);
  refuse_both(columns.group, columns.text, "group", text_name);
  refuse_both(columns.group, columns.label, "group", label_name);
  columns.id = find_first(names, kIdNames);
  for (const Index other : {columns.text, columns.label, columns.begin, columns.end}) {
    if (columns.id == other) columns.id = kNone;
  }
  return columns;
}

bool names_a_text_column(const std::vector<std::string>& names) {
  return find_first(names, kTextNames) != TextColumns::kNone;
}

double seconds_of(std::string_view text, const std::string& place, const std::string& name) {
  const std::string_view number = trimmed(text);
  double seconds = 0.0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), seconds);
  if (error == std::errc() && end == number.data() + number.size() && seconds >= 0.0 &&
      seconds < 1e9) {
    return seconds;
  }
  throw FormatError(
      fmt::format("{}: {} is \"{}\", expected a time in seconds", place, name, shortened(number)));
}

Labels split_labels(std::string_view field, std::string_view separator) {
  Labels labels;
  while (true) {
    const std::size_t end =
        separator.empty() ? field.size() : std::min(field.find(separator), field.size());
    const std::string_view name = trimmed(field.substr(0, end));
    if (!name.empty() &&
        std::find(labels.names.begin(), labels.names.end(), name) == labels.names.end()) {
      labels.names.emplace_back(name);
    }
    if (end == field.size()) return labels;
    field.remove_prefix(end + separator.size());
  }
}

std::string find_label_separator(RecordSource& rows) {
  constexpr std::array<std::string_view, 3> kSeparators = {"|", ";", ","};
  std::array<Index, 3> counts{};
  for (Record record; rows.next(record);) {
    const auto* label = std::get_if<Label>(&record.answer);
    for (std::size_t i = 0; label != nullptr && i < kSeparators.size(); ++i) {
      counts[i] += label->name.find(kSeparators[i]) != std::string::npos ? 1 : 0;
    }
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  return *most == 0 ? std::string()
                    : std::string(kSeparators[static_cast<std::size_t>(most - counts.begin())]);
}

std::string label_separator_from(const std::string& option) {
  if (option == "comma") return ",";
  if (option == "semicolon") return ";";
  if (option == "pipe") return "|";
  if (option == "space") return " ";
  if (option == "tab") return "\t";
  return option == "none" ? std::string() : option;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 12;
  std::string result;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    if (i > 0) result += ',';
    result += shortened(names[i]);
  }
  if (names.size() > kMost) result += fmt::format(" and {} more", names.size() - kMost);
  return result;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

}  // namespace heed
