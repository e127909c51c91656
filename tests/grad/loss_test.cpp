#include "heed/grad/loss.h"

#include <gtest/gtest.h>

#include "heed/grad/ctc.h"
#include "tests/support/batches.h"

namespace heed::test {
namespace {

// The loss and the sum of |gradient of each row|, which is 0 for a softmax, of logits that are all
// moved by `shift`.
struct ShiftedLoss {
  double loss, imbalance;
};

template <typename Loss>
ShiftedLoss shifted(float shift, Loss loss_of) {
  constexpr Index kRows = 4, kClasses = 5;
  Parameters none;
  Gradients gradients(none);
  Context context;
  context.begin(Mode::kTrain, &gradients);
  const Tensor numbers = context.arena().tensor({kRows, kClasses});
  // Halves, so that adding the shift rounds nothing.
  for (Index i = 0; i < numbers.count(); ++i) {
    numbers[i] = 0.5f * static_cast<float>(i * 7 % 11) + shift;
  }
  const Var logits = context.tape().variable(numbers);
  const Var loss = loss_of(context, logits);
  context.tape().backward(loss);
  const Tensor gradient = context.tape().gradient(logits);
  double imbalance = 0.0;
  for (Index row = 0; row < kRows; ++row) {
    double sum = 0.0;
    for (Index c = 0; c < kClasses; ++c) sum += static_cast<double>(gradient.row(row)[c]);
    imbalance += std::abs(sum);
  }
  return {static_cast<double>(loss.value[0]), imbalance};
}

template <typename Loss>
void expect_shift_changes_nothing(Loss loss_of) {
  const ShiftedLoss plain = shifted(0.0f, loss_of);
  for (const float shift : {1e4f, 1e6f, -1e6f}) {
    const ShiftedLoss moved = shifted(shift, loss_of);
    EXPECT_NEAR(moved.loss, plain.loss, 1e-6) << shift;
    EXPECT_LT(moved.imbalance, 1e-6) << shift;
  }
}

TEST(CrossEntropy, AConstantAddedToAllLogitsChangesNothing) {
  const std::vector<std::int32_t> targets = {1, 0, 4, 2};
  for (const float smoothing : {0.0f, 0.1f}) {
    expect_shift_changes_nothing([&](Context& context, const Var& logits) {
      return grad::cross_entropy(context, logits, targets, {.smoothing = smoothing});
    });
  }
}

TEST(Ctc, AConstantAddedToAllLogitsChangesNothing) {
  const std::vector<std::int32_t> labels = {2, 3};
  const std::vector<Index> lengths = {2};
  expect_shift_changes_nothing([&](Context& context, const Var& logits) {
    return grad::ctc(context, {logits, layout_of(context, {4})}, {labels, lengths});
  });
}

}  // namespace
}  // namespace heed::test
