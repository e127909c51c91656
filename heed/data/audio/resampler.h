#pragma once

#include <soxr.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace heed {

// Samples at one rate → samples at another (libsoxr, high quality). Blocks go in as they come.
class Resampler {
 public:
  Resampler(double from, double to);

  // What goes out for one more block; an empty block is the end.
  std::span<const float> operator()(std::span<const float> block);

 private:
  struct Delete {
    void operator()(soxr* state) const { soxr_delete(state); }
  };
  std::unique_ptr<soxr, Delete> state_;
  double ratio_;
  std::vector<float> out_;
};

}  // namespace heed
