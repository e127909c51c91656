#include "heed/nn/recurrent.h"

#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace heed::test {
namespace {

// Errors run along the sequences: more of them than in one layer of anything else.
constexpr double kRecurrentTolerance = 5e-6;

struct Recurrence {
  const char* name;
  nn::RecurrentKind kind;
};
void PrintTo(const Recurrence& row, std::ostream* out) { *out << row.name; }

class GoldenRecurrent : public testing::TestWithParam<Recurrence> {};

TEST_P(GoldenRecurrent, TwoLayersInBothDirectionsAgreeWithPyTorch) {
  const Golden golden(GetParam().name);
  Parameters parameters;
  const nn::Recurrent layer(parameters, {.kind = GetParam().kind,
                                         .width = golden.size("width"),
                                         .hidden = golden.size("state"),
                                         .layers = golden.size("layers"),
                                         .bidirectional = true});
  golden.expect_layer(parameters, {"x"}, kRecurrentTolerance,
                      [&](Context& context, auto x) { return layer(context, x[0]); });
}

INSTANTIATE_TEST_SUITE_P(All, GoldenRecurrent,
                         testing::Values(Recurrence{"rnn", nn::RecurrentKind::kRnn},
                                         Recurrence{"lstm", nn::RecurrentKind::kLstm},
                                         Recurrence{"gru", nn::RecurrentKind::kGru}),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace heed::test
