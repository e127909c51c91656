#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/grad/context.h"
#include "tests/reference/matrix.h"

namespace heed::test {

// What the inputs of a row are: values on the tape, or parameters (which `run` finds, where an
// operation asks for them, in context.tape().gradients().parameters()).
enum class Source { kVariables, kParameters, kSparseParameters };

// One row of the table of operation tests: an operation on some input shapes, computed by heed, and
// the same thing written slowly for any type of number. The test compares the values with the slow
// ones in double, and every gradient with a derivative taken independently with dual numbers.
struct OperationCase {
  std::string operation;  // as the tape records it
  std::string name;       // what is special about this row
  std::vector<Shape> inputs;
  std::function<Var(Context&, std::span<const Var>)> run;
  std::function<std::vector<double>(const std::vector<std::vector<double>>&)> value;
  std::function<std::vector<reference::Dual>(const std::vector<std::vector<reference::Dual>>&)>
      derivative;
  double tolerance = 1.0;  // a multiple of the default, for operations with a longer chain
  Source source = Source::kVariables;
};

// `slow` is a generic callable: [](const auto& inputs) → std::vector of the same number type, where
// inputs[i] is a std::vector<T> with the numbers of input i.
template <typename Slow>
OperationCase operation_case(std::string operation, std::string name, std::vector<Shape> inputs,
                             std::function<Var(Context&, std::span<const Var>)> run, Slow slow,
                             double tolerance = 1.0, Source source = Source::kVariables) {
  return {std::move(operation),
          std::move(name),
          std::move(inputs),
          std::move(run),
          slow,
          slow,
          tolerance,
          source};
}

// All rows, gathered from the *_cases.cpp files beside tests/grad/operations_test.cpp.
std::vector<OperationCase> all_operation_cases();

// The number type of a generic slow callable's inputs.
template <typename Inputs>
using Number = typename std::remove_cvref_t<Inputs>::value_type::value_type;

// Input i as a matrix of the slow reference.
template <typename Inputs>
reference::Matrix<Number<Inputs>> as_matrix(const Inputs& inputs, std::size_t i, Index rows,
                                            Index columns) {
  return {static_cast<int>(rows), static_cast<int>(columns), inputs[i]};
}

// The operation that the tape recorded when the row ran, whatever the row is named after; "" where
// the result has no numbers or is an input as it was.
std::string recorded_operation(const OperationCase& row, std::uint64_t seed);

// Checks one row: that it runs the operation it is named after, value and gradients. Failures are
// reported through GoogleTest.
void check_operation(const OperationCase& row, std::uint64_t seed);

// NaN in the first or last number of an input must be seen in the value, wherever the slow
// reference shows it.
void check_nan(const OperationCase& row, std::uint64_t seed);

}  // namespace heed::test
