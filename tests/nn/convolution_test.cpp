#include "heed/nn/convolution.h"

#include <gtest/gtest.h>

#include "tests/support/layers.h"
#include "tests/support/messages.h"

namespace heed::test {
namespace {

using grad::Convolution1dGeometry;
using grad::Images;
using nn::Convolution1d;
using nn::Convolution1dOptions;
using nn::Convolution2d;

const std::vector<Index> kConvolutionLengths = {4, 0, 9, 1, 3};

std::vector<Index> lengths_of(const Layout& layout) {
  std::vector<Index> lengths;
  for (Index s = 0; s < layout.count(); ++s) lengths.push_back(layout.length(s));
  return lengths;
}

TEST(Convolution1d, ABatchEqualsItsSequencesOneByOne) {
  Parameters parameters;
  const Scope scope(parameters);
  const Convolution1d same(scope / "same",
                           Convolution1dOptions{.in = 3, .out = 5, .taps = 5}.same());
  expect_batch_equals_its_sequences(same, kConvolutionLengths, 3);
  const Convolution1d strided(
      scope / "strided",
      {.in = 4, .out = 6, .taps = 3, .geometry = {.stride = 2, .padding = 1, .groups = 2}});
  expect_batch_equals_its_sequences(strided, kConvolutionLengths, 4);
}

TEST(Convolution1d, LengthsFollowTheGeometry) {
  Parameters parameters;
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, kConvolutionLengths, 2);
  const auto run = [&](const char* name, Index taps, const Convolution1dGeometry& geometry) {
    const Convolution1d layer(Scope(parameters) / name,
                              {.in = 2, .out = 3, .taps = taps, .geometry = geometry});
    const Sequences y = layer(context, x);
    EXPECT_EQ(y.rows.rows(), y.layout.rows());
    return lengths_of(y.layout);
  };
  // ⌊(length + 2 padding − dilation (taps − 1) − 1) / stride⌋ + 1, and 0 where nothing fits.
  EXPECT_EQ(run("same", 3, {.padding = 1}), (std::vector<Index>{4, 0, 9, 1, 3}));
  EXPECT_EQ(run("unpadded", 3, {}), (std::vector<Index>{2, 0, 7, 0, 1}));
  EXPECT_EQ(run("strided", 3, {.stride = 2, .padding = 1}), (std::vector<Index>{2, 0, 5, 1, 2}));
  EXPECT_EQ(run("dilated", 3, {.dilation = 2, .padding = 1}), (std::vector<Index>{2, 0, 7, 0, 1}));
  EXPECT_EQ(run("wide", 1, {.padding = 2}), (std::vector<Index>{8, 0, 13, 5, 7}));
}

TEST(Convolution1d, TheSequenceNumbersOfABatchAreKept) {
  Parameters parameters;
  const Convolution1d layer(parameters, {.in = 2, .out = 2, .taps = 1});
  Context context;
  context.begin(Mode::kEvaluate);
  const Layout layout = Layout::of(context.arena(), std::vector<Index>{2, 1}, 5);
  const Var rows = context.constant(random_tensor(context, {3, 2}));
  EXPECT_EQ(layer(context, {rows, layout}).layout.first(), 5);
}

TEST(Convolution1d, DepthwiseEqualsADenseKernelThatIsZeroBetweenChannels) {
  constexpr Index kChannels = 7, kTaps = 5;
  const Convolution1dGeometry geometry{.stride = 2, .dilation = 2, .padding = 3};
  Convolution1dGeometry apart = geometry;
  apart.groups = kChannels;
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, {12, 3, 5}, kChannels);
  const Tensor narrow = random_tensor(context, {kChannels, 1, kTaps}, 2);
  const Tensor wide = context.arena().zeros({kChannels, kChannels, kTaps});
  for (Index c = 0; c < kChannels; ++c) {
    std::copy_n(narrow.row(c), kTaps, wide.row(c) + c * kTaps);
  }
  const Var bias{random_tensor(context, {kChannels}, 3), -1};
  const Sequences depthwise = grad::convolution1d(context, x, {narrow, -1}, bias, apart);
  const Sequences dense = grad::convolution1d(context, x, {wide, -1}, bias, geometry);
  EXPECT_EQ(depthwise.layout, dense.layout);
  expect_same(depthwise.rows.value, dense.rows.value);
}

TEST(Convolution1d, OneTapIsALinearLayer) {
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, kConvolutionLengths, 3);
  const Var weight{random_tensor(context, {5, 3, 1}, 2), -1};
  const Tensor y = grad::convolution1d(context, x, weight, Var{}).rows.value;
  for (Index row = 0; row < y.rows(); ++row) {
    for (Index o = 0; o < 5; ++o) {
      float sum = 0.0f;
      for (Index c = 0; c < 3; ++c) sum += x.rows.value.row(row)[c] * weight.value.row(o)[c];
      EXPECT_NEAR(y.row(row)[o], sum, 1e-5f);
    }
  }
}

TEST(Convolution1d, GradientsReachEveryParameter) {
  Parameters dense, depthwise;
  expect_gradients_everywhere(dense, Convolution1d(dense, {.in = 3, .out = 4}), kConvolutionLengths,
                              3);
  expect_gradients_everywhere(
      depthwise, Convolution1d(depthwise, {.in = 4, .out = 4, .geometry = {.groups = 4}}),
      kConvolutionLengths, 4);
}

TEST(Convolution1d, WrongShapesAreErrorsThatNameTheOperation) {
  Parameters parameters;
  const Convolution1d layer(parameters, {.in = 3, .out = 4});
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences wide = random_sequences(context, {2, 3}, 4);
  EXPECT_PRED2(starts_with, message_of<ShapeError>([&] { layer(context, wide); }),
               "[convolution1d] expected a weight of (out, 4 / 1, taps)");
  const Sequences torn{context.constant(random_tensor(context, {5, 3})),
                       layout_of(context, {2, 2})};
  EXPECT_PRED2(starts_with, message_of<ShapeError>([&] { layer(context, torn); }),
               "[convolution1d] expected 4 rows");
  EXPECT_PRED2(starts_with, message_of<UsageError>([&] {
                 Convolution1d(parameters, {.in = 3, .out = 4, .geometry = {.groups = 2}});
               }),
               "[convolution1d] ");
  const Var weight{random_tensor(context, {4, 4, 3}), -1};
  EXPECT_PRED2(starts_with, message_of<UsageError>([&] {
                 grad::convolution1d(context, wide, weight, Var{}, {.stride = 0});
               }),
               "[convolution1d] expected stride");
}

TEST(Convolution2d, ImagesDoNotSeeEachOther) {
  Parameters parameters;
  const Convolution2d layer(parameters, {.in = 2, .out = 3, .geometry = {.padding = {1, 1}}});
  Context context;
  context.begin(Mode::kEvaluate);
  const Extent extent{4, 5};
  const Tensor x = random_tensor(context, {3 * 20, 2});
  const Images together = layer(context, {context.constant(x), extent});
  EXPECT_EQ(together.extent, extent);
  for (Index image = 0; image < 3; ++image) {
    const Var one{{x.row(20 * image), {20, 2}}, -1};
    expect_same(Tensor{together.rows.value.row(20 * image), {20, 3}},
                layer(context, {one, extent}).rows.value);
  }
}

TEST(Convolution2d, OneLineOfPixelsIsA1dConvolution) {
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, {9, 9}, 2);
  const Tensor weight = random_tensor(context, {3, 2, 4}, 2);
  const Var bias{random_tensor(context, {3}, 3), -1};
  const Sequences line =
      grad::convolution1d(context, x, {weight, -1}, bias, {.stride = 2, .padding = 1});
  const Images image =
      grad::convolution2d(context, {x.rows, {1, 9}}, {{weight.data, {3, 2, 1, 4}}, -1}, bias,
                          {.stride = {1, 2}, .padding = {0, 1}});
  EXPECT_EQ(image.extent, (Extent{1, line.layout.length(0)}));
  expect_same(image.rows.value, line.rows.value);
}

TEST(Convolution2d, WrongShapesAreErrorsThatNameTheOperation) {
  Parameters parameters;
  const Convolution2d layer(parameters, {.in = 2, .out = 3});
  Context context;
  context.begin(Mode::kEvaluate);
  const auto message = [&](const Shape& shape, const Extent& extent) {
    const Var x = context.constant(random_tensor(context, shape));
    return message_of<ShapeError>([&] { layer(context, {x, extent}); });
  };
  EXPECT_PRED2(starts_with, message({17, 2}, {4, 4}), "[convolution2d] expected whole images");
  EXPECT_PRED2(starts_with, message({16, 3}, {4, 4}), "[convolution2d] expected a weight");
  EXPECT_PRED2(starts_with, message({16, 2}, {2, 8}),
               "[convolution2d] expected a kernel that fits");
  EXPECT_PRED2(starts_with, message({0, 2}, {0, 8}), "[convolution2d] expected whole images");
}

}  // namespace
}  // namespace heed::test
