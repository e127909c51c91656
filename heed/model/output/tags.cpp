#include "heed/model/output/tags.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/display.h"
#include "heed/data/text/conll_lines.h"
#include "heed/data/utf8.h"
#include "heed/eval/report.h"
#include "heed/grad/linear.h"
#include "heed/grad/loss.h"
#include "heed/nn/crf.h"
#include "heed/nn/linear.h"

namespace heed {
namespace {

constexpr const char* kNotRead = "_";  // the tag of a word beyond what the model reads

class TagsNetwork : public OutputNetwork {
 public:
  TagsNetwork(const Scope& scope, const TagsOptions& options, Index width)
      : options_(options), last_(scope / "last", width, std::ssize(options.classes.names)) {
    if (options_.crf) crf_.emplace(scope / "crf", last_.out());
  }

  Var scores(Context& context, const Sequences& x) const override {
    const SequenceDropout dropout = context.dropout(options_.classes.dropout, x.layout);
    return last_(context, grad::dropout(context, x.rows, dropout));  // (rows, tags)
  }

  Var loss(Context& context, const Sequences& x, const Batch& batch,
           const Var& wide) const override {
    const Var all = add(context, scores(context, x), wide);
    const auto tags = batch.answer.integers(0).values();
    const auto divisor = static_cast<float>(batch.whole_weight);
    if (crf_) return crf_->loss(context, {all, x.layout}, tags, {.divisor = divisor});
    return grad::cross_entropy(context, all, tags,
                               {.divisor = divisor,
                                .smoothing = options_.classes.smoothing,
                                .class_weights = options_.classes.class_weights});
  }

  std::vector<Prediction> predict(Context& context, const Sequences& x, const Batch&,
                                  const Var& wide, Index top) const override {
    const Var all = add(context, scores(context, x), wide);  // (rows, tags)
    std::vector<std::int32_t> best;
    if (crf_) best = crf_->decode({all, x.layout});
    std::vector<Prediction> predictions(static_cast<std::size_t>(x.layout.count()));
    for (Index s = 0; s < x.layout.count(); ++s) {
      predictions[static_cast<std::size_t>(s)].grid = x.layout.grid();
      for (Index row = x.layout.begin(s); row < x.layout.end(s); ++row) {
        const std::span<const float> row_scores(all.value.row(row),
                                                static_cast<std::size_t>(all.columns()));
        std::vector<Candidate> candidates = best_candidates(row_scores, crf_ ? all.columns() : top);
        if (crf_) put_first(candidates, best[static_cast<std::size_t>(row)], top);
        predictions[static_cast<std::size_t>(s)].rows.push_back(std::move(candidates));
      }
    }
    return predictions;
  }

  void describe(Plan& plan) const override {
    plan.add("classifier", {plan.rows(), last_.out()},
             {"last", last_.flops(plan.rows()), fmt::format("{} tags", with_commas(last_.out()))});
  }

  void describe_answer(Plan& plan) const override {
    if (crf_) {
      plan.add("crf", {plan.rows()}, {.scope = "crf", .note = "the most likely sequence of tags"});
    } else {
      plan.add("answer", {plan.rows()}, {.note = "the most likely tag of each"});
    }
  }

 private:
  // The tag that the whole sequence wants comes first, whatever its row alone would say.
  static void put_first(std::vector<Candidate>& candidates, std::int32_t best, Index top) {
    const auto chosen =
        std::find_if(candidates.begin(), candidates.end(),
                     [&](const Candidate& candidate) { return candidate.index == best; });
    std::rotate(candidates.begin(), chosen, chosen + 1);
    candidates.resize(static_cast<std::size_t>(std::clamp<Index>(top, 1, std::ssize(candidates))));
  }

  TagsOptions options_;
  nn::Linear last_;
  std::optional<nn::Crf> crf_;
};

class TagsMeasures : public Measures {
 public:
  explicit TagsMeasures(const std::vector<std::string>& names) : names_(names), index_(names) {}

  // Words that the model does not read are not right.
  void add(const Answer& truth, const Prediction& prediction) override {
    std::vector<std::int32_t>& tags = truth_.emplace_back();
    each_name(truth, [&](const std::string& name) {
      // A tag that training has not seen is one that no prediction is.
      tags.push_back(index_.add(name));
      if (tags.back() == std::ssize(names_)) names_.push_back(name);
    });
    std::vector<std::int32_t>& predicted = predicted_.emplace_back();
    for (const auto& candidates : prediction.rows) predicted.push_back(candidates.front().index);
    predicted.resize(tags.size(), kNoAnswer);
  }

  double score() const override {
    const Tagging result = score_tags(TagScheme(names_), truth_, predicted_, {.resamples = 0});
    return result.has_spans ? result.micro_f1.value : result.token_accuracy.value;
  }
  std::string score_name() const override {
    return TagScheme(names_).has_spans() ? "F1" : "accuracy";
  }
  std::string report() const override {
    return heed::report(score_tags(TagScheme(names_), truth_, predicted_));
  }
  void write(const JsonPlace& place) const override {
    write_json(place, score_tags(TagScheme(names_), truth_, predicted_));
  }

 private:
  std::vector<std::string> names_;
  ClassIndex index_;
  std::vector<std::vector<std::int32_t>> truth_, predicted_;
};

// Rows of a recording that follow each other and have one tag; its probability is their mean.
struct TimeSpan {
  double begin = 0.0, end = 0.0;  // seconds
  std::int32_t tag = kNoAnswer;
  float probability = 0.0f;
};

std::vector<TimeSpan> spans_of(const Recording& recording, const Prediction& prediction) {
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
void write_grid(const JsonPlace& place, const Record& record, const Extent& grid,
                const std::vector<std::string>& tags) {
  if (record.place.file != nullptr) {
    std::string file = record.place.text();
    repair_utf8(file);
    place["file"].set(std::string_view(file));
  }
  const JsonPlace lines = place["lines"];
  lines.set_list();
  for (Index y = 0; y < grid.height; ++y) {
    const JsonPlace line = lines.append();
    line.set_list();
    for (Index x = 0; x < grid.width; ++x) {
      line.append().set(std::string_view(tags[static_cast<std::size_t>(y * grid.width + x)]));
    }
  }
}

std::vector<std::string> words_of(const Record& record) {
  const auto* sentence = std::get_if<Sentence>(&record.content);
  return sentence == nullptr ? std::vector<std::string>() : sentence->words;
}

}  // namespace

template <class Archive>
void describe(Archive& archive, TagsOptions& options) {
  describe(archive, options.classes);
  archive.field("crf", options.crf);
  archive.check("crf", !options.crf || options.classes.smoothing == 0.0f,
                "false with label smoothing: a CRF's loss is of whole sequences");
  archive.check("crf", !options.crf || options.classes.class_weights.empty(),
                "false with class weights: a CRF's loss is of whole sequences");
}

template void describe(JsonReader&, TagsOptions&);
template void describe(JsonWriter&, TagsOptions&);

void TagsOutput::fit(const Dataset& all, bool) { fit_names(all, "tag"); }

void TagsOutput::balance(const Dataset& train) {
  if (options_.crf) {
    throw UsageError("--balance: a CRF has no class weights; leave out --balance or --crf");
  }
  ClassOutput::balance(train);
}

void TagsOutput::prepare(const Answer& answer, Batch& batch) const {
  const Index rows = batch.lengths.back();
  Ragged<std::int32_t>& tags = batch.answer.integers(0);
  each_name(answer, [&](const std::string& name) {
    if (tags.open() < rows) tags.push(index_of(name));
  });
  while (tags.open() < rows) tags.push(kNoAnswer);
  tags.close();
}

std::unique_ptr<OutputNetwork> TagsOutput::network(const Scope& scope, Index width) const {
  return std::make_unique<TagsNetwork>(scope, options_, width);
}

std::unique_ptr<Measures> TagsOutput::measures() const {
  return std::make_unique<TagsMeasures>(names());
}

Answer TagsOutput::answer(const Record& record, const Prediction& prediction) const {
  if (const auto* recording = std::get_if<Recording>(&record.content)) {
    Spans spans;
    for (const TimeSpan& span : spans_of(*recording, prediction)) {
      if (name_of(span.tag) == kNoSpan) continue;
      spans.spans.push_back({span.begin, span.end, name_of(span.tag)});
    }
    return spans;
  }
  Tags tags;
  for (const auto& candidates : prediction.rows) {
    tags.names.push_back(name(candidates.front()));
  }
  if (prediction.grid.count() == 0) tags.names.resize(words_of(record).size(), kNotRead);
  return tags;
}

std::string TagsOutput::answer_text(const Record& record, const Prediction& prediction) const {
  if (const auto* recording = std::get_if<Recording>(&record.content)) {
    std::string lines;
    for (const TimeSpan& span : spans_of(*recording, prediction)) {
      if (name_of(span.tag) == kNoSpan) continue;
      lines += fmt::format("{}\t{:.2f}\t{:.2f}\t{}\n", printable(file_of(record)), span.begin,
                           span.end, printable(name_of(span.tag)));
    }
    return lines;
  }
  const std::vector<std::string> tags = std::get<Tags>(answer(record, prediction)).names;
  if (prediction.grid.count() > 0) return grid_text(record, prediction.grid, tags);
  if (record.lines != nullptr) return with_tags(*record.lines, tags, record.place.text());
  const std::vector<std::string> words = words_of(record);
  std::string text;
  for (std::size_t i = 0; i < tags.size(); ++i) {
    text += fmt::format("{}\t{}\n", words[i], tags[i]);
  }
  return text + "\n";
}

void TagsOutput::write_answer(const JsonPlace& place, const Record& record,
                              const Prediction& prediction) const {
  if (const auto* recording = std::get_if<Recording>(&record.content)) {
    std::string file = file_of(record);
    repair_utf8(file);
    place["file"].set(std::string_view(file));
    const JsonPlace list = place["spans"];
    list.set_list();
    for (const TimeSpan& span : spans_of(*recording, prediction)) {
      if (name_of(span.tag) == kNoSpan) continue;
      const JsonPlace one = list.append();
      one["start"].set(span.begin);
      one["end"].set(span.end);
      one["tag"].set(std::string_view(name_of(span.tag)));
      one["probability"].set(span.probability);
    }
    return;
  }
  const std::vector<std::string> words = words_of(record);
  const std::vector<std::string> tags = std::get<Tags>(answer(record, prediction)).names;
  if (prediction.grid.count() > 0) return write_grid(place, record, prediction.grid, tags);
  const JsonPlace list = place["words"];
  list.set_list();
  for (std::size_t i = 0; i < tags.size(); ++i) {
    const JsonPlace word = list.append();
    word["word"].set(std::string_view(words[i]));
    word["tag"].set(std::string_view(tags[i]));
    if (i >= prediction.rows.size()) continue;
    const std::vector<Candidate>& candidates = prediction.rows[i];
    word["probability"].set(candidates.front().probability);
    if (candidates.size() > 1) {
      write_candidates(word["answers"], "tag", candidates, names());
    }
  }
}

}  // namespace heed
