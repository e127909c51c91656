#include "heed/grad/check.h"

#include <gtest/gtest.h>

#include "heed/grad/attention.h"
#include "heed/grad/embedding.h"
#include "heed/grad/heads.h"
#include "heed/grad/linear.h"
#include "heed/grad/loss.h"
#include "heed/grad/norm.h"
#include "heed/grad/parts.h"
#include "heed/grad/pool.h"
#include "heed/grad/sequence.h"
#include "tests/support/layouts.h"

namespace heed::test {
namespace {

// Each message names the operation, what was expected and what came.
class Checks : public testing::Test {
 protected:
  Checks() { context.begin(Mode::kTrain); }

  Var zeros(const Shape& shape) { return {context.arena().zeros(shape)}; }
  Sequences sequences(const std::vector<Index>& lengths, Index width) {
    return {zeros({total(lengths), width}), layout_of(context, lengths)};
  }
  Layout layout(const std::vector<Index>& lengths) { return layout_of(context, lengths); }

  template <typename E = ShapeError, typename Body>
  void expect_message(const std::string& message, Body body) {
    try {
      body();
      ADD_FAILURE() << "nothing was thrown, expected " << message;
    } catch (const E& error) {
      EXPECT_EQ(error.what(), message);
    } catch (const std::exception& error) {
      ADD_FAILURE() << "another kind of error: " << error.what();
    }
  }

  Context context;
};

TEST_F(Checks, Shape) {
  EXPECT_NO_THROW(grad::expect_shape("op", "x", zeros({2, 3}), {2, 3}));
  expect_message("[op] expected x of (2, 3), got (3, 2)", [&] {
    grad::expect_shape("op", "x", zeros({3, 2}), {2, 3});
  });
}

TEST_F(Checks, Matrix) {
  EXPECT_NO_THROW(grad::expect_matrix("op", "x", zeros({0, 3})));
  expect_message("[op] expected x of (rows, columns), got (3)",
                 [&] { grad::expect_matrix("op", "x", zeros({3})); });
}

TEST_F(Checks, CountsOfEmbeddingMean) {
  Parameters parameters;
  const Parameter& table = parameters.add("table", {3, 2}, Init::constant(0.0f));
  const std::vector<std::int32_t> ids = {0, 1}, negative = {3, -1}, few = {1};
  expect_message("[embedding_mean] expected counts of 0 or more, got -1",
                 [&] { grad::embedding_mean(context, ids, negative, table); });
  expect_message("[embedding_mean] expected as many ids as the counts of 1 rows say, got 2",
                 [&] { grad::embedding_mean(context, ids, few, table); });
}

TEST_F(Checks, Rows) {
  EXPECT_NO_THROW(grad::expect_rows("op", sequences({2, 0, 1}, 4)));
  expect_message("[op] expected 3 rows, as the layout of 2 sequences says, got 4", [&] {
    grad::expect_rows("op", {zeros({4, 2}), layout({2, 1})});
  });
  expect_message("[op] expected rows of (rows, columns), got (2, 1, 2)", [&] {
    grad::expect_rows("op", {zeros({2, 1, 2}), layout({2})});
  });
}

TEST_F(Checks, NotEmpty) {
  EXPECT_NO_THROW(grad::expect_not_empty("op", layout({1, 2})));
  expect_message("[op] expected at least one sequence, got none",
                 [&] { grad::expect_not_empty("op", layout({})); });
  // The number is that of the whole batch, of which this may be a part.
  const std::vector<Index> lengths = {1, 0};
  expect_message("[op] expected sequences of at least one row, sequence 11 is empty",
                 [&] { grad::expect_not_empty("op", Layout::of(context.arena(), lengths, 10)); });
}

TEST_F(Checks, Ids) {
  const std::vector<std::int32_t> ids = {0, 4, 2};
  EXPECT_NO_THROW(grad::expect_ids("op", ids, 5));
  expect_message("[op] expected indices from 0 to 3, got 4 at place 1",
                 [&] { grad::expect_ids("op", ids, 4); });
  expect_message("[op] expected indices from 0 to 3, got -2 at place 0",
                 [&] { grad::expect_ids("op", std::vector<std::int32_t>{-2}, 4); });
}

TEST_F(Checks, Dropout) {
  const SequenceDropout dropout = context.dropout(0.5f, layout({2, 1}));
  EXPECT_NO_THROW(grad::expect_dropout("op", dropout, 3));
  EXPECT_NO_THROW(grad::expect_dropout("op", {}, 4));
  expect_message("[op] expected dropout for 4 rows, got a layout of 3",
                 [&] { grad::expect_dropout("op", dropout, 4); });
}

TEST_F(Checks, LinearAndItsKin) {
  expect_message("[linear] expected x of (rows, 4) for a weight of (5, 4), got (2, 3)", [&] {
    grad::linear(context, zeros({2, 3}), zeros({5, 4}), {});
  });
  expect_message("[linear] expected bias of (5), got (4)", [&] {
    grad::linear(context, zeros({2, 3}), zeros({5, 3}), zeros({4}));
  });
  const grad::Rotation rotation(context, layout({2}), layout({2}), {.count = 1, .depth = 2});
  const auto end = [&](kernel::Activation activation) {
    return grad::LinearEnd{.activation = activation, .rotation = rotation};
  };
  expect_message("[linear] expected a rotation of (3, 5 or fewer), got (2, 2)", [&] {
    grad::linear(context, zeros({3, 4}), zeros({5, 4}), {}, end(kernel::Activation::kNone));
  });
  expect_message("[linear] expected a rotation of (2, 1 or fewer), got (2, 2)", [&] {
    grad::linear(context, zeros({2, 4}), zeros({1, 4}), {}, end(kernel::Activation::kNone));
  });
  EXPECT_THROW(
      grad::linear(context, zeros({2, 4}), zeros({5, 4}), {}, end(kernel::Activation::kRelu)),
      UsageError);
  expect_message("[product] expected x of (rows, 5) for a weight of (5, 4), got (2, 3)", [&] {
    grad::product(context, zeros({2, 3}), zeros({5, 4}));
  });
  expect_message("[multiply] expected right of (2, 3), got (3, 2)", [&] {
    grad::multiply(context, zeros({2, 3}), zeros({3, 2}));
  });
  expect_message("[norm] expected gain of (3), got (2)", [&] {
    grad::norm(context, zeros({2, 3}), {kernel::Norm::kLayer, zeros({2}), {}});
  });
  expect_message("[unit_length] expected columns in groups of 2, got (2, 3)", [&] {
    grad::unit_length(context, zeros({2, 3}), 2);
  });
}

TEST_F(Checks, EmbeddingAndPositions) {
  Parameters parameters;
  const Parameter& table = parameters.add("table", {3, 2}, Init::constant(0.0f));
  expect_message("[embedding] expected indices from 0 to 2, got 3 at place 1", [&] {
    grad::embedding(context, std::vector<std::int32_t>{0, 3}, table);
  });
  expect_message(
      "[add_positions] expected sequences of at most 2 rows (the positions there are), sequence 1 "
      "has 3",
      [&] {
        const Sequences x = sequences({2, 3}, 4);
        grad::add_positions(context, x, x.layout, zeros({2, 4}));
      });
  expect_message("[add_positions] expected table of (9, 4), got (9, 5)", [&] {
    const Sequences x = sequences({2, 3}, 4);
    grad::add_positions(context, x, x.layout, zeros({9, 5}));
  });
}

TEST_F(Checks, Heads) {
  const Sequences x = sequences({2, 3}, 6);
  expect_message("[rotary] expected an even depth per head, got 3",
                 [&] { grad::rotary(context, x, x.layout, 3); });
  expect_message("[rotary] expected heads of 4 columns, got (5, 6)",
                 [&] { grad::rotary(context, x, x.layout, 4); });
  expect_message("[rotary] expected positions for 2 sequences, got 1",
                 [&] { grad::rotary(context, x, layout({5}), 2); });
  expect_message("[rotary] expected at least 3 positions for sequence 1, got 2", [&] {
    grad::rotary(context, x, layout({2, 2}), 2);
  });
  expect_message("[cool_heads] expected columns in 4 heads, got (5, 6)",
                 [&] { grad::cool_heads(context, x.rows, zeros({4})); });
  expect_message("[head_product] expected x of (5, 8), got (5, 6)", [&] {
    grad::head_product(context, x.rows, zeros({2, 4, 3}));
  });
  expect_message("[average_heads] expected columns in 4 heads, got (5, 6)",
                 [&] { grad::average_heads(context, x.rows, 4); });
}

TEST_F(Checks, Sequences) {
  const heed::Sequences x = sequences({2, 3}, 4);
  expect_message("[concatenate] expected 2 sequences of width 4, got 1 of width 4",
                 [&] { grad::concatenate(context, x, sequences({5}, 4)); });
  expect_message("[prepend] expected rows of (1, 4), got (1, 3)", [&] {
    grad::prepend(context, zeros({1, 3}), x);
  });
  expect_message("[last_rows] expected at most 3 rows of sequence 1, got 4", [&] {
    grad::last_rows(context, x, layout({1, 4}));
  });
  expect_message("[last_rows] expected a layout of 2 sequences, got 1",
                 [&] { grad::last_rows(context, x, layout({1})); });
  expect_message("[last_rows] expected a layout of 0 sequences, got 1",
                 [&] { grad::last_rows(context, sequences({}, 4), layout({1})); });
  expect_message("[select_rows] expected indices from 0 to 4, got 5 at place 1", [&] {
    grad::select_rows(context, x.rows, std::vector<std::int32_t>{4, 5});
  });
  expect_message("[beside] expected right of (5, 2), got (4, 2)", [&] {
    grad::beside(context, x.rows, zeros({4, 2}));
  });
  expect_message("[pool] expected sequences of at least one row, sequence 1 is empty", [&] {
    grad::pool(context, sequences({2, 0}, 4), grad::Pool::kMax);
  });
  expect_message("[weighted_pool] expected scores of (5, 1), got (5, 2)", [&] {
    grad::weighted_pool(context, x, zeros({5, 2}));
  });
}

TEST_F(Checks, Losses) {
  const std::vector<std::int32_t> targets = {0, 3};
  expect_message("[cross_entropy] expected 3 targets, got 2", [&] {
    grad::cross_entropy(context, zeros({3, 5}), targets);
  });
  expect_message("[cross_entropy] expected targets from 0 to 2, got 3 in row 1", [&] {
    grad::cross_entropy(context, zeros({2, 3}), targets);
  });
  expect_message("[cross_entropy] expected at least one row, got none", [&] {
    grad::cross_entropy(context, zeros({0, 3}), {});
  });
  const std::vector<float> weights = {1.0f};
  expect_message("[cross_entropy] expected 4 class weights, got 1", [&] {
    grad::cross_entropy(context, zeros({2, 4}), targets, {.class_weights = weights});
  });
  expect_message("[cross_entropy] expected 2 row weights, got 1", [&] {
    grad::cross_entropy(context, zeros({2, 4}), targets, {.row_weights = weights});
  });
  expect_message<UsageError>(
      "[cross_entropy] expected smoothing of at least 0 and below 1, got 1", [&] {
        grad::cross_entropy(context, zeros({2, 4}), targets, {.smoothing = 1.0f});
      });
  const std::vector<float> negative = {1.0f, -2.0f, 1.0f, 1.0f};
  expect_message<UsageError>("[cross_entropy] expected class weights of at least 0, got -2", [&] {
    grad::cross_entropy(context, zeros({2, 4}), targets, {.class_weights = negative});
  });
  expect_message<UsageError>("[cross_entropy] expected a divisor of at least 0, got -1", [&] {
    grad::cross_entropy(context, zeros({2, 4}), targets, {.divisor = -1.0f});
  });
  expect_message("[divergence] expected b of (2, 3), got (2, 4)", [&] {
    grad::divergence(context, zeros({2, 3}), zeros({2, 4}), 1.0f);
  });
  const std::vector<float> odd = {0.0f, 1.5f};
  expect_message("[binary_cross_entropy] expected targets from 0 to 1, got 1.5 at place 1", [&] {
    grad::binary_cross_entropy(context, zeros({1, 2}), odd);
  });
  expect_message("[binary_cross_entropy] expected 3 targets (at least one), got 2", [&] {
    grad::binary_cross_entropy(context, zeros({3, 1}), odd);
  });
}

TEST_F(Checks, SizesThatCannotBe) {
  expect_message("[shape] expected at most 2^56 numbers, got (8589934592, 2147483648)", [&] {
    Shape({Index{1} << 33, Index{1} << 31});
  });
  expect_message("[layout] expected at least 0 sequences, got -1",
                 [&] { Layout::uniform(context.arena(), -1, 3); });
  expect_message("[arena] expected a count from 0 to 288230376151711744, got -3",
                 [&] { context.arena().array<float>(-3); });
  expect_message<UsageError>("[input] expected numbers, got none",
                             [&] { context.constant(Tensor{}); });
}

// One that is refused leaves nothing behind that another would share its place with.
TEST_F(Checks, NamesOfParameters) {
  Parameters parameters;
  parameters.add("b", {16}, Init::constant(1.0f));
  expect_message<UsageError>("[parameters] two parameters have the name b", [&] {
    parameters.add_stack({"a", "b"}, {16}, Init::constant(2.0f));
  });
  expect_message<UsageError>("[parameters] two parameters have the name c", [&] {
    parameters.add_stack({"c", "c"}, {16}, Init::constant(2.0f));
  });
  EXPECT_EQ(parameters.find("a"), nullptr);
  EXPECT_EQ(parameters.add("d", {16}, Init::constant(3.0f)).offset, 16);
}

TEST_F(Checks, Attention) {
  const heed::Sequences x = sequences({2, 3}, 6);
  const grad::AttentionCall good{.queries = {x.rows},
                                 .keys = {x.rows},
                                 .values = {x.rows},
                                 .query_layout = x.layout,
                                 .key_layout = x.layout,
                                 .heads = 2,
                                 .depth = 3,
                                 .value_depth = 3,
                                 .additive = {},
                                 .mask = {}};
  EXPECT_NO_THROW(grad::attention(context, good));
  const auto refused = [&](const std::string& message, auto change) {
    grad::AttentionCall call = good;
    change(call);
    expect_message("[attention] expected " + message, [&] { grad::attention(context, call); });
  };
  refused("at least one head, depth and value depth, got 0, 3, 3", [](auto& c) { c.heads = 0; });
  refused("keys of (rows, 7 or more), got (5, 6)", [](auto& c) { c.keys.begin = 1; });
  refused("values of (rows, 8 or more), got (5, 6)", [](auto& c) { c.value_depth = 4; });
  refused("keys for 2 sequences of queries, got 1", [&](auto& c) { c.key_layout = layout({5}); });
  refused("6 rows, as the layout of 2 sequences says, got 5", [&](auto& c) {
    c.query_layout = layout({3, 3});
  });
  const std::vector<std::uint8_t> hidden(4);
  refused("a padding mask for 5 key rows, got 4", [&](auto& c) { c.hidden = hidden; });
  const std::vector<float> slopes(3);
  refused("2 slopes, one for each head, got 3", [&](auto& c) { c.slopes = slopes; });
  refused("additive of (2, 3), got (3, 2)", [&](auto& c) { c.additive = zeros({3, 2}); });
  refused("relative of (2, 3), got (2, 4)", [&](auto& c) { c.relative = zeros({2, 4}); });
  refused("at least 3 keys (the memory slots), sequence 0 has 2",
          [](auto& c) { c.mask.slots = 3; });
}

}  // namespace
}  // namespace heed::test
