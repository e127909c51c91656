#include "heed/eval/curve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace heed {
namespace {

const double kNothing = std::nan("");

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

// The values of an attribute, as in cx="12.5".
std::vector<double> values_of(const std::string& svg, const std::string& attribute) {
  std::vector<double> values;
  const std::string start = " " + attribute + "=\"";
  for (std::size_t at = svg.find(start); at != std::string::npos; at = svg.find(start, at + 1)) {
    values.push_back(std::strtod(svg.c_str() + at + start.size(), nullptr));
  }
  return values;
}

// Every tag that is opened is closed, and no coordinate is outside of the picture.
void expect_sound(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
    const std::string tag = svg.substr(at + 1, svg.find('>', at) - at - 1);
    if (tag.starts_with('/')) {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ("/" + open.back(), tag);
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  for (const char* attribute : {"x", "x1", "x2", "cx", "y", "y1", "y2", "cy"}) {
    const double limit = std::string(attribute).find('x') != std::string::npos ? 720.0 : 420.0;
    for (const double value : values_of(svg, attribute)) {
      EXPECT_TRUE(value >= 0.0 && value <= limit) << attribute << "=" << value;
    }
  }
}

TEST(Curve, ShowsBothPanelsAndTheBestScore) {
  const std::string svg = curve_svg(
      {{100, 3.0, 2.9, 0.25}, {200, 2.0, 2.1, 0.5}, {1200, 1.0, 1.8, 0.45}}, "news", "accuracy");
  expect_sound(svg);
  EXPECT_EQ(count(svg, "<polyline"), 3);
  EXPECT_NE(svg.find(">dev accuracy, %<"), std::string::npos);
  EXPECT_NE(svg.find(">best 50.00 % at step 200<"), std::string::npos);
  EXPECT_NE(svg.find(">1,200<"), std::string::npos);
}

TEST(Curve, GapsBreakTheLineAndLonePointsAreDots) {
  std::vector<CurvePoint> points;
  for (Index step = 0; step < 40; ++step) {
    points.push_back({step, 1.0 + static_cast<double>(step), kNothing, kNothing});
  }
  EXPECT_EQ(count(curve_svg(points, "t"), "<polyline"), 1);
  points[10].training_loss = kNothing;
  points[12].training_loss = INFINITY;
  const std::string svg = curve_svg(points, "t");
  expect_sound(svg);
  EXPECT_EQ(count(svg, "<polyline"), 2);
  EXPECT_EQ(count(svg, "<circle"), 1);
  EXPECT_EQ(svg.find("dev"), svg.find("dev {"));  // nothing of dev but its style
}

TEST(Curve, StaysSoundWhateverTheNumbers) {
  expect_sound(curve_svg({}, "nothing"));
  expect_sound(curve_svg({{5, kNothing, kNothing, kNothing}}, "nothing known"));
  expect_sound(curve_svg({{0, 0.0, 0.0, 0.0}}, "zeros"));
  expect_sound(curve_svg({{7, 2.5, 2.5, 1.0}, {7, 2.5, 2.5, 1.0}}, "twice the same"));
  expect_sound(curve_svg({{1, 1e-30, 1e30, 0.5}, {1000000, -1e30, 1e-30, 0.5000001}}, "extremes"));
  expect_sound(curve_svg({{1, 1e308, -1e308, 0.5}, {3, 1.0, 1.0, 0.5}}, "near the largest"));
}

TEST(Curve, ManyPointsAreThinnedButPeaksStay) {
  std::vector<CurvePoint> points(100000);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].step = static_cast<Index>(i);
    points[i].training_loss = i == 54321 ? 8.0 : static_cast<double>(i % 2);
  }
  const std::string svg = curve_svg(points, "many");
  expect_sound(svg);
  EXPECT_LT(svg.size(), 100000u);
  // The peak is the top of the axis: 48 below the title, 26 for the head of the panel.
  EXPECT_NE(svg.find(",74.0 "), std::string::npos);
}

TEST(Curve, TitlesAreEscaped) {
  const std::string svg = curve_svg({}, "a <b> & \"c\"\x01");
  expect_sound(svg);
  EXPECT_EQ(count(svg, "a &lt;b&gt; &amp; \"c\"�"), 2);
}

TEST(Curve, AxesBeginAtZero) {
  std::vector<CurvePoint> points;
  for (Index step = 1000; step <= 2000; step += 100) {
    CurvePoint point;
    point.step = step;
    point.training_loss = 5.0;
    point.dev_score = 0.95;
    points.push_back(point);
  }
  EXPECT_EQ(count(curve_svg(points, "t"), ">0<"), 3) << "of the loss, the score and the steps";
}

}  // namespace
}  // namespace heed
