#pragma once

#include <functional>

#include "heed/base/random.h"
#include "heed/data/batch.h"
#include "heed/data/dataset.h"
#include "heed/data/examples.h"
#include "heed/grad/context.h"
#include "heed/model/part.h"
#include "heed/model/plan.h"

namespace heed {

class Tokenizer;

// Sentences about a run, for whoever watches it.
using Notes = std::function<void(const std::string&)>;

// Where files that options name are: relative paths begin at the folder where the run began.
using FileFinder = std::function<std::string(const std::string&)>;

// Where the first values of a network may come from.
struct FirstValues {
  FileFinder at;
  Notes notes;
  const Examples& train;  // what it will learn from
  int workers = 1;
};

// The network side of an input: sequences of a batch → vectors.
//   (rows, width), rows being the sum of batch.lengths
class InputNetwork {
 public:
  virtual ~InputNetwork() = default;
  virtual Sequences operator()(Context& context, const Batch& batch) const = 0;
  // What training adds to the loss of the answers, from the body's vectors of the batch and divided
  // by batch.whole_weight like that; no value where there is nothing.
  virtual Var loss(Context& /*context*/, const Sequences& /*body*/, const Batch& /*batch*/) const {
    return {};
  }
  virtual void describe(Plan& plan) const = 0;

  // For language models (Input::token_problem): the table by which outputs score the next token,
  // (tokens, width), and the vectors of tokens that follow.
  virtual const Parameter* table() const { return nullptr; }
  virtual Sequences embed(Context& context, std::span<const std::int32_t> tokens,
                          const Layout& layout) const;
};

// One kind of input, all of its side: what it learns from the training records (a vocabulary, a
// mean and variance), how a record becomes a sequence, and the network that makes vectors of it.
// Const calls are safe from several threads.
class Input : public Part {
 public:
  virtual std::unique_ptr<Input> clone() const = 0;

  // What files for it hold.
  virtual ContentKind content() const { return ContentKind::kText; }
  virtual bool reads(const Content& content) const = 0;
  // Reads the files that a record names, those of its answer too: what is wrong with one is a
  // FormatError or IoError. For whoever leaves out such records before anything is learned.
  virtual void check(const Record&) const {}
  // Before anything is aligned: what it decides by all records, those that will be held out too,
  // such as the size of pictures.
  virtual void survey(const Dataset& /*all*/) {}
  // Makes an answer for spans of time or for pixels one for each row that prepare() will give.
  virtual void align(Record&) const {}
  // Learns from the training records; before that, and before load(), nothing can be prepared.
  virtual void fit(const Dataset& train) = 0;
  // Appends a sequence: batch.lengths and batch.input.
  virtual void prepare(const Content& content, Batch& batch) const = 0;
  // The same for a text that is to be continued: of one that is too long the end is read.
  virtual void prepare_prompt(const Content& content, Batch& batch) const {
    prepare(content, batch);
  }
  // Changes the last sequence of a batch at random, each time that it is loaded to learn from: a
  // part of a recording, a picture that is shifted. Returns which of its rows stayed.
  struct Rows {
    Index first = 0, count = 0;
  };
  virtual Rows vary(Batch& batch, Random& /*random*/) const { return {0, batch.lengths.back()}; }
  // Mixup (Zhang et al. 2018): sequences are mixed in pairs, by shares of Beta(mixup, mixup); 0:
  // not.
  virtual float mixup() const { return 0.0f; }
  // The last sequence of `batch` becomes (1 − share) of itself and `share` of the last one of
  // `other`; its length stays.
  virtual void mix(Batch& /*batch*/, const Batch& /*other*/, float /*share*/) const {}
  // The rows that vary() leaves of a sequence of so many.
  virtual Index varied_length(Index rows) const { return rows; }
  // The seconds of a recording that a row stands for; 0 where rows are not time.
  virtual double row_seconds() const { return 0.0; }
  // What it learned, in a few words: "20,000 words".
  virtual std::string summary() const = 0;
  // Why its rows cannot each have an answer, as "tokenizer.kind bpe: …"; empty where they can.
  virtual std::string row_problem() const { return {}; }
  // Why a language model cannot predict its rows, as "tied false: …"; empty where it can. Then its
  // rows are tokens, in the first column of batch.input, behind a first one, which stands for the
  // begin and the end of a text and is number size() of its tokenizer.
  virtual std::string token_problem() const { return "kind: its rows are not tokens"; }
  virtual std::shared_ptr<const Tokenizer> shared_tokenizer() const { return nullptr; }
  // The most rows of a sequence that it gives; 0: any number.
  virtual Index longest() const { return 0; }
  // Whether the training data had this word.
  virtual bool knows(std::string_view /*word*/) const { return false; }
  // Divides a content that is too long to be read at once, somewhere near its middle. False where
  // it cannot be divided.
  virtual bool halve(const Content&, Content& /*front*/, Content& /*back*/) const { return false; }

  virtual std::unique_ptr<InputNetwork> network(const Scope& scope, Index width) const = 0;
  // Puts values from elsewhere into the parameters of a network made in that scope.
  virtual void initialize(const Scope&, const FirstValues&) const {}
};

}  // namespace heed
