#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "heed/tensor/shape.h"

namespace heed {

// What is known after one evaluation during training. NaN where something was not measured (or went
// wrong): the line has a gap there.
struct CurvePoint {
  Index step = 0;
  double training_loss = std::numeric_limits<double>::quiet_NaN();
  double dev_loss = std::numeric_limits<double>::quiet_NaN();
  double dev_score = std::numeric_limits<double>::quiet_NaN();  // a share of 1
  bool kept = false;  // the weights of this step are those of the model
};

// A picture of a training run, 720 × 420: the losses in one panel, the score below it (or one panel
// where the other has nothing to show), and the point marked whose weights are kept, or else the
// best score. A score that is not told in percent is from 0 to 100. SVG that needs nothing from
// outside and follows the reader's light or dark setting. Points are in the order of their steps.
std::string curve_svg(const std::vector<CurvePoint>& points, std::string_view title,
                      std::string_view score_name = "score", bool in_percent = true);

}  // namespace heed
