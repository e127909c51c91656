#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/workers.h"
#include "heed/data/examples.h"
#include "heed/data/record_source.h"
#include "heed/model/model.h"

namespace heed {

// A model that answers: it keeps the memory that answering needs, and a team of workers, from one
// call to the next. What is too long to be read at once (Input::halve) is read in pieces, so that
// memory stays flat: rows are answered one piece after another, a whole text by the mean of its
// pieces. Examples that are prepared already are never divided.
//
// Safe to call from several threads at once: single answers run side by side,
// those that use the team one after another.
class Predictor {
 public:
  // Whether the model learns while it answers. What stays is laid out once for all answers.
  enum class Weights { kChange, kStay };

  // The model must outlive it.
  Predictor(const Model& model, int workers, Weights weights = Weights::kChange);
  ~Predictor();

  const Model& model() const { return model_; }

  // One answer, on the thread of the caller.
  Prediction operator()(const Record& record, Index top = 1) const;
  // Many, in their order, by all workers.
  std::vector<Prediction> operator()(const Examples& examples, Index top = 1) const;
  std::vector<Prediction> operator()(std::span<const Record> records, Index top = 1) const;
  std::vector<Prediction> operator()(const Dataset& data, Index top = 1) const;

  // The text that a model which writes texts (Output::writes) writes for one record, on the thread
  // of the caller: `piece` is called with each bit of it as soon as it is certain.
  Prediction write(const Record& record, const std::function<void(std::string_view)>& piece) const;

  // Everything that a source has, in order and with flat memory. Where the next record is still to
  // be written, into a pipe or a terminal, answers come without waiting for it. What is wrong with
  // the source is thrown after everything before it is answered. The source is read and answers are
  // given while others are computed, by a worker, one call at a time.
  struct Stream {
    Index top = 1;
    std::function<void(const Record&, const Prediction&)> answer;
    std::function<void()> flush;  // nothing more can be answered at once; may be empty
    // A record whose file cannot be read: it is passed over. Empty: that is thrown.
    std::function<void(const Record&, const Error&)> bad = {};
  };
  void operator()(RecordSource& source, const Stream& stream) const;

  // The scores of each class (logits), and of these what the wide part added: for a record of which
  // there is one answer, or one for each row, whose scores stand one after another. See
  // Model::scores().
  struct Shares {
    std::vector<float> network, wide;
    Index rows = 1;
  };
  Shares shares(const Record& record) const;

 private:
  struct Scratch;
  class Lease;
  class Pieces;

  class Reading;

  using Records = std::span<const Record* const>;
  using Beside = std::function<void()>;  // must not throw; may be empty
  // `beside` is done by the first worker, before its share of the answers.
  std::vector<Prediction> batches(const Examples& examples, Index top, const Beside& beside) const;
  std::vector<Prediction> many(Records records, Index top, const Beside& beside) const;
  Prediction alone(const Record& record, Index top, Scratch& scratch) const;
  enum class Length { kLimited, kAny };
  std::optional<Prediction> at_once(const Record& record, Index top, Length length,
                                    Scratch& scratch) const;
  void add_pieces(const Record& record, Pieces& pieces, Scratch& scratch) const;

  const Model& model_;
  Weights weights_;
  mutable std::mutex team_;  // held by whoever uses the workers
  mutable Workers workers_;
  mutable std::mutex pool_;
  mutable std::vector<std::unique_ptr<Scratch>> free_;
};

}  // namespace heed
