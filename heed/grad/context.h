#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "heed/grad/tape.h"
#include "heed/kernel/dropout.h"
#include "heed/tensor/layout.h"

namespace heed {

class AttentionTrace;
class KeptVectors;
class PackedWeights;

// A ragged batch of vectors: (rows, width), and which rows belong to which sequence.
struct Sequences {
  Var rows;
  Layout layout;
  // Rows that come again: the same number, the same vector, for as long as weights stay as they are
  // (Context::keep_weights); −1 where that is not known. Empty: of no row.
  std::span<const std::int32_t> kept{};

  Index width() const { return rows.columns(); }
};

// Dropout for one operation of a forward pass: applied sequence by sequence.
struct SequenceDropout {
  kernel::Dropout dropout;
  Layout layout;

  explicit operator bool() const { return static_cast<bool>(dropout); }
};

enum class Mode { kTrain, kEvaluate };

// Everything a forward pass needs besides the model: memory, tape, random numbers, mode, trace. A
// model is const and can be used by many threads at once, each with a Context of its own.
//
//   Context context;
//   context.begin(Mode::kTrain, &gradients, {seed, step});
//   Var loss = model(context, batch);
//   context.tape().backward(loss);
class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  struct Draw {
    std::uint64_t seed = 1;
    std::uint64_t step = 0;
  };

  // Begins a pass: everything of the last one becomes invalid. Without gradients nothing is
  // recorded.
  void begin(Mode mode, Gradients* gradients = nullptr, Draw draw = {1, 0});

  Mode mode() const { return mode_; }
  bool training() const { return mode_ == Mode::kTrain; }
  Arena& arena() { return arena_; }
  Tape& tape() { return tape_; }

  // A context for many passes inside one of this, such as the steps of decoding: what this one
  // holds stays valid. It is kept, and with it its memory.
  Context& inner();
  // Weights laid out for many passes, which linear layers use in evaluation. An inner context has
  // them.
  PackedWeights& packed();
  // From now on weights are packed, and those that are packed already are so anew, unless it is
  // promised that they stay: for whoever begins to use an inner context.
  void pack_anew();
  PackedWeights* packed_or_null() { return packed_.get(); }
  // A promise that weights stay as they are from pass to pass, as they do where a model answers:
  // from now on weights are packed, here and in the inner context, and layers keep vectors that
  // they would make again.
  void keep_weights();
  // The vectors that the layer with this table keeps; null without that promise, and in passes that
  // are recorded.
  KeptVectors* kept_vectors(const Parameter& table);

  // Bytes that this context holds: of everything it has computed so far, the most at a time.
  std::size_t memory() const;

  // Numbers from outside. NaN or infinity among them is a NumericError that names `what`.
  Var constant(const Tensor& value, const char* what = "input");
  Var parameter(const Parameter& parameter) {
    return tape_.parameters(parameter, 1, parameter.value.shape);
  }

  // Dropout for the next operation: its own stream of random numbers when training, none otherwise.
  kernel::Dropout dropout(float rate);
  SequenceDropout dropout(float rate, const Layout& layout) { return {dropout(rate), layout}; }

  // One of several passes, from 0, through the same layers with other rows of the same sequences.
  // Each draws random numbers of its own, and what follows draws the same however many there were.
  class Pass {
   public:
    Pass(Context& context, Index number);
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    Context& context_;
    bool first_;
    std::uint64_t key_, stream_;
  };

  // Asked by attention, once for each of its calls; null unless somebody set it.
  AttentionTrace* trace = nullptr;

 private:
  Arena arena_, scratch_;
  Tape tape_;
  Mode mode_ = Mode::kEvaluate;
  std::uint64_t key_ = 0;
  std::uint64_t stream_ = 0;
  std::unique_ptr<Context> inner_;
  std::unique_ptr<PackedWeights> packed_;
  bool keeps_weights_ = false;
  std::map<const Parameter*, KeptVectors> kept_vectors_;
};

}  // namespace heed
