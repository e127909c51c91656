#include "heed/base/svg.h"

#include <fmt/format.h>

#include "heed/base/display.h"

namespace heed {

std::string svg_escape(std::string_view text) {
  std::string escaped;
  for (const char letter : printable(text)) {
    switch (letter) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += letter;
    }
  }
  return escaped;
}

void svg_text(std::string& svg, double x, double y, std::string_view text, const char* style,
              const char* anchor) {
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\" text-anchor=\"{}\">{}</text>\n",
                     x, y, style, anchor, svg_escape(text));
}

void svg_line(std::string& svg, double x1, double y1, double x2, double y2, const char* style) {
  svg +=
      fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n",
                  x1, y1, x2, y2, style);
}

}  // namespace heed
