// How tags are answered: as text, as JSON, as a cell of a table, as mistakes.
#include <fmt/format.h>

#include <algorithm>

#include "heed/base/display.h"
#include "heed/data/text/conll_lines.h"
#include "heed/data/text/unicode.h"
#include "heed/data/utf8.h"
#include "heed/eval/spans.h"
#include "heed/model/output/tags.h"

namespace heed {
namespace {

constexpr const char* kNotRead = "_";  // the tag of a word beyond what the model reads

// Rows of a recording that follow each other and have one tag; its probability is their mean.
struct TimeSpan {
  double begin = 0.0, end = 0.0;  // seconds
  std::int32_t tag = kNoAnswer;
  float probability = 0.0f;
};

std::vector<TimeSpan> times_of(const Recording& recording, const Prediction& prediction) {
  std::vector<TimeSpan> spans;
  const auto time = [&](std::size_t row) {
    return recording.begin + static_cast<double>(row) * prediction.row_seconds;
  };
  const auto& rows = prediction.rows;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    TimeSpan span{time(begin), 0.0, rows[begin].front().index, 0.0f};
    for (; end < rows.size() && rows[end].front().index == span.tag; ++end) {
      span.probability += rows[end].front().probability;
    }
    span.end = time(end);
    span.probability /= static_cast<float>(end - begin);
    spans.push_back(span);
  }
  return spans;
}

// The file of a record as answers show it.
std::string file_of(const Record& record) {
  return record.place.file == nullptr ? std::string("-") : *record.place.file;
}

// The tags of a picture: a line for each line of its parts, behind the name of its file.
std::string grid_text(const Record& record, const Extent& grid,
                      const std::vector<std::string>& tags) {
  std::string text = record.place.file == nullptr ? "" : printable(record.place.text()) + "\n";
  for (Index i = 0; i < std::ssize(tags); ++i) {
    text += printable(tags[static_cast<std::size_t>(i)]);
    text += (i + 1) % grid.width == 0 ? "\n" : "\t";
  }
  return text + "\n";
}

// The same for programs: a list of lists.
void write_grid(const JsonPlace& lines, const Extent& grid, const std::vector<std::string>& tags) {
  lines.set_list();
  for (Index y = 0; y < grid.height; ++y) {
    const JsonPlace line = lines.append();
    line.set_list();
    for (Index x = 0; x < grid.width; ++x) {
      line.append().set(std::string_view(tags[static_cast<std::size_t>(y * grid.width + x)]));
    }
  }
}

// The words of a record, and where they stand in its text: in characters, as programs count them.
struct PlacedWords {
  std::vector<std::string> words;
  std::string text;
  std::vector<Index> begins, ends;
  std::vector<std::size_t> bytes;  // where each begins in `text`
};

PlacedWords placed_words(const Record& record) {
  PlacedWords placed;
  const auto* sentence = std::get_if<Sentence>(&record.content);
  if (sentence == nullptr) return placed;
  placed.words = sentence->words;
  const SentenceSource& source = *sentence->source;
  placed.text = source.text;
  const bool given = source.begins.size() == placed.words.size() && !placed.text.empty();
  Index characters = source.skipped;
  std::size_t byte = 0;
  for (std::size_t i = 0; i < placed.words.size(); ++i) {
    const std::string& word = placed.words[i];
    if (given) {
      const auto begin = static_cast<std::size_t>(source.begins[i]);
      const std::string_view between(placed.text.data() + byte, begin - byte);
      characters += static_cast<Index>(count_code_points(between));
      byte = begin + word.size();
    } else if (i > 0) {  // as if spaces stood between
      placed.text += ' ';
      ++characters;
    }
    placed.bytes.push_back(given ? byte - word.size() : placed.text.size());
    if (!given) placed.text += word;
    placed.begins.push_back(characters);
    characters += static_cast<Index>(count_code_points(word));
    placed.ends.push_back(characters);
  }
  return placed;
}

float mean_probability(const Prediction& prediction, Index begin, Index end) {
  float sum = 0.0f;
  for (Index i = begin; i < end; ++i) {
    sum += prediction.rows[static_cast<std::size_t>(i)].front().probability;
  }
  return sum / static_cast<float>(end - begin);
}

}  // namespace

std::vector<std::string> TagsOutput::tag_names(const Record& record,
                                               const Prediction& prediction) const {
  std::vector<std::string> tags;
  for (const auto& candidates : prediction.rows) tags.push_back(name(candidates.front()));
  const auto* sentence = std::get_if<Sentence>(&record.content);
  if (prediction.grid.count() == 0) {
    tags.resize(sentence == nullptr ? 0 : sentence->words.size(), kNotRead);
  }
  return tags;
}

Answer TagsOutput::answer(const Record& record, const Prediction& prediction) const {
  const auto* recording = std::get_if<Recording>(&record.content);
  if (recording == nullptr) return Tags{tag_names(record, prediction)};
  Spans spans;
  for (const TimeSpan& span : times_of(*recording, prediction)) {
    if (name_of(span.tag) == kNoSpan) continue;
    spans.spans.push_back({span.begin, span.end, name_of(span.tag)});
  }
  return spans;
}

std::string TagsOutput::answer_text(const Record& record, const Prediction& prediction) const {
  if (const auto* recording = std::get_if<Recording>(&record.content)) {
    std::string lines;
    for (const TimeSpan& span : times_of(*recording, prediction)) {
      if (name_of(span.tag) == kNoSpan) continue;
      lines += fmt::format("{}\t{:.2f}\t{:.2f}\t{}\n", printable(file_of(record)), span.begin,
                           span.end, printable(name_of(span.tag)));
    }
    return lines;
  }
  const std::vector<std::string> tags = tag_names(record, prediction);
  if (prediction.grid.count() > 0) return grid_text(record, prediction.grid, tags);
  if (record.extras->lines != nullptr)
    return with_tags(*record.extras->lines, tags, record.place.text());
  const auto* sentence = std::get_if<Sentence>(&record.content);
  std::string text;
  for (std::size_t i = 0; i < tags.size(); ++i) {
    text += sentence->words[i] + '\t' + tags[i] + '\n';
  }
  return record.extras->continues ? text : text + "\n";
}

// Spans of time, or of words where tags mark them.
void TagsOutput::write_spans(const JsonPlace& list, const Record& record,
                             const Prediction& prediction) const {
  list.set_list();
  if (const auto* recording = std::get_if<Recording>(&record.content)) {
    for (const TimeSpan& span : times_of(*recording, prediction)) {
      if (name_of(span.tag) == kNoSpan) continue;
      const JsonPlace one = list.append();
      one["start"].set(span.begin);
      one["end"].set(span.end);
      one["tag"].set(std::string_view(name_of(span.tag)));
      one["probability"].set(span.probability);
    }
    return;
  }
  const TagScheme scheme(names());
  const PlacedWords placed = placed_words(record);
  std::vector<std::int32_t> tags;
  for (const auto& candidates : prediction.rows) tags.push_back(candidates.front().index);
  tags.resize(std::min(tags.size(), placed.words.size()));
  for (const TagSpan& span : spans_of(scheme, tags)) {
    const auto first = static_cast<std::size_t>(span.begin);
    const auto last = static_cast<std::size_t>(span.end - 1);
    const std::size_t begin = placed.bytes[first];
    const std::size_t end = placed.bytes[last] + placed.words[last].size();
    const JsonPlace one = list.append();
    one["start"].set(placed.begins[first]);
    one["end"].set(placed.ends[last]);
    one["tag"].set(std::string_view(scheme.types()[static_cast<std::size_t>(span.type)]));
    one["text"].set(std::string_view(placed.text).substr(begin, end - begin));
    one["probability"].set(mean_probability(prediction, span.begin, span.end));
  }
}

void TagsOutput::write_words(const JsonPlace& list, const Record& record,
                             const Prediction& prediction) const {
  list.set_list();
  const PlacedWords placed = placed_words(record);
  const std::vector<std::string> tags = tag_names(record, prediction);
  for (std::size_t i = 0; i < tags.size(); ++i) {
    const JsonPlace word = list.append();
    word["word"].set(std::string_view(placed.words[i]));
    word["tag"].set(std::string_view(tags[i]));
    word["start"].set(placed.begins[i]);
    word["end"].set(placed.ends[i]);
    if (i >= prediction.rows.size()) continue;
    const std::vector<Candidate>& candidates = prediction.rows[i];
    word["probability"].set(candidates.front().probability);
    if (candidates.size() > 1) write_candidates(word["answers"], "tag", candidates, names());
  }
}

void TagsOutput::write_answer(const JsonPlace& place, const Record& record,
                              const Prediction& prediction) const {
  if (std::holds_alternative<Recording>(record.content)) {
    return write_spans(place["spans"], record, prediction);
  }
  if (prediction.grid.count() > 0) {
    return write_grid(place["lines"], prediction.grid, tag_names(record, prediction));
  }
  place["text"].set(std::string_view(placed_words(record).text));
  if (TagScheme(names()).has_spans()) write_spans(place["spans"], record, prediction);
  write_words(place["words"], record, prediction);
}

// The list that write_answer() has: spans where there are such, else words or lines of a picture.
std::vector<KeptCell> TagsOutput::cells(const Record& record, const Prediction& prediction,
                                        Index) const {
  const JsonText text;
  if (std::holds_alternative<Recording>(record.content)) {
    write_spans(text.root(), record, prediction);
  } else if (prediction.grid.count() > 0) {
    write_grid(text.root(), prediction.grid, tag_names(record, prediction));
  } else if (TagScheme(names()).has_spans()) {
    write_spans(text.root(), record, prediction);
  } else {
    write_words(text.root(), record, prediction);
  }
  return {{text.line(), false}};
}

std::vector<Mistake> TagsOutput::mistakes(const Record& record,
                                          const Prediction& prediction) const {
  std::vector<Mistake> mistakes;
  const auto* tags = std::get_if<Tags>(&record.answer);
  if (tags == nullptr) return mistakes;
  const auto* sentence = std::get_if<Sentence>(&record.content);
  for (std::size_t i = 0; i < tags->names.size(); ++i) {
    const Candidate given =
        i < prediction.rows.size() ? prediction.rows[i].front() : Candidate{kNoAnswer, 0.0f};
    const std::string answer = given.index == kNoAnswer ? kNotRead : name(given);
    if (answer == tags->names[i]) continue;
    const std::string item = sentence == nullptr ? fmt::format("{}", i + 1) : sentence->words[i];
    mistakes.push_back({item, tags->names[i], answer, given.probability, given.probability});
  }
  return mistakes;
}

}  // namespace heed
