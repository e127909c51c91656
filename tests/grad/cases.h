#pragma once

#include <vector>

#include "tests/support/operation_table.h"

namespace heed::test {

// The rows of the table of operation tests, a file for each family of operations.
std::vector<OperationCase> linear_cases();
std::vector<OperationCase> norm_cases();
std::vector<OperationCase> embedding_cases();
std::vector<OperationCase> attention_cases();
std::vector<OperationCase> head_cases();
std::vector<OperationCase> sequence_cases();
std::vector<OperationCase> pool_cases();
std::vector<OperationCase> loss_cases();
std::vector<OperationCase> recurrent_cases();
std::vector<OperationCase> convolution_cases();
std::vector<OperationCase> gate_cases();
std::vector<OperationCase> sequence_loss_cases();

}  // namespace heed::test
