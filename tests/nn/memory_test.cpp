#include <gtest/gtest.h>

#include "heed/nn/attention.h"
#include "tests/support/layouts.h"

namespace heed::test {
namespace {

// Bytes of one forward and backward pass of self-attention over a single sequence.
std::size_t memory_of(Index length) {
  Parameters parameters;
  nn::AttentionOptions options;
  options.width = 64;
  options.heads = 4;
  options.dropout = 0.1f;
  const nn::MultiHeadAttention attention(parameters, options);
  Gradients gradients(parameters);
  Context context;
  const auto pass = [&] {
    context.begin(Mode::kTrain, &gradients);
    gradients.clear();
    const Tensor rows = context.arena().zeros({length, options.width});
    const Var x = context.tape().variable(rows);
    const Sequences y = attention(context, {x, layout_of(context, {length})});
    context.tape().backward(y.rows, rows);
  };
  pass();
  context.begin(Mode::kTrain, &gradients);  // what was taken piece by piece becomes one block
  pass();
  return context.memory();
}

TEST(Attention, MemoryGrowsWithTheLengthAndNotWithItsSquare) {
  const std::size_t short_one = memory_of(1024), long_one = memory_of(4096);
  EXPECT_LT(long_one, short_one * 9 / 2);
  // 32,768 tokens of width 256 would take this much: within 2 GiB.
  EXPECT_LT(long_one * 8 * 4, std::size_t{2} << 30);
}

}  // namespace
}  // namespace heed::test
