#include "heed/model/predictor.h"

#include <atomic>
#include <exception>
#include <optional>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr Index kBatchRows = 2048;
constexpr std::size_t kStreamed = 2048;  // records of a stream that are answered together

// Examples that are made of records as they are needed.
class RecordExamples : public Examples {
 public:
  RecordExamples(std::span<const Record> records, const Model& model)
      : records_(records), model_(model) {
    for (const Record& record : records) {
      // A rough guess is enough: lengths only group records of similar size.
      lengths_.push_back(1 + content_bytes(record) / 6);
    }
  }

  Index count() const override { return std::ssize(records_); }
  Index length(Index example) const override { return lengths_[static_cast<std::size_t>(example)]; }
  void load(Index example, Batch& batch) const override {
    model_.prepare(records_[static_cast<std::size_t>(example)], batch);
  }

 private:
  std::span<const Record> records_;
  const Model& model_;
  std::vector<Index> lengths_;
};

}  // namespace

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

 private:
  const Predictor& owner_;
  std::unique_ptr<Scratch> scratch_;
};

Predictor::Predictor(const Model& model, int workers) : model_(model), workers_(workers) {}
Predictor::~Predictor() = default;

Prediction Predictor::operator()(const Record& record, Index top) const {
  Lease scratch(*this);
  model_.prepare(record, scratch->batch);
  scratch->context.begin(Mode::kEvaluate);
  return std::move(model_.predict(scratch->context, scratch->batch, top).front());
}

std::vector<Prediction> Predictor::operator()(const Examples& examples, Index top) const {
  const auto batches = Batcher(examples.lengths(), {.rows = kBatchRows}).in_order();
  std::vector<Prediction> predictions(static_cast<std::size_t>(examples.count()));
  // The longest first, each taken by whoever is free.
  std::atomic<std::size_t> taken = 0;
  const std::lock_guard lock(team_);
  workers_.run([&](int) {
    Lease scratch(*this);
    for (std::size_t i = taken++; i < batches.size(); i = taken++) {
      const std::vector<Index>& members = batches[batches.size() - 1 - i];
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
  return (*this)(RecordExamples(records, model_), top);
}

// All at once; where one of them cannot be read, one by one up to it, or without it.
void Predictor::answer(std::span<const Record> records, const Stream& stream) const {
  std::vector<Prediction> predictions;
  try {
    predictions = (*this)(records, stream.top);
  } catch (const Error&) {
    for (const Record& record : records) {
      std::optional<Prediction> prediction;
      try {
        prediction = (*this)(record, stream.top);
      } catch (const UsageError&) {
        throw;
      } catch (const Error& error) {
        if (!stream.bad) throw;
        stream.bad(record, error);
      }
      if (prediction) stream.answer(record, *prediction);
    }
    return;
  }
  for (std::size_t i = 0; i < records.size(); ++i) stream.answer(records[i], predictions[i]);
}

void Predictor::operator()(RecordSource& source, const Stream& stream) const {
  std::vector<Record> records;
  for (bool more = true; more;) {
    records.clear();
    std::exception_ptr wrong;  // with what comes next; what came before it is answered first
    try {
      while (records.size() < kStreamed && (records.empty() || source.ready())) {
        Record record;
        more = source.next(record);
        if (!more) break;
        records.push_back(std::move(record));
      }
    } catch (const Error&) {
      wrong = std::current_exception();
    }
    answer(records, stream);
    if (stream.flush) stream.flush();
    if (wrong) std::rethrow_exception(wrong);
  }
}

Predictor::Shares Predictor::shares(const Record& record) const {
  Lease scratch(*this);
  model_.prepare(record, scratch->batch);
  scratch->context.begin(Mode::kEvaluate);
  const Model::Scores scores = model_.scores(scratch->context, scratch->batch);
  if (scores.network.rows() != 1) {
    fail<UsageError>("shares", "expected one answer for the record, got {}", scores.network.rows());
  }
  const auto row = [](const Var& var) {
    return var.value.data == nullptr
               ? std::vector<float>()
               : std::vector<float>(var.value.data, var.value.data + var.value.count());
  };
  return {row(scores.network), row(scores.wide)};
}

}  // namespace heed
