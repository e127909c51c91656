#include <gtest/gtest.h>

#include "heed/grad/crf.h"
#include "heed/grad/ctc.h"
#include "tests/reference/sequence_loss.h"
#include "tests/support/layouts.h"

namespace heed::test {
namespace {

class SequenceLoss : public testing::Test {
 protected:
  SequenceLoss() : gradients(none) { context.begin(Mode::kTrain, &gradients); }

  Var variable(const Shape& shape, float deviation) {
    const Tensor tensor = context.arena().tensor(shape);
    for (float& value : tensor.span()) value = deviation * random.normal();
    return context.tape().variable(tensor);
  }
  std::vector<std::int32_t> draw(Index count, Index first, Index bound) {
    std::vector<std::int32_t> ids;
    for (Index i = 0; i < count; ++i) {
      const auto range = static_cast<std::uint32_t>(bound - first);
      ids.push_back(static_cast<std::int32_t>(first + random.below(range)));
    }
    return ids;
  }
  template <typename E = ShapeError, typename Body>
  void expect_message(const std::string& message, Body body) {
    try {
      body();
      ADD_FAILURE() << "nothing was thrown, expected " << message;
    } catch (const E& error) {
      EXPECT_EQ(error.what(), message);
    }
  }
  // Softmax and chain alike: the gradients of one row's scores sum to zero.
  void expect_rows_sum_to_zero(const Tensor& gradient) {
    for (Index row = 0; row < gradient.rows(); ++row) {
      double sum = 0.0;
      for (Index c = 0; c < gradient.columns(); ++c) sum += gradient.row(row)[c];
      EXPECT_NEAR(sum, 0.0, 1e-5) << "row " << row;
    }
  }

  Parameters none;
  Gradients gradients;
  Context context;
  Random random{41};
};

reference::Matrix<double> matrix_of(const Tensor& tensor, Index begin, Index rows) {
  const Index columns = tensor.columns();
  return {
      static_cast<int>(rows), static_cast<int>(columns),
      std::vector<double>(tensor.data + begin * columns, tensor.data + (begin + rows) * columns)};
}

std::vector<double> doubles_of(const Tensor& tensor) {
  return {tensor.span().begin(), tensor.span().end()};
}

// With nothing to gain from a transition, every row chooses for itself.
TEST_F(SequenceLoss, CrfWithoutTransitionsIsCrossEntropy) {
  const std::vector<Index> lengths = {40, 1, 23};
  const auto targets = draw(64, 0, 9);
  const Var emissions = variable({64, 9}, 2.0f);
  const grad::CrfParameters flat{variable({9, 9}, 0.0f), variable({9}, 0.0f), variable({9}, 0.0f)};
  const Var chain = grad::crf(context, {emissions, layout_of(context, lengths)}, flat, targets,
                              {.divisor = 64.0f});
  const Var rows = grad::cross_entropy(context, emissions, targets);
  EXPECT_NEAR(chain.value[0], rows.value[0], 1e-5);
}

TEST_F(SequenceLoss, CrfOfALongSequenceIsFiniteAndBalanced) {
  const Index rows = 3000, tags = 17;
  const std::vector<Index> lengths = {rows};
  const auto targets = draw(rows, 0, tags);
  const Var emissions = variable({rows, tags}, 3.0f), transitions = variable({tags, tags}, 2.0f);
  const Var start = variable({tags}, 1.0f), end = variable({tags}, 1.0f);
  const Var loss = grad::crf(context, {emissions, layout_of(context, lengths)},
                             {transitions, start, end}, targets);
  EXPECT_GT(loss.value[0], 0.0f);
  EXPECT_EQ(context.tape().backward_watched(loss), "");
  expect_rows_sum_to_zero(context.tape().gradient(emissions));
  double sum = 0.0;
  for (const float value : context.tape().gradient(transitions).span()) sum += value;
  EXPECT_NEAR(sum, 0.0, 1e-2);  // 2,999 pairs expected, 2,999 seen
}

// −10,000 is how people forbid a transition; the rest must be as if it did not exist.
TEST_F(SequenceLoss, CrfTakesForbiddenTransitions) {
  const std::vector<Index> lengths = {5, 1, 3};
  const std::vector<std::int32_t> targets = {0, 1, 2, 0, 1, 2, 1, 2, 2};
  const Var emissions = variable({9, 3}, 1.0f), transitions = variable({3, 3}, 1.0f);
  const Var start = variable({3}, 1.0f), end = variable({3}, 1.0f);
  for (const auto& [from, to] : {std::pair<Index, Index>{0, 2}, {2, 1}, {1, 0}}) {
    transitions.value[from * 3 + to] = -10000.0f;
  }
  start.value[2] = -10000.0f;  // and yet the second sequence is tagged 2
  const Var loss = grad::crf(context, {emissions, layout_of(context, lengths)},
                             {transitions, start, end}, targets, {.divisor = 1.0f});
  const reference::Crf<double> slow{matrix_of(transitions.value, 0, 3), doubles_of(start.value),
                                    doubles_of(end.value)};
  const double expected = slow.loss(matrix_of(emissions.value, 0, 5), {0, 1, 2, 0, 1}) +
                          slow.loss(matrix_of(emissions.value, 5, 1), {2}) +
                          slow.loss(matrix_of(emissions.value, 6, 3), {1, 2, 2});
  EXPECT_NEAR(loss.value[0], expected, 1e-6 * expected);
  EXPECT_EQ(context.tape().backward_watched(loss), "");
  expect_rows_sum_to_zero(context.tape().gradient(emissions));
}

// Where every way is forbidden, the least forbidden one still counts.
TEST_F(SequenceLoss, CrfWhereEverythingIsForbidden) {
  const std::vector<Index> lengths = {4};
  const std::vector<std::int32_t> targets = {0, 1, 1, 0};
  const Var emissions = variable({4, 2}, 1.0f), transitions = variable({2, 2}, 1.0f);
  const Var start = variable({2}, 1.0f), end = variable({2}, 1.0f);
  emissions.value[0 * 2 + 1] = -4000.0f;  // the first row is 0, from which nothing may follow
  transitions.value[0] = -3000.0f;
  transitions.value[1] = -3001.0f;
  const Var loss = grad::crf(context, {emissions, layout_of(context, lengths)},
                             {transitions, start, end}, targets);
  const reference::Crf<double> slow{matrix_of(transitions.value, 0, 2), doubles_of(start.value),
                                    doubles_of(end.value)};
  const auto scores = matrix_of(emissions.value, 0, 4);
  EXPECT_NEAR(loss.value[0], slow.loss(scores, {0, 1, 1, 0}), 1e-4);
  context.tape().backward(loss);
  const double step = 1e-4;  // of a difference quotient, in double
  for (int row = 0; row < 4; ++row) {
    for (int tag = 0; tag < 2; ++tag) {
      auto more = scores, less = scores;
      more(row, tag) += step;
      less(row, tag) -= step;
      const double slope =
          (slow.loss(more, {0, 1, 1, 0}) - slow.loss(less, {0, 1, 1, 0})) / (2.0 * step);
      EXPECT_NEAR(context.tape().gradient(emissions)[row * 2 + tag], slope, 1e-5);
    }
  }
  for (int pair = 0; pair < 4; ++pair) {
    auto more = slow, less = slow;
    more.transitions.values[static_cast<std::size_t>(pair)] += step;
    less.transitions.values[static_cast<std::size_t>(pair)] -= step;
    const double slope =
        (more.loss(scores, {0, 1, 1, 0}) - less.loss(scores, {0, 1, 1, 0})) / (2.0 * step);
    EXPECT_NEAR(context.tape().gradient(transitions)[pair], slope, 1e-5);
  }
}

// What went wrong before must not disappear in a sum.
TEST_F(SequenceLoss, NanComesOut) {
  const std::vector<Index> lengths = {3};
  const std::vector<std::int32_t> targets = {1, 2, 1};
  const grad::CrfParameters chain{variable({3, 3}, 1.0f), variable({3}, 1.0f), variable({3}, 1.0f)};
  for (Index place = 0; place < 9; ++place) {
    const Sequences x{variable({3, 3}, 1.0f), layout_of(context, lengths)};
    x.rows.value[place] = std::nanf("");
    EXPECT_FALSE(std::isfinite(grad::crf(context, x, chain, targets).value[0])) << place;
    EXPECT_FALSE(std::isfinite(grad::ctc(context, x, {targets, lengths}).value[0])) << place;
  }
}

TEST_F(SequenceLoss, ViterbiFindsTheBestOfAllSequences) {
  const std::vector<Index> lengths = {5, 0, 1, 4, 6};
  for (int round = 0; round < 20; ++round) {
    const Var emissions = variable({16, 3}, 1.0f), transitions = variable({3, 3}, 1.0f);
    const Var start = variable({3}, 1.0f), end = variable({3}, 1.0f);
    const auto tags =
        grad::viterbi({emissions, layout_of(context, lengths)}, {transitions, start, end});
    const reference::Crf<double> slow{matrix_of(transitions.value, 0, 3), doubles_of(start.value),
                                      doubles_of(end.value)};
    std::vector<std::int32_t> expected;
    Index begin = 0;
    for (const Index length : lengths) {
      if (length == 0) continue;
      const auto best = slow.best(matrix_of(emissions.value, begin, length));
      expected.insert(expected.end(), best.begin(), best.end());
      begin += length;
    }
    EXPECT_EQ(tags, expected) << "round " << round;
  }
}

TEST_F(SequenceLoss, CrfRefusesWhatDoesNotFit) {
  const std::vector<Index> lengths = {2, 1}, empty = {3, 0};
  const Sequences emissions{variable({3, 4}, 1.0f), layout_of(context, lengths)};
  const grad::CrfParameters good{variable({4, 4}, 1.0f), variable({4}, 1.0f), variable({4}, 1.0f)};
  const auto refused = [&](const std::string& message, const Sequences& x,
                           const grad::CrfParameters& parameters,
                           const std::vector<std::int32_t>& targets) {
    expect_message("[crf] expected " + message,
                   [&] { grad::crf(context, x, parameters, targets); });
  };
  refused("3 targets, got 2", emissions, good, {0, 1});
  refused("indices from 0 to 3, got 4 at place 1", emissions, good, {0, 4, 1});
  refused("indices from 0 to 3, got -1 at place 2", emissions, good, {0, 1, grad::kIgnored});
  refused("sequences of at least one row, sequence 1 is empty",
          {emissions.rows, layout_of(context, empty)}, good, {0, 1, 2});
  refused("at least one sequence, got none", {variable({0, 4}, 1.0f), layout_of(context, {})}, good,
          {});
  refused("transitions of (4, 4), got (4, 3)", emissions,
          {variable({4, 3}, 1.0f), good.start, good.end}, {0, 1, 2});
  refused("end of (4), got (5)", emissions, {good.transitions, good.start, variable({5}, 1.0f)},
          {0, 1, 2});
  const std::vector<std::int32_t> targets = {0, 1, 2};
  EXPECT_THROW(grad::crf(context, emissions, good, targets, {.smoothing = 0.1f}), UsageError);
  EXPECT_THROW(grad::viterbi(emissions, {good.transitions, good.start, variable({5}, 1.0f)}),
               ShapeError);
}

TEST_F(SequenceLoss, CtcOfALongSequenceIsFiniteAndBalanced) {
  const std::vector<Index> lengths = {1500, 300}, label_lengths = {400, 1};
  const auto labels = draw(401, 1, 30);
  const Var logits = variable({1800, 30}, 3.0f);
  const Var loss =
      grad::ctc(context, {logits, layout_of(context, lengths)}, {labels, label_lengths});
  EXPECT_GT(loss.value[0], 1000.0f);
  EXPECT_TRUE(std::isfinite(loss.value[0]));
  EXPECT_EQ(context.tape().backward_watched(loss), "");
  expect_rows_sum_to_zero(context.tape().gradient(logits));
}

// As many labels as rows leave one path: the loss is that of each row by itself.
TEST_F(SequenceLoss, CtcWithALabelForEachRowIsCrossEntropy) {
  const std::vector<Index> lengths = {50};
  std::vector<std::int32_t> labels;
  for (std::int32_t i = 0; i < 50; ++i) labels.push_back(1 + i % 7);
  const Var logits = variable({50, 9}, 2.0f);
  const Var paths = grad::ctc(context, {logits, layout_of(context, lengths)}, {labels, lengths});
  const Var rows = grad::cross_entropy(context, logits, labels, {.divisor = 1.0f});
  EXPECT_NEAR(paths.value[0], rows.value[0], 1e-6 * rows.value[0]);
}

TEST_F(SequenceLoss, CtcRefusesWhatDoesNotFit) {
  const std::vector<Index> lengths = {3, 2};
  const Sequences logits{variable({5, 4}, 1.0f), layout_of(context, lengths)};
  const auto refused = [&](const std::string& message, const std::vector<std::int32_t>& ids,
                           const std::vector<Index>& label_lengths,
                           const grad::CtcOptions& options = {}) {
    expect_message("[ctc] expected " + message, [&] {
      grad::ctc(context, logits, {ids, label_lengths}, options);
    });
  };
  refused("labels for 2 sequences, got 1", {1}, {1});
  refused("3 labels, as their lengths say, got 2", {1, 2}, {1, 2});
  refused("lengths of at least 0, got -1", {1}, {2, -1});
  refused("indices from 0 to 3, got 4 at place 1", {1, 4}, {1, 1});
  refused("labels other than the blank 0, got it at place 1", {1, 0}, {1, 1});
  refused("labels other than the blank 2, got it at place 0", {2, 0}, {1, 1}, {.blank = 2});
  refused("a blank from 0 to 3, got 4", {1, 2}, {1, 1}, {.blank = 4});
  refused("at least 3 rows for the 2 labels of sequence 1, got 2", {1, 2, 2}, {1, 2});
  refused("at least 4 rows for the 4 labels of sequence 0, got 3", {1, 2, 3, 1, 2}, {4, 1});
  expect_message("[ctc] expected at least one sequence, got none", [&] {
    grad::ctc(context, {variable({0, 4}, 1.0f), layout_of(context, {})}, {});
  });
}

}  // namespace
}  // namespace heed::test
