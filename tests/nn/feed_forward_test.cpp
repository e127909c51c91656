#include "heed/nn/feed_forward.h"

#include <gtest/gtest.h>

#include "tests/reference/activation.h"
#include "tests/support/batches.h"
#include "tests/support/compare.h"

namespace heed::test {
namespace {

using Matrix = reference::Matrix<double>;

constexpr Index kFeedForwardWidth = 6, kFeedForwardHidden = 20;
const std::vector<Index> kFeedForwardLengths = {3, 0, 5};

// x Wᵀ + b with the parameters of one of the layer's parts.
Matrix slow_linear(const Parameters& parameters, const std::string& name, const Matrix& x) {
  const Tensor weight = parameters.find(name + ".weight")->value;
  const Tensor bias = parameters.find(name + ".bias")->value;
  return reference::linear(
      x,
      Matrix(static_cast<int>(weight.rows()), static_cast<int>(weight.columns()),
             {weight.data, weight.data + weight.count()}),
      {bias.data, bias.data + bias.count()});
}

// out(dropout(activation(in(x)))) and, gated, out(dropout(activation(in(x)) ⊙ gate(x))).
std::vector<float> slow_feed_forward(const Parameters& parameters,
                                     const nn::FeedForwardOptions& options, const Tensor& x) {
  const Matrix rows(static_cast<int>(x.rows()), static_cast<int>(x.columns()),
                    {x.data, x.data + x.count()});
  Matrix hidden = slow_linear(parameters, "in", rows);
  for (double& value : hidden.values) value = reference::activate(options.activation, value);
  const Matrix gate = options.gated ? slow_linear(parameters, "gate", rows) : Matrix();
  const auto factors =
      dropout_factors(first_dropout(options.dropout), kFeedForwardLengths, kFeedForwardHidden);
  for (std::size_t i = 0; i < hidden.values.size(); ++i) {
    if (options.gated) hidden.values[i] *= gate.values[i];
    if (options.dropout > 0.0f) hidden.values[i] *= factors[i];
  }
  const Matrix y = slow_linear(parameters, "out", hidden);
  return {y.values.begin(), y.values.end()};
}

TEST(FeedForward, IsWhatItsFormulaSays) {
  using nn::Activation;
  for (const Activation activation : {Activation::kRelu, Activation::kGelu, Activation::kSilu,
                                      Activation::kTanh, Activation::kSigmoid}) {
    for (const bool gated : {false, true}) {
      for (const float dropout : {0.0f, 0.3f}) {
        SCOPED_TRACE(testing::Message() << "activation " << static_cast<int>(activation)
                                        << ", gated " << gated << ", dropout " << dropout);
        nn::FeedForwardOptions options{kFeedForwardWidth, kFeedForwardHidden, activation, gated,
                                       dropout};
        Parameters parameters(7);
        const nn::FeedForward layer(parameters, options);
        shake(parameters, 9, 0.3f);
        Context context;
        context.begin(Mode::kTrain, nullptr, {17, 3});  // where first_dropout() draws
        const Sequences x = random_sequences(context, kFeedForwardLengths, kFeedForwardWidth, 1);
        const Var y = layer(context, x).rows;
        EXPECT_EQ(y.shape(), (Shape{x.rows.rows(), x.width()}));
        expect_close("training", y.value.span(),
                     slow_feed_forward(parameters, options, x.rows.value), kFloatTolerance);
        options.dropout = 0.0f;
        context.begin(Mode::kEvaluate);
        const Sequences again =
            random_sequences(context, kFeedForwardLengths, kFeedForwardWidth, 1);
        expect_close("evaluation", layer(context, again).rows.value.span(),
                     slow_feed_forward(parameters, options, again.rows.value), kFloatTolerance);
      }
    }
  }
}

}  // namespace
}  // namespace heed::test
