#include "heed/nn/recurrent.h"

#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace heed::test {
namespace {

// Errors run along the sequences: more of them than in one layer of anything else.
constexpr double kTolerance = 5e-6;

struct Case {
  const char* name;
  nn::RecurrentKind kind;
};
void PrintTo(const Case& row, std::ostream* out) { *out << row.name; }

class GoldenRecurrent : public testing::TestWithParam<Case> {};

TEST_P(GoldenRecurrent, TwoLayersInBothDirectionsAgreeWithPyTorch) {
  const Golden golden(GetParam().name);
  Parameters parameters;
  const nn::Recurrent layer(parameters, {.kind = GetParam().kind,
                                         .width = golden.size("width"),
                                         .hidden = golden.size("state"),
                                         .layers = golden.size("layers"),
                                         .bidirectional = true});
  golden.expect_layer(parameters, {"x"}, kTolerance,
                      [&](Context& context, auto x) { return layer(context, x[0]); });
}

INSTANTIATE_TEST_SUITE_P(All, GoldenRecurrent,
                         testing::Values(Case{"rnn", nn::RecurrentKind::kRnn},
                                         Case{"lstm", nn::RecurrentKind::kLstm},
                                         Case{"gru", nn::RecurrentKind::kGru}),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace heed::test
