#include "heed/base/svg.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Svg, EscapesWhatXmlKeepsForItself) {
  EXPECT_EQ(svg_escape("a < b & c > d"), "a &lt; b &amp; c &gt; d");
  EXPECT_EQ(svg_escape("größer → 4 × 32"), "größer → 4 × 32");
  // Control characters are not allowed in XML, escaped or not.
  EXPECT_EQ(svg_escape("a\x1b\x01"), "a��");
}

TEST(Svg, WritesTextAndLines) {
  std::string svg;
  svg_text(svg, 1.0, 2.25, "<b>", "name", "end");
  svg_line(svg, 0.0, 1.0, 2.0, 3.0, "grid");
  EXPECT_EQ(svg,
            "<text x=\"1.0\" y=\"2.2\" class=\"name\" text-anchor=\"end\">&lt;b&gt;</text>\n"
            "<line x1=\"0.0\" y1=\"1.0\" x2=\"2.0\" y2=\"3.0\" class=\"grid\"/>\n");
}

}  // namespace
}  // namespace heed
