#include <gtest/gtest.h>

#include "heed/nn/decoder.h"
#include "heed/nn/encoder.h"
#include "tests/support/golden.h"

namespace heed::test {
namespace {

// A layer is a chain of a few operations, and norms divide by what is small.
constexpr double kLayerTolerance = 5e-6;

nn::NormOrder order_of(const Golden& golden) {
  return golden.text("order") == "pre" ? nn::NormOrder::kPre : nn::NormOrder::kPost;
}

nn::FeedForwardOptions feed_forward_of(const Golden& golden) {
  return {.hidden = golden.size("hidden"),
          .activation =
              golden.text("activation") == "gelu" ? nn::Activation::kGelu : nn::Activation::kRelu};
}

nn::AttentionOptions attention_of(const Golden& golden) {
  return {.width = golden.size("width"), .heads = golden.size("heads")};
}

class GoldenEncoderLayer : public testing::TestWithParam<const char*> {};

TEST_P(GoldenEncoderLayer, AgreesWithPyTorch) {
  const Golden golden(GetParam());
  Parameters parameters;
  const nn::EncoderLayer layer(parameters, {.attention = attention_of(golden),
                                            .feed_forward = feed_forward_of(golden),
                                            .order = order_of(golden)});
  golden.expect_layer(parameters, {"x"}, kLayerTolerance,
                      [&](Context& context, auto x) { return layer(context, x[0]); });
}

INSTANTIATE_TEST_SUITE_P(All, GoldenEncoderLayer,
                         testing::Values("encoder_post_relu", "encoder_post_gelu",
                                         "encoder_pre_relu", "encoder_pre_gelu"),
                         [](const auto& row) { return std::string(row.param); });

class GoldenDecoderLayer : public testing::TestWithParam<const char*> {};

TEST_P(GoldenDecoderLayer, AgreesWithPyTorch) {
  const Golden golden(GetParam());
  Parameters parameters;
  const nn::DecoderLayer layer(parameters, {.attention = attention_of(golden),
                                            .feed_forward = feed_forward_of(golden),
                                            .order = order_of(golden)});
  golden.expect_layer(parameters, {"x", "memory"}, kLayerTolerance,
                      [&](Context& context, auto x) { return layer(context, x[0], x[1]); });
}

INSTANTIATE_TEST_SUITE_P(All, GoldenDecoderLayer, testing::Values("decoder_post", "decoder_pre"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace heed::test
