#include "heed/nn/convolution.h"

#include <gtest/gtest.h>

#include "tests/support/compare.h"
#include "tests/support/golden.h"

namespace heed::test {
namespace {

constexpr double kConvolutionTolerance = 2e-6;

class GoldenConvolution1d : public testing::TestWithParam<const char*> {};

TEST_P(GoldenConvolution1d, AgreesWithPyTorch) {
  const Golden golden(GetParam());
  Parameters parameters;
  const nn::Convolution1d layer(parameters, {.in = golden.size("channels"),
                                             .out = golden.size("outputs"),
                                             .taps = golden.size("kernel"),
                                             .geometry = {.stride = golden.size("stride"),
                                                          .dilation = golden.size("dilation"),
                                                          .padding = golden.size("padding"),
                                                          .groups = golden.size("groups")}});
  golden.expect_layer(parameters, {"x"}, kConvolutionTolerance, [&](Context& context, auto x) {
    const Sequences y = layer(context, x[0]);
    EXPECT_EQ(y.layout, Layout::of(context.arena(), golden.lengths("output.y")));
    return y;
  });
}

INSTANTIATE_TEST_SUITE_P(All, GoldenConvolution1d,
                         testing::Values("conv1d_plain", "conv1d_strided", "conv1d_depthwise"),
                         [](const auto& row) { return std::string(row.param); });

class GoldenConvolution2d : public testing::TestWithParam<const char*> {};

TEST_P(GoldenConvolution2d, AgreesWithPyTorch) {
  const Golden golden(GetParam());
  const Index stride = golden.size("stride"), padding = golden.size("padding");
  Parameters parameters;
  const nn::Convolution2d layer(
      parameters, {.in = golden.size("channels"),
                   .out = golden.size("outputs"),
                   .kernel = {golden.size("kernel_height"), golden.size("kernel_width")},
                   .geometry = {.stride = {stride, stride}, .padding = {padding, padding}}});
  golden.load(parameters);
  Gradients gradients(parameters);
  Context context;
  context.begin(Mode::kTrain, &gradients);
  const Var x = context.tape().variable(golden.tensor(context, "input.x"));
  const grad::Images y = layer(context, {x, {golden.size("height"), golden.size("width")}});
  ASSERT_EQ(y.rows.shape(), golden.shape("output.y"));
  expect_close("output", y.rows.value.span(), golden.floats("output.y"), kConvolutionTolerance);
  context.tape().backward(y.rows, golden.tensor(context, "output.dy"));
  golden.expect_gradients(gradients, kConvolutionTolerance);
  golden.expect_input_gradient(context, "x", x, kConvolutionTolerance);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenConvolution2d,
                         testing::Values("conv2d_plain", "conv2d_strided"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace heed::test
