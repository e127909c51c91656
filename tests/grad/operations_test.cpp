#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "heed/grad/operation_name.h"
#include "tests/grad/cases.h"
#include "tests/support/operation_table.h"

namespace heed::test {

std::vector<OperationCase> all_operation_cases() {
  std::vector<OperationCase> rows;
  for (const auto cases : {linear_cases, norm_cases, embedding_cases, attention_cases, head_cases,
                           sequence_cases, pool_cases, loss_cases, sequence_loss_cases,
                           recurrent_cases, convolution_cases, gate_cases}) {
    for (OperationCase& row : cases()) rows.push_back(std::move(row));
  }
  return rows;
}

namespace {

class OperationTable : public testing::TestWithParam<OperationCase> {};

TEST_P(OperationTable, ValueAndGradientsAgreeWithTheSlowReference) {
  check_operation(GetParam(), 17);
}

TEST_P(OperationTable, NanIsNeverLost) { check_nan(GetParam(), 17); }

INSTANTIATE_TEST_SUITE_P(All, OperationTable, testing::ValuesIn(all_operation_cases()),
                         [](const auto& row) {
                           std::string name = row.param.operation + "_" + row.param.name;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](unsigned char letter) { return std::isalnum(letter) == 0; }, '_');
                           return name;
                         });

TEST(OperationTable, EveryOperationHasARow) {
  std::set<std::string> covered = {"variable", "parameter"};  // leaves: nothing to differentiate
  for (const OperationCase& row : all_operation_cases()) {
    covered.insert(recorded_operation(row, 17));  // not what the row says of itself
  }
  for (const char* operation : kOperations) {
    EXPECT_TRUE(covered.contains(operation))
        << operation << " has no row; see docs/adding_an_operation.md";
  }
}

}  // namespace
}  // namespace heed::test
