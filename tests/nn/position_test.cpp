#include "heed/nn/position.h"

#include <gtest/gtest.h>

#include <complex>
#include <numbers>

#include "heed/grad/heads.h"
#include "tests/support/batches.h"
#include "tests/support/compare.h"

namespace heed::test {
namespace {

using nn::Position;
using nn::Positions;

// Numbers of at most 1, rounded once from double.
constexpr double kPositionTolerance = 1e-6;

// What is added to each row of one sequence of `rows` rows: (rows, width).
std::vector<float> table(Position kind, Index rows, Index width) {
  Parameters parameters;
  const Positions positions(parameters, {.kind = kind, .width = width, .longest = rows});
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences zeros{{context.arena().zeros({rows, width}), -1}, layout_of(context, {rows})};
  const auto numbers = positions(context, zeros).rows.value.span();
  return {numbers.begin(), numbers.end()};
}

TEST(Positions, SinusoidalOnesAreWellKnownNumbers) {
  // sin and cos of p, then of p / 100.
  const std::vector<float> numbers = table(Position::kSinusoidal, 101, 4);
  const std::pair<std::size_t, std::vector<float>> rows[] = {
      {0, {0.0f, 1.0f, 0.0f, 1.0f}},
      {1, {0.84147098f, 0.54030231f, 0.00999983f, 0.99995000f}},
      {3, {0.14112001f, -0.98999250f, 0.02999550f, 0.99955003f}},
      {100, {-0.50636564f, 0.86231887f, 0.84147098f, 0.54030231f}}};
  for (const auto& [row, expected] : rows) {
    SCOPED_TRACE(row);
    expect_close("row", {numbers.data() + 4 * row, 4}, expected, kPositionTolerance);
  }
}

// The pair (cos, sin) of a column is a complex number that every row turns by the same angle, and
// these angles fall by the same factor from pair to pair.
TEST(Positions, SinusoidalOnesTurnByTheSameAngleFromRowToRow) {
  constexpr Index kRows = 300;
  for (const Index width : {1, 2, 7, 16}) {
    const std::vector<float> numbers = table(Position::kSinusoidal, kRows, width);
    std::vector<float> expected;
    for (Index p = 0; p < kRows; ++p) {
      double angle = 1.0;
      for (Index column = 0; column < width; column += 2) {
        const std::complex<double> turned = std::pow(std::polar(1.0, angle), p);
        expected.push_back(static_cast<float>(turned.imag()));
        if (column + 1 < width) expected.push_back(static_cast<float>(turned.real()));
        angle /= std::pow(10000.0, 2.0 / static_cast<double>(width));
      }
    }
    SCOPED_TRACE(width);
    expect_close("rows", numbers, expected, kPositionTolerance);
  }
}

TEST(Positions, TriangularOnesGoStraightBetweenTheTurningPointsOfSine) {
  constexpr double kPi = std::numbers::pi;
  // Up to 1 at π / 2, down to −1 at 3 π / 2, up again; the second column a quarter ahead.
  const std::vector<double> first = {0.0,
                                     2.0 / kPi,
                                     2.0 - 4.0 / kPi,
                                     2.0 - 6.0 / kPi,
                                     2.0 - 8.0 / kPi,
                                     10.0 / kPi - 4.0,
                                     12.0 / kPi - 4.0,
                                     14.0 / kPi - 4.0};
  const std::vector<double> second = {1.0,
                                      1.0 - 2.0 / kPi,
                                      1.0 - 4.0 / kPi,
                                      1.0 - 6.0 / kPi,
                                      8.0 / kPi - 3.0,
                                      10.0 / kPi - 3.0,
                                      12.0 / kPi - 3.0,
                                      5.0 - 14.0 / kPi};
  std::vector<float> expected;
  for (std::size_t p = 0; p < first.size(); ++p) {
    expected.push_back(static_cast<float>(first[p]));
    expected.push_back(static_cast<float>(second[p]));
  }
  expect_close("rows", table(Position::kTriangular, 8, 2), expected, kPositionTolerance);
}

TEST(Positions, TriangularOnesHaveThePeriodsOfSinusoidalOnes) {
  constexpr Index kRows = 300;
  for (const Index width : {2, 5, 12}) {
    std::vector<float> expected;
    for (Index p = 0; p < kRows; ++p) {
      for (Index column = 0; column < width; ++column) {
        const double exponent = 2.0 * std::floor(static_cast<double>(column) / 2.0);
        const double period =
            2.0 * std::numbers::pi * std::pow(10000.0, exponent / static_cast<double>(width));
        // Periods since the last turning point at −1; cos is a quarter ahead of sin.
        const double since = static_cast<double>(p) / period + (column % 2 == 0 ? 0.25 : 0.5);
        const double distance = std::abs(since - std::floor(since) - 0.5);  // to the one at 1
        expected.push_back(static_cast<float>(1.0 - 4.0 * distance));
      }
    }
    SCOPED_TRACE(width);
    expect_close("rows", table(Position::kTriangular, kRows, width), expected, kPositionTolerance);
  }
}

TEST(Positions, EverySequenceBeginsAtTheFirst) {
  for (const Position kind : {Position::kSinusoidal, Position::kTriangular, Position::kLearned}) {
    Parameters parameters;
    const Positions positions(parameters, {.kind = kind, .width = 6, .longest = 5});
    shake(parameters, 9);
    Context context;
    context.begin(Mode::kEvaluate);
    const Sequences one{{context.arena().zeros({5, 6}), -1}, layout_of(context, {5})};
    const Tensor added = positions(context, one).rows.value;  // (5, 6)
    const Sequences x = random_sequences(context, {2, 0, 5, 1}, 6, 1);
    const Sequences y = positions(context, x);
    EXPECT_EQ(y.rows.shape(), (Shape{x.rows.rows(), x.width()}));
    for (Index s = 0; s < x.layout.count(); ++s) {
      for (Index i = 0; i < x.layout.length(s) * 6; ++i) {
        const float before = x.rows.value.row(x.layout.begin(s))[i];
        EXPECT_EQ(y.rows.value.row(y.layout.begin(s))[i], before + added[i]);
      }
    }
    if (kind == Position::kLearned) {
      const auto weight = parameters.find("weight")->value.span();
      EXPECT_TRUE(std::equal(weight.begin(), weight.end(), added.data));
    }
    EXPECT_THROW(positions(context, random_sequences(context, {6}, 6, 1)), ShapeError);
  }
}

TEST(Positions, ThoseOfAttentionAddNothing) {
  for (const Position kind :
       {Position::kNone, Position::kRotary, Position::kAlibi, Position::kRelative}) {
    Parameters parameters;
    const Positions positions(parameters, {.kind = kind, .width = 6, .longest = 5});
    EXPECT_EQ(parameters.count(), 0);
    Context context;
    context.begin(Mode::kEvaluate);
    const Sequences x = random_sequences(context, {2, 7}, 6, 1);
    EXPECT_EQ(positions(context, x).rows.value.data, x.rows.value.data);
  }
}

// Two heads of depth 4, one in every column that an angle begins in: columns d and d + 2 become cos
// and sin of p, columns d + 1 and d + 3 those of p / 100.
TEST(Rotary, TurnsPairsOfColumnsByWellKnownAngles) {
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x{{context.arena().zeros({4, 8}), -1}, layout_of(context, {4})};
  for (Index row = 0; row < 4; ++row) {
    x.rows.value.row(row)[0] = x.rows.value.row(row)[1] = 1.0f;  // the first head
    x.rows.value.row(row)[6] = -2.0f;                            // the second: −2 i
  }
  // clang-format off
  const std::vector<float> expected = {
      1.0f, 1.0f, 0.0f, 0.0f, 0.0f, 0.0f, -2.0f, 0.0f,
      0.54030231f, 0.99995000f, 0.84147098f, 0.00999983f, 1.68294197f, 0.0f, -1.08060461f, 0.0f,
      -0.41614684f, 0.99980001f, 0.90929743f, 0.01999867f, 1.81859485f, 0.0f, 0.83229367f, 0.0f,
      -0.98999250f, 0.99955003f, 0.14112001f, 0.02999550f, 0.28224002f, 0.0f, 1.97998499f, 0.0f};
  // clang-format on
  expect_close("rows", grad::rotary(context, x, x.layout, 4).value.span(), expected,
               kPositionTolerance);
  // The last row of a sequence of 101.
  const Sequences last{{{x.rows.value.data, {1, 8}}, -1}, layout_of(context, {1})};
  const std::vector<float> expected_last = {0.86231887f,  0.54030231f, -0.50636564f, 0.84147098f,
                                            -1.01273128f, 0.0f,        -1.72463775f, 0.0f};
  expect_close("row 100", grad::rotary(context, last, layout_of(context, {101}), 4).value.span(),
               expected_last, kPositionTolerance);
}

TEST(Alibi, SlopesAreThoseOfThePaper) {
  EXPECT_EQ(nn::alibi_slopes(8),
            (std::vector<float>{1.0f / 2, 1.0f / 4, 1.0f / 8, 1.0f / 16, 1.0f / 32, 1.0f / 64,
                                1.0f / 128, 1.0f / 256}));
  EXPECT_EQ(nn::alibi_slopes(4), (std::vector<float>{1.0f / 4, 1.0f / 16, 1.0f / 64, 1.0f / 256}));
  EXPECT_EQ(nn::alibi_slopes(1), (std::vector<float>{1.0f / 256}));
  // 16 heads: 2^(−1/2), 2^(−1), …: every second one is one of 8 heads'.
  const std::vector<float> sixteen = nn::alibi_slopes(16), eight = nn::alibi_slopes(8);
  ASSERT_EQ(sixteen.size(), 16u);
  for (std::size_t h = 0; h < 8; ++h) {
    EXPECT_FLOAT_EQ(sixteen[2 * h + 1], eight[h]);
    EXPECT_FLOAT_EQ(sixteen[2 * h], eight[h] * std::numbers::sqrt2_v<float>);
  }
}

}  // namespace
}  // namespace heed::test
