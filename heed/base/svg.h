#pragma once

#include <string>
#include <string_view>

// Pieces of pictures as SVG, which need nothing from outside. Coordinates are in pixels, `style` is
// a class of the picture's own style sheet.
namespace heed {

// printable(text) with what XML keeps for itself replaced.
std::string svg_escape(std::string_view text);

// Text that begins, has its middle or ends at x ("start", "middle", "end"), its baseline at y.
void svg_text(std::string& svg, double x, double y, std::string_view text, const char* style = "",
              const char* anchor = "start");
void svg_line(std::string& svg, double x1, double y1, double x2, double y2, const char* style);

}  // namespace heed
