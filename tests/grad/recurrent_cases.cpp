#include "heed/grad/moving_average.h"
#include "heed/grad/recurrent.h"
#include "tests/grad/cases.h"
#include "tests/reference/recurrent.h"
#include "tests/support/layouts.h"

namespace heed::test {
namespace {

using grad::Direction;

struct Kind {
  const char* name;
  Index gates;
  Var (*run)(Context&, const Sequences&, const grad::RecurrentWeights&, Direction,
             grad::RecurrentState*);
};

constexpr Kind kKinds[] = {{"rnn", 1, grad::rnn}, {"lstm", 4, grad::lstm}, {"gru", 3, grad::gru}};

OperationCase recurrent_case(const Kind& kind, const std::string& name,
                             const std::vector<Index>& lengths, Index in, Index hidden,
                             Direction direction) {
  const Index gates = kind.gates * hidden;
  const Index rows = total(lengths);
  return operation_case(
      kind.name, name, {{rows, in}, {gates, in}, {gates, hidden}, {gates}, {gates}},
      [=](Context& context, std::span<const Var> x) {
        return kind.run(context, {x[0], layout_of(context, lengths)}, {x[1], x[2], x[3], x[4]},
                        direction, nullptr);
      },
      [=](const auto& x) {
        using T = Number<decltype(x)>;
        const reference::RecurrentWeights<T> weights{as_matrix(x, 1, gates, in),
                                                     as_matrix(x, 2, gates, hidden), x[3], x[4]};
        return reference::recurrent(kind.name, as_matrix(x, 0, rows, in),
                                    {lengths.begin(), lengths.end()}, weights,
                                    direction == Direction::kReverse)
            .values;
      },
      4.0);
}

// `hidden` has a 1 for each row that is passed over, or nothing.
OperationCase moving_average_case(const std::string& name, const std::vector<Index>& lengths,
                                  Index width, const std::vector<std::uint8_t>& hidden = {}) {
  const Index rows = total(lengths);
  return operation_case(
      "moving_average", name, {{rows, 2 * width}},
      [=](Context& context, std::span<const Var> x) {
        const std::vector<std::uint8_t> marks = hidden;  // gone when gradients are taken
        return grad::moving_average(context, {x[0], layout_of(context, lengths)}, marks);
      },
      [=](const auto& x) {
        return reference::moving_average(as_matrix(x, 0, rows, 2 * width),
                                         {lengths.begin(), lengths.end()},
                                         {hidden.begin(), hidden.end()})
            .values;
      },
      4.0);
}

}  // namespace

std::vector<OperationCase> recurrent_cases() {
  std::vector<OperationCase> rows;
  for (const Kind& kind : kKinds) {
    const auto add = [&](const std::string& name, const std::vector<Index>& lengths, Index in,
                         Index hidden, Direction direction) {
      rows.push_back(recurrent_case(kind, name, lengths, in, hidden, direction));
    };
    add("ragged", {2, 0, 4, 1, 4}, 3, 5, Direction::kForward);
    add("ragged_reverse", {2, 0, 4, 1, 4}, 3, 5, Direction::kReverse);
    add("wider_than_a_vector", {3, 1}, 2, 18, Direction::kForward);
    add("one_row", {1}, 1, 1, Direction::kForward);
    add("no_rows", {0, 0}, 2, 3, Direction::kForward);
    add("no_sequences", {}, 2, 3, Direction::kReverse);
  }
  rows.push_back(moving_average_case("ragged", {2, 0, 4, 1, 4}, 5));
  rows.push_back(moving_average_case("wider_than_a_vector", {3, 1}, 37));
  rows.push_back(moving_average_case("one", {1}, 1));
  rows.push_back(moving_average_case("no_rows", {0, 0}, 3));
  rows.push_back(moving_average_case("no_sequences", {}, 2));
  rows.push_back(
      moving_average_case("hidden_rows", {4, 2, 3, 1}, 6, {1, 0, 1, 0, 1, 1, 0, 0, 1, 0}));
  return rows;
}

}  // namespace heed::test
