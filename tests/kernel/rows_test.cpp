#include "heed/kernel/rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "heed/kernel/activation.h"

namespace heed::kernel {
namespace {

TEST(Rows, ExpIsAccurateOverItsWholeRange) {
  for (double x = -86.0; x < 88.0; x += 0.0137) {
    const auto in = static_cast<float>(x);
    float out = 0.0f;
    exp_row(1, &in, 0.0f, 1.0f, &out, Store::kOverwrite);
    const double expected = std::exp(static_cast<double>(in));
    ASSERT_NEAR(out / expected, 1.0, 4e-7) << x;
  }
  const float deep = -200.0f;
  float out = 1.0f;
  exp_row(1, &deep, 0.0f, 1.0f, &out, Store::kOverwrite);
  EXPECT_EQ(out, 0.0f);
}

// Both the vectors and the numbers left over at the end of a row.
TEST(Rows, ActivationsAreAccurateOverTheirWholeRange) {
  const auto check = [](Activation kind, double (*expected)(double), double relative) {
    constexpr Index kCount = 4001;
    std::vector<float> y, input(kCount);
    for (Index i = 0; i < kCount; ++i) y.push_back(static_cast<float>(i - 2000) * 0.005f);
    const std::vector<float> x = y;
    activation_forward({kind, 1, kCount, nullptr, {}}, y.data(), input.data());
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double want = expected(x[i]);
      ASSERT_NEAR(y[i], want, 3e-7 + relative * std::abs(want)) << "at " << x[i];
    }
  };
  check(
      Activation::kTanh, [](double x) { return std::tanh(x); }, 3e-7);
  check(
      Activation::kSigmoid, [](double x) { return 1.0 / (1.0 + std::exp(-x)); }, 3e-7);
  check(
      Activation::kSilu, [](double x) { return x / (1.0 + std::exp(-x)); }, 4e-7);
  check(
      Activation::kGelu, [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }, 1e-6);
}

TEST(Rows, RowsOfATableAreSummedInTheirOrder) {
  for (const Index width : {1, 15, 16, 63, 64, 128, 133}) {
    std::vector<float> table(static_cast<std::size_t>(5 * width));
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = std::sin(static_cast<float>(i));
    const std::vector<std::int32_t> ids = {4, 0, 4, 2};
    std::vector<float> y(static_cast<std::size_t>(width) + 1, 7.0f);
    sum_rows(width, table.data(), ids, 0.25f, y.data());
    for (Index c = 0; c < width; ++c) {
      double expected = 0.0;
      for (const std::int32_t id : ids) {
        expected += 0.25 * static_cast<double>(table[static_cast<std::size_t>(id * width + c)]);
      }
      ASSERT_NEAR(y[static_cast<std::size_t>(c)], expected, 3e-7) << "column " << c;
    }
    EXPECT_EQ(y.back(), 7.0f) << "a number behind the row was written";
    sum_rows(width, table.data(), {}, 0.25f, y.data());
    EXPECT_EQ(y.front(), 0.0f);
  }
}

TEST(Rows, RowsOfATableAreWeighedAndAddedTo) {
  for (const Index width : {1, 15, 16, 63, 64, 133}) {
    std::vector<float> table(static_cast<std::size_t>(5 * width));
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = std::sin(static_cast<float>(i));
    const std::vector<std::int32_t> ids = {4, 0, 2};
    const std::vector<float> weights = {0.5f, -2.0f, 1.0f};
    std::vector<float> y(static_cast<std::size_t>(width) + 1, 7.0f);
    sum_rows(width, table.data(), ids, weights, y.data());
    EXPECT_EQ(y.back(), 7.0f) << "a number behind the row was written";
    const std::vector<float> before = table;
    add_to_rows(width, y.data(), ids, weights, table.data());
    for (Index c = 0; c < width; ++c) {
      const auto at = [&](Index row) { return static_cast<std::size_t>(row * width + c); };
      const float sum = y[static_cast<std::size_t>(c)];
      ASSERT_NEAR(sum, 0.5f * before[at(4)] - 2.0f * before[at(0)] + before[at(2)], 1e-6f);
      for (const Index other : {1, 3}) ASSERT_EQ(table[at(other)], before[at(other)]);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        ASSERT_NEAR(table[at(ids[i])], before[at(ids[i])] + weights[i] * sum, 1e-6f);
      }
    }
    sum_rows(width, table.data(), {}, std::span<const float>(), y.data());
    EXPECT_EQ(y.front(), 0.0f);
  }
}

TEST(Rows, SumsAreOfAllRows) {
  for (const Index width : {1, 15, 16, 63, 128}) {
    const std::vector<float> a(static_cast<std::size_t>(width), 1.0f), b(a.size(), 2.0f),
        c(a.size(), 4.0f);
    std::vector<float> y(a.size() + 1, 7.0f);
    const std::vector<const float*> rows = {a.data(), b.data(), c.data()};
    for (std::size_t count = 1; count <= rows.size(); ++count) {
      sum(width, std::span(rows).first(count), y.data());
      const float expected[] = {1.0f, 3.0f, 7.0f};
      EXPECT_EQ(std::count(y.begin(), y.end() - 1, expected[count - 1]), width);
    }
    EXPECT_EQ(y.back(), 7.0f) << "a number behind the row was written";
  }
}

TEST(Rows, AScaledRowIsAddedToAnother) {
  for (const Index width : {1, 15, 16, 63, 128}) {
    const std::vector<float> x(static_cast<std::size_t>(width), 1.0f), z(x.size(), 4.0f);
    std::vector<float> y(x.size() + 1, 7.0f);
    add_scaled(width, x.data(), 0.5f, z.data(), y.data());
    EXPECT_EQ(std::count(y.begin(), y.end() - 1, 3.0f), width);
    EXPECT_EQ(y.back(), 7.0f) << "a number behind the row was written";
  }
}

TEST(Rows, ABlendKeepsAShareOfWhatWasThere) {
  for (const Index width : {1, 15, 16, 63, 128}) {
    const std::vector<float> x(static_cast<std::size_t>(width), 2.0f);
    std::vector<float> y(x.size() + 1, 10.0f);
    blend(width, 0.25f, x.data(), y.data());
    EXPECT_EQ(std::count(y.begin(), y.end() - 1, 4.0f), width);  // 0.25 · 10 + 0.75 · 2
    EXPECT_EQ(y.back(), 10.0f) << "a number behind the row was written";
  }
}

TEST(Rows, LogSumStandsLargeNumbers) {
  const std::vector<float> x = {1000.0f, 1000.0f, -1000.0f, 999.0f, 1.0f};
  const LogSum result = log_sum(5, x.data());
  EXPECT_EQ(result.largest, 1000.0f);
  EXPECT_NEAR(result.sum, 2.0 + std::exp(-1.0), 1e-6);
}

TEST(Rows, AllFiniteFindsEveryKindOfBadNumberAnywhere) {
  std::vector<float> x(100, 1.0f);
  EXPECT_TRUE(all_finite(100, x.data()));
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    for (const std::size_t place : {std::size_t{0}, std::size_t{50}, std::size_t{99}}) {
      x[place] = bad;
      EXPECT_FALSE(all_finite(100, x.data())) << bad << " at " << place;
      x[place] = std::numeric_limits<float>::max();
    }
  }
  EXPECT_TRUE(all_finite(100, x.data()));
}

TEST(Rows, SumOfSquaresDoesNotDriftOverManyNumbers) {
  const std::vector<float> x(1'000'000, 0.1f);
  const double one = static_cast<double>(0.1f) * static_cast<double>(0.1f);
  EXPECT_NEAR(sum_of_squares(1'000'000, x.data()), 1e6 * one, 1e6 * one * 1e-5);
}

}  // namespace
}  // namespace heed::kernel
