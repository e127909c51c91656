#include "heed/model/output/tags.h"
#include "heed/train/defaults.h"
#include "heed/train/defaults/image.h"

namespace heed {
namespace {

// A mask covers the whole picture, and its parts should be small.
void start_image_tags(const Config&, Config& config) {
  ImageOptions& image = config.input.as<ImageInput>()->options();
  image.fit = ImageFit::kStretch;
  image.most_rows = 256;
  start_picture_body(config);
}

}  // namespace

const PairDefaults kImageTags = {"image", "tags",  "attention",  start_image_tags,
                                 {1.0},   nullptr, pace_pictures};

}  // namespace heed
