#include "heed/eval/comparison.h"

#include <gtest/gtest.h>

#include "heed/base/json.h"
#include "heed/base/random.h"
#include "heed/eval/comparison_report.h"
#include "heed/eval/plot.h"

namespace heed {
namespace {

// Variants of these skills, two seeds each, at two amounts of data.
Comparison made_comparison(const std::vector<double>& skills, Index examples = 400) {
  Comparison comparison;
  comparison.task = "classify";
  comparison.data = "a<b>.csv";
  comparison.score_name = "accuracy";
  comparison.amounts = {0.1, 1.0};
  comparison.seeds = 2;
  comparison.answers.assign(static_cast<std::size_t>(examples), 1);
  for (std::size_t v = 0; v < skills.size(); ++v) {
    comparison.variants.push_back(
        {"body" + std::to_string(v), "--body=x", 1000, 500, {{16, 1e5, 1e6}, {64, 5e4, 4e6}}});
    for (const double amount : comparison.amounts) {
      for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        ComparedRun run;
        run.variant = v;
        run.amount = amount;
        run.examples = static_cast<Index>(amount * 1000);
        run.seed = seed;
        run.seconds = 2.0;
        run.evaluations = {{1.0, 0.4}, {2.0, 0.5}};
        Random random(mix(seed, v));
        Index all = 0;
        for (Index i = 0; i < examples; ++i) {
          run.right.push_back(random.uniform() < skills[v] * (0.8 + 0.2 * amount) ? 1 : 0);
          all += run.right.back();
        }
        run.score = static_cast<double>(all) / static_cast<double>(examples);
        comparison.runs.push_back(run);
      }
    }
  }
  return comparison;
}

TEST(Comparison, AClearWinnerIsCalledOne) {
  const Comparison comparison = made_comparison({0.6, 0.9, 0.5});
  const std::vector<Standing> places = standings(comparison, 1.0);
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(places[0].variant, 1u);
  EXPECT_EQ(places[1].variant, 0u);
  EXPECT_TRUE(places[1].told_apart());
  EXPECT_GT(places[1].behind.value, 0.2);
  const std::string first = ComparisonReport(comparison).sentences().front();
  EXPECT_TRUE(first.starts_with("body1 did best: ")) << first;
  EXPECT_NE(first.find("more than chance (p"), std::string::npos) << first;
}

TEST(Comparison, WhatIsUndecidedIsCalledSo) {
  const Comparison comparison = made_comparison({0.8, 0.8, 0.3}, 100);
  const std::string first = ComparisonReport(comparison).sentences().front();
  EXPECT_NE(first.find("Which is better is undecided"), std::string::npos) << first;
  EXPECT_NE(first.find("body2 is behind by more than chance"), std::string::npos) << first;
}

TEST(Comparison, WhatIsEqualIsNotCalledBetter) {
  Comparison comparison = made_comparison({0.8, 0.8});
  for (ComparedRun& run : comparison.runs) {  // the second as the first
    for (const ComparedRun& other : comparison.runs) {
      if (other.variant == 0 && other.amount == run.amount && other.seed == run.seed) {
        run.right = other.right;
        run.score = other.score;
      }
    }
  }
  const std::string first = ComparisonReport(comparison).sentences().front();
  EXPECT_TRUE(first.starts_with("body0 and body1 did equally well: ")) << first;
  EXPECT_NE(first.find("body1 cannot be told apart from body0"), std::string::npos) << first;
}

TEST(Comparison, OneVariantAloneIsNoContest) {
  const std::string first = ComparisonReport(made_comparison({0.8})).sentences().front();
  EXPECT_TRUE(first.starts_with("body0 reached ") && first.ends_with(" % accuracy.")) << first;
}

TEST(Comparison, ThePageNeedsNothingFromOutsideAndEscapesNames) {
  const ComparisonReport report(made_comparison({0.6, 0.9}));
  const std::string html = report.html();
  EXPECT_NE(html.find("Compared on a&lt;b&gt;.csv"), std::string::npos);
  for (const char* outside : {"<script", "<link", "<img", "src=", "@import", "url("}) {
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
  }
  // The one address is the name of SVG.
  std::string rest = html;
  const std::string name = "http://www.w3.org/2000/svg";
  for (std::size_t at; (at = rest.find(name)) != std::string::npos;) rest.erase(at, name.size());
  EXPECT_EQ(rest.find("http"), std::string::npos);
  EXPECT_NE(html.find("prefers-color-scheme: dark"), std::string::npos);
  EXPECT_NE(html.find("width=device-width"), std::string::npos);
  ASSERT_EQ(report.plots().size(), 4u);
}

TEST(Comparison, TheJsonHasWhatThePageSays) {
  const Comparison comparison = made_comparison({0.6, 0.9});
  const ComparisonReport report(comparison);
  const Json json = Json::parse(report.json(), "report.json");
  EXPECT_EQ(json["findings"].list().front().text(), report.sentences().front());
  const Json all = json["amounts"].list().back();
  EXPECT_EQ(all["amount"].number(), 1.0);
  EXPECT_EQ(all["variants"].list()[0]["name"].text(), "body1");
  EXPECT_TRUE(all["variants"].list()[1]["behind"]["more_than_chance"].boolean());
}

TEST(Plot, NothingIsSaidToBeNothing) {
  const std::string svg = plot_svg({{"a", {}}}, {"title", "x", "y"});
  EXPECT_NE(svg.find("nothing was measured"), std::string::npos);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

// The first evaluation of a run is after some seconds, and the axis of time begins before that.
TEST(Plot, AnAxisFromZeroBeginsThere) {
  const std::vector<PlotLine> lines = {{"a", {{40.0, 0.9}, {60.0, 0.95}}}};
  const auto has_zero = [&](Scale scale) {
    return plot_svg(lines, {"t", "x", "y", scale, Scale::kPercent}).find(">0<") !=
           std::string::npos;
  };
  EXPECT_TRUE(has_zero(Scale::kFromZero));
  EXPECT_FALSE(has_zero(Scale::kLinear));
}

TEST(Plot, ALogarithmicAxisLeavesOutWhatItCannotShow) {
  const std::string svg =
      plot_svg({{"a", {{0.0, 1.0}, {10.0, 5.0}, {100.0, -1.0}, {1000.0, 50.0}}}},
               {"t", "x", "y", Scale::kLog, Scale::kLog});
  std::size_t marks = 0;
  for (std::size_t at = svg.find("<circle"); at != std::string::npos;
       at = svg.find("<circle", at + 1)) {
    ++marks;
  }
  EXPECT_EQ(marks, 3u);  // two points and the legend
}

TEST(Plot, NumbersAreShort) {
  EXPECT_EQ(short_number(0.25), "0.25");
  EXPECT_EQ(short_number(1024), "1,024");
  EXPECT_EQ(short_number(16384), "16.4k");
  EXPECT_EQ(short_number(2.5e6), "2.5M");
}

}  // namespace
}  // namespace heed
