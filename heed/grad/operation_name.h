#pragma once

#include <string_view>

namespace heed {

// Every operation that a tape can record. A name that is not here does not compile; a name that has
// no row in the table of operation tests fails the tests. One on each line:
// clang-format off
inline constexpr const char* kOperations[] = {
    "variable",
    "parameter",
    "linear",
    "product",
    "activation",
    "multiply",
    "add",
    "dropout",
    "scale_rows",
    "norm",
    "residual_norm",
    "residual",
    "unit_length",
    "embedding",
    "embedding_mean",
    "add_positions",
    "positions",
    "attention",
    "rotary",
    "cool_heads",
    "head_product",
    "average_heads",
    "concatenate",
    "slice",
    "select_rows",
    "prepend",
    "last_rows",
    "beside",
    "rnn",
    "lstm",
    "gru",
    "moving_average",
    "convolution1d",
    "convolution2d",
    "max_pool2d",
    "glu",
    "sum_pool",
    "max_pool",
    "end_pool",
    "weighted_pool",
    "copy_scores",
    "cross_entropy",
    "binary_cross_entropy",
    "divergence",
    "crf",
    "ctc",
};
// clang-format on

class OperationName {
 public:
  consteval OperationName(const char* name) : name_(nullptr) {  // NOLINT: converts on purpose
    for (const char* known : kOperations) {
      if (std::string_view(known) == name) name_ = known;
    }
    if (name_ == nullptr) throw "not in kOperations";
  }
  const char* text() const { return name_; }

 private:
  const char* name_;
};

}  // namespace heed
