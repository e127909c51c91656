#include "heed/model/predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <utility>

#include "heed/base/display.h"
#include "heed/base/error.h"
#include "heed/base/machine.h"
#include "heed/data/content.h"
#include "heed/kernel/matmul.h"

namespace heed {
namespace {

// Rows of a batch. Small ones keep all workers busy to the end; texts are written token by token,
// which is the better the more of them are written together.
constexpr Index kBatchRows = 1024;
constexpr Index kWrittenRows = 2048;
// Records of a stream that are answered together, and bytes of text.
constexpr std::size_t kStreamed = 2048;
constexpr Index kStreamedBytes = Index{1} << 20;

// A sequence of more rows than this is read in pieces where it can be: 16,384 rows take 100 to 400
// MB, whatever the body. Text of more bytes is divided before anything is made of it.
constexpr Index kMostRowsAtOnce = 16384;
constexpr Index kMostBytes = Index{128} << 10;

constexpr std::size_t kRoom = std::size_t{48} << 20;  // what the first batch takes, libraries too

// Examples that are made of records as they are needed.
class RecordExamples : public Examples {
 public:
  RecordExamples(std::span<const Record* const> records, const Model& model)
      : records_(records), model_(model) {
    for (const Record* record : records) {
      // A rough guess is enough: lengths only group records of similar size.
      lengths_.push_back(1 + content_bytes(*record) / 6);
    }
  }

  Index count() const override { return std::ssize(records_); }
  Index length(Index example) const override { return lengths_[static_cast<std::size_t>(example)]; }
  void load(Index example, Batch& batch) const override {
    model_.prepare(*records_[static_cast<std::size_t>(example)], batch);
  }

 private:
  std::span<const Record* const> records_;
  const Model& model_;
  std::vector<Index> lengths_;
};

// A token is at least a byte, so shorter texts are never too long. What a file holds is not known.
bool may_be_long(const Record& record) {
  return kind_of(record.content) == ContentKind::kText && content_bytes(record) > kMostRowsAtOnce;
}

FormatError too_long(const Record& record, const Config& config) {
  return FormatError(
      fmt::format("{}: {} bytes, a text too long for a model that {}; divide it into lines",
                  record.place.text(), with_commas(content_bytes(record)),
                  config.output->purpose(config.input->content())));
}

}  // namespace

// The answers to the pieces of one record, joined.
class Predictor::Pieces {
 public:
  explicit Pieces(const Output& output) : output_(output) {}

  void add(Prediction piece, Index rows) {
    const auto weight = static_cast<float>(rows);
    if (output_.answers_rows()) {
      for (auto& row : piece.rows) joined_.rows.push_back(std::move(row));
    } else {
      if (joined_.rows.empty()) joined_.rows.emplace_back(piece.rows.front().size());
      std::vector<Candidate>& all = joined_.rows.front();
      for (const Candidate& candidate : piece.rows.front()) {
        Candidate& to = all[static_cast<std::size_t>(candidate.index)];
        to.index = candidate.index;
        to.probability += weight * candidate.probability;
      }
      joined_.truth.resize(piece.truth.size());
      for (std::size_t i = 0; i < piece.truth.size(); ++i) {
        joined_.truth[i] += weight * piece.truth[i];
      }
    }
    weight_ += weight;
  }

  Prediction result(Index top) {
    if (output_.answers_rows()) {
      output_.settle(joined_);
    } else {
      for (Candidate& candidate : joined_.rows.front()) candidate.probability /= weight_;
      for (float& truth : joined_.truth) truth /= weight_;
      std::stable_sort(
          joined_.rows.front().begin(), joined_.rows.front().end(),
          [](const Candidate& a, const Candidate& b) { return a.probability > b.probability; });
    }
    for (auto& row : joined_.rows) {
      row.resize(std::min(row.size(), static_cast<std::size_t>(std::max<Index>(top, 1))));
    }
    return std::move(joined_);
  }

 private:
  const Output& output_;
  Prediction joined_;
  float weight_ = 0.0f;
};

struct Predictor::Scratch {
  Context context;
  Batch batch;
};

// Scratch memory that goes back when it is no longer used.
class Predictor::Lease {
 public:
  explicit Lease(const Predictor& owner) : owner_(owner) {
    const std::lock_guard lock(owner.pool_);
    if (owner.free_.empty()) {
      scratch_ = std::make_unique<Scratch>();
      if (owner.weights_ == Weights::kStay) scratch_->context.keep_weights();
    } else {
      scratch_ = std::move(owner.free_.back());
      owner.free_.pop_back();
    }
    scratch_->batch.clear();
  }
  ~Lease() {
    const std::lock_guard lock(owner_.pool_);
    owner_.free_.push_back(std::move(scratch_));
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  Scratch* operator->() { return scratch_.get(); }
  Scratch& operator*() { return *scratch_; }

 private:
  const Predictor& owner_;
  std::unique_ptr<Scratch> scratch_;
};

// Threads reserve memory for themselves as they run, so the kernels are compiled before there are
// any.
Predictor::Predictor(const Model& model, int workers, Weights weights)
    : model_(model), weights_(weights), workers_((kernel::prepare_products(), workers)) {
  expect_room(kRoom);
}
Predictor::~Predictor() = default;

Prediction Predictor::operator()(const Record& record, Index top) const {
  Lease scratch(*this);
  return alone(record, top, *scratch);
}

// Nothing where the record is too long for that.
std::optional<Prediction> Predictor::at_once(const Record& record, Index top, Length length,
                                             Scratch& scratch) const {
  const bool limited = length == Length::kLimited && may_be_long(record);
  if (limited && content_bytes(record) > kMostBytes) return {};
  scratch.batch.clear();
  model_.prepare(record, scratch.batch);
  if (limited && scratch.batch.lengths.front() > kMostRowsAtOnce) return {};
  scratch.context.begin(Mode::kEvaluate);
  return std::move(model_.predict(scratch.context, scratch.batch, top).front());
}

Prediction Predictor::alone(const Record& record, Index top, Scratch& scratch) const {
  if (auto found = at_once(record, top, Length::kLimited, scratch)) return std::move(*found);
  Record front, back;
  const Config& config = model_.config();
  if (!config.input->halve(record.content, front.content, back.content)) {
    return std::move(*at_once(record, top, Length::kAny, scratch));
  }
  if (!config.output->answers_rows() && !config.output->can_average()) {
    throw too_long(record, config);
  }
  Pieces pieces(*config.output);
  for (Record* half : {&front, &back}) {
    if (!config.output->answers_rows()) half->answer = record.answer;
    add_pieces(*half, pieces, scratch);
    *half = {};
  }
  return pieces.result(top);
}

void Predictor::add_pieces(const Record& record, Pieces& pieces, Scratch& scratch) const {
  const Config& config = model_.config();
  const Index all = config.output->classes();
  auto found = at_once(record, all, Length::kLimited, scratch);
  Record front, back;
  if (!found && config.input->halve(record.content, front.content, back.content)) {
    front.answer = back.answer = record.answer;
    add_pieces(front, pieces, scratch);
    front = {};
    add_pieces(back, pieces, scratch);
    return;
  }
  if (!found) found = at_once(record, all, Length::kAny, scratch);
  pieces.add(std::move(*found), scratch.batch.lengths.front());
}

Prediction Predictor::write(const Record& record,
                            const std::function<void(std::string_view)>& piece) const {
  const Output& output = *model_.config().output;
  if (!output.writes()) output.written_text(record, {});  // says what it does
  Lease scratch(*this);
  // Of a prompt the end is read, however long it is.
  const bool limited = !output.predicts_input() && may_be_long(record);
  if (limited && content_bytes(record) > kMostBytes) throw too_long(record, model_.config());
  Record prompt = record;
  prompt.answer = {};
  model_.prepare(prompt, scratch->batch);
  std::vector<std::int32_t> tokens;
  std::string said;
  const auto written = [&](Index, std::int32_t token) {
    tokens.push_back(token);
    const std::string text = output.written_text(prompt, tokens);
    if (text == said || !text.starts_with(said)) return;  // nothing new, or not yet certain
    piece(std::string_view(text).substr(said.size()));
    said = text;
  };
  scratch->context.begin(Mode::kEvaluate);
  return std::move(model_.write(scratch->context, scratch->batch, 1, written).front());
}

std::vector<Prediction> Predictor::operator()(const Examples& examples, Index top) const {
  return batches(examples, top, {});
}

std::vector<Prediction> Predictor::batches(const Examples& examples, Index top,
                                           const Beside& beside) const {
  const AnswerKind answer = model_.config().output->answer_kind();
  const bool writes = answer == AnswerKind::kSequence || answer == AnswerKind::kItself;
  const Index rows = writes ? kWrittenRows : kBatchRows;
  const auto batches = Batcher(examples.lengths(), {.rows = rows}).in_order();
  std::vector<Prediction> predictions(static_cast<std::size_t>(examples.count()));
  // The longest first, each taken by whoever is free.
  std::atomic<std::size_t> taken = 0;
  const std::lock_guard lock(team_);
  workers_.run([&](int worker) {
    if (worker == 0 && beside) beside();
    Lease scratch(*this);
    for (std::size_t i = taken++; i < batches.size(); i = taken++) {
      const Batcher::Numbers& members = batches[batches.size() - 1 - i];
      scratch->batch.clear();
      for (const Index member : members) examples.load(member, scratch->batch);
      scratch->context.begin(Mode::kEvaluate);
      std::vector<Prediction> part = model_.predict(scratch->context, scratch->batch, top);
      for (std::size_t j = 0; j < members.size(); ++j) {
        predictions[static_cast<std::size_t>(members[j])] = std::move(part[j]);
      }
    }
  });
  return predictions;
}

std::vector<Prediction> Predictor::operator()(std::span<const Record> records, Index top) const {
  std::vector<const Record*> each;
  for (const Record& record : records) each.push_back(&record);
  return many(each, top, {});
}

std::vector<Prediction> Predictor::operator()(const Dataset& data, Index top) const {
  std::vector<const Record*> each;
  for (const Record& record : data.records) each.push_back(&record);
  return many(each, top, {});
}

std::vector<Prediction> Predictor::many(Records records, Index top, const Beside& beside) const {
  std::vector<const Record*> usual;
  std::vector<std::size_t> usual_places, long_places;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (may_be_long(*records[i])) {
      long_places.push_back(i);
    } else {
      usual.push_back(records[i]);
      usual_places.push_back(i);
    }
  }
  std::vector<Prediction> found = batches(RecordExamples(usual, model_), top, beside);
  if (long_places.empty()) return found;
  std::vector<Prediction> predictions(records.size());
  for (std::size_t i = 0; i < found.size(); ++i) predictions[usual_places[i]] = std::move(found[i]);
  std::atomic<std::size_t> taken = 0;
  const std::lock_guard lock(team_);
  workers_.run([&](int) {
    Lease scratch(*this);
    for (std::size_t i = taken++; i < long_places.size(); i = taken++) {
      const std::size_t place = long_places[i];
      predictions[place] = alone(*records[place], top, *scratch);
    }
  });
  return predictions;
}

// A stream of records, some at a time. While the workers answer some, one of them writes the
// answers to those before and reads those that follow, as far as they are there: nobody waits for a
// pipe.
class Predictor::Reading {
 public:
  Reading(const Predictor& owner, RecordSource& source, const Stream& stream)
      : owner_(owner), source_(source), stream_(stream) {}

  void run() {
    for (;;) {
      if (following_.empty() && more_ && !wrong_) {
        write();  // whoever waits for the next record has the answers to all before it
        read(Wait::kForFirst);
      }
      if (following_.empty()) break;
      answer(std::exchange(following_, {}));
    }
    write();
    if (wrong_) std::rethrow_exception(wrong_);
  }

 private:
  enum class Wait { kForFirst, kNever };

  // What is wrong with the source is kept until everything before it is answered.
  void read(Wait wait) {
    try {
      Index bytes = 0;
      while (more_ && following_.size() < kStreamed && bytes < kStreamedBytes &&
             ((following_.empty() && wait == Wait::kForFirst) || source_.ready())) {
        Record record;
        more_ = source_.next(record);
        if (!more_) break;
        if (kind_of(record.content) == ContentKind::kText) bytes += content_bytes(record);
        following_.push_back(std::move(record));
      }
    } catch (const Error&) {
      wrong_ = std::current_exception();
    }
  }

  void write() {
    const std::vector<Record> records = std::exchange(answered_, {});
    for (std::size_t i = 0; i < records.size(); ++i) stream_.answer(records[i], predictions_[i]);
    if (!records.empty()) flush();
  }

  void flush() const {
    if (stream_.flush) stream_.flush();
  }

  void answer(std::vector<Record> records) {
    std::vector<const Record*> each;
    for (const Record& record : records) each.push_back(&record);
    bool done = false;
    std::exception_ptr unwritten;
    const Beside beside = [&] {
      done = true;
      try {
        write();
        if (!wrong_) read(Wait::kNever);
      } catch (...) {
        unwritten = std::current_exception();
      }
    };
    std::vector<Prediction> predictions;
    bool together = true;
    try {
      predictions = owner_.many(each, stream_.top, beside);
    } catch (const Error&) {
      together = false;
    }
    if (!done) beside();
    if (unwritten) std::rethrow_exception(unwritten);
    if (together) {
      answered_ = std::move(records);
      predictions_ = std::move(predictions);
    } else {
      answer_one_by_one(records);
    }
  }

  // Up to the one that cannot be read, or without it.
  void answer_one_by_one(const std::vector<Record>& records) {
    for (const Record& record : records) {
      std::optional<Prediction> prediction;
      try {
        prediction = owner_(record, stream_.top);
      } catch (const UsageError&) {
        throw;
      } catch (const Error& error) {
        if (!stream_.bad) throw;
        stream_.bad(record, error);
      }
      if (prediction) stream_.answer(record, *prediction);
    }
    flush();
  }

  const Predictor& owner_;
  RecordSource& source_;
  const Stream& stream_;
  bool more_ = true;
  std::exception_ptr wrong_;  // with the record behind those that were read
  std::vector<Record> following_, answered_;
  std::vector<Prediction> predictions_;
};

void Predictor::operator()(RecordSource& source, const Stream& stream) const {
  Reading(*this, source, stream).run();
}

Predictor::Shares Predictor::shares(const Record& record) const {
  Lease scratch(*this);
  model_.prepare(record, scratch->batch);
  scratch->context.begin(Mode::kEvaluate);
  const Model::Scores scores = model_.scores(scratch->context, scratch->batch);
  const Index rows = scores.network.rows();
  if (rows != 1 && !model_.config().output->answers_rows()) {
    fail<UsageError>("shares", "expected one answer for the record, got {}", rows);
  }
  const auto all = [](const Var& var) {
    return var.value.data == nullptr
               ? std::vector<float>()
               : std::vector<float>(var.value.data, var.value.data + var.value.count());
  };
  return {all(scores.network), all(scores.wide), rows};
}

}  // namespace heed
