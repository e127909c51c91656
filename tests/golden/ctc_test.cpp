#include "heed/grad/ctc.h"

#include <gtest/gtest.h>

#include "tests/support/compare.h"
#include "tests/support/golden.h"

namespace heed::test {
namespace {

constexpr double kCtcTolerance = 2e-6;

TEST(GoldenCtc, AgreesWithPyTorch) {
  const Golden golden("ctc");
  const auto blank = static_cast<std::int32_t>(golden.size("blank"));
  const std::vector<Index> lengths = golden.lengths("input.labels");
  Parameters none;
  Gradients gradients(none);
  Context context;
  context.begin(Mode::kTrain, &gradients);
  const Sequences x = golden.sequences(context, "x");
  // The file's gradients are those of the sum.
  const grad::CtcOptions options{
      .blank = blank, .divisor = 1.0f, .impossible = grad::Impossible::kZero};
  const Var loss = grad::ctc(context, x, {golden.integers("input.labels"), lengths}, options);
  context.tape().backward(loss);
  golden.expect_input_gradient(context, "x", x.rows, kCtcTolerance);

  // And each sequence alone.
  std::vector<float> losses;
  float sum = 0.0f;
  std::size_t label = 0;
  for (Index s = 0; s < x.layout.count(); ++s) {
    const Index length = x.layout.length(s), count = lengths[static_cast<std::size_t>(s)];
    const Tensor rows{x.rows.value.row(x.layout.begin(s)), {length, x.width()}};
    const auto ids =
        golden.integers("input.labels").subspan(label, static_cast<std::size_t>(count));
    const Sequences alone{{rows, -1}, Layout::uniform(context.arena(), 1, length)};
    losses.push_back(grad::ctc(context, alone, {ids, {&count, 1}}, options).value[0]);
    sum += losses.back();
    label += ids.size();
  }
  expect_close("losses", losses, golden.floats("output.losses"), kCtcTolerance);
  EXPECT_NEAR(loss.value[0], sum, kCtcTolerance * static_cast<double>(sum));
}

}  // namespace
}  // namespace heed::test
