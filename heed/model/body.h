#pragma once

#include <span>

#include "heed/grad/context.h"
#include "heed/model/part.h"
#include "heed/model/plan.h"

namespace heed {

// What the network of a body keeps of the rows that it has read, where more of them will follow:
// keys and values, or the state of a recurrence. Lives outside the context.
class BodyState {
 public:
  virtual ~BodyState() = default;
  // Keeps only these sequences, in this order, each perhaps more than once.
  virtual void keep(std::span<const Index> sequences) = 0;
};

// The network of a body: vectors → vectors that know each other.
//   (rows, width) → (rows, width)
class BodyNetwork {
 public:
  virtual ~BodyNetwork() = default;
  virtual Sequences operator()(Context& context, const Sequences& x) const = 0;
  virtual void describe(Plan& plan) const = 0;

  // Reading on, for evaluation: begin() before the first rows, then next() with one or more rows of
  // each sequence, as if all of it were read at once. Only where causal_problem() is empty.
  virtual std::unique_ptr<BodyState> begin() const { return nullptr; }
  virtual Sequences next(Context& context, const Sequences& x, BodyState& state) const;
};

// One kind of body. It gets a width and its own options, nothing else.
class Body : public Part {
 public:
  virtual std::unique_ptr<Body> clone() const = 0;

  // What is wrong with its options at this width, as "heads: a divisor of the width 30"; empty
  // where they fit.
  virtual std::string problem(Index /*width*/) const { return {}; }
  // Why a row knows later ones, as "bidirectional true: …"; empty where none does. Language models
  // need that.
  virtual std::string causal_problem() const {
    return "kind: its rows know those behind them; expected attention, lstm, gru or rnn";
  }
  // The most rows of a sequence that it can read; 0: any number.
  virtual Index longest() const { return 0; }
  // Sequences of so many rows will come: tables that are computed, not learned, may grow.
  virtual void expect_rows(Index /*rows*/) {}
  // The seconds of a recording that a row stands for; 0 where rows are not time. Called before
  // network().
  virtual void expect_row_seconds(double /*seconds*/) {}
  // Why it can only read rows that are time, as "seconds.before 2: …"; empty where it reads any.
  virtual std::string timeless_problem() const { return {}; }
  // Rows that it reads at a time, where longer sequences are read in segments; 0: all.
  virtual Index segment() const { return 0; }
  virtual std::unique_ptr<BodyNetwork> network(const Scope& scope, Index width) const = 0;
};

}  // namespace heed
