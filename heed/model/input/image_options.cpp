#include "heed/model/input/image_options.h"

#include <algorithm>

#include "heed/model/options.h"

namespace heed {
namespace {

constexpr Index kAssumed = 32;  // pixels of a side, before any picture was seen
constexpr double kMostSide = 4096;

Index divided(Index size, Index by) { return (size + by - 1) / by; }

// Pooling with a stride of 2 leaves half, rounded up; a window of 2 rounded down, but something.
Index pooled(Index size, Index stages, Index window) {
  for (Index stage = 0; stage < stages; ++stage) {
    size = window > 2 ? divided(size, 2) : std::max<Index>(1, size / 2);
  }
  return size;
}

}  // namespace

template <class Archive>
void describe(Archive& archive, ConvolutionTokenOptions& options) {
  archive.field("stages", options.stages, between(0, 16));
  archive.field("depth", options.depth, between(1, 16));
  archive.field("channels", options.channels, between(1, kMostWidth));
  archive.field("kernel", options.kernel, between(1, 31));
  archive.field("pool", options.pool, between(2, 3));
  archive.check("kernel", options.kernel % 2 == 1, "an odd number");
}

template <class Archive>
void describe(Archive& archive, Variation& options) {
  archive.field("shift", options.shift, part_of_one());
  archive.field("rotate", options.rotate, between(0, 180));
  archive.field("zoom", options.zoom, part_of_one());
  archive.field("flip", options.flip);
  archive.field("colour", options.colour, part_of_one());
  archive.field("erase", options.erase, part_of_one());
  archive.field("mixup", options.mixup, between(0, 1));
}

template <class Archive>
void describe(Archive& archive, ImageOptions& options) {
  archive.field("tokens", options.tokens);
  archive.field("height", options.height, between(0, kMostSide));
  archive.field("width", options.width, between(0, kMostSide));
  archive.field("channels", options.channels, between(0, 3));
  archive.field("largest", options.largest, between(1, kMostSide));
  archive.field("fit", options.fit);
  archive.field("most_rows", options.most_rows, between(1, kMostRows));
  archive.field("patch", options.patch, between(0, kMostSide));
  archive.field("convolution", options.convolution);
  archive.field("position", options.position);
  archive.field("augmentation", options.augmentation);
  archive.field("dropout", options.dropout, part_of_one());
  archive.field("mean", options.mean, between(0, 255));
  archive.field("deviation", options.deviation, above(0));
  archive.field("edge", options.edge, between(0, 255));
  archive.check("channels", options.channels != 2, "1 (grey), 3 (colour), or 0: by the data");
  const auto channels = static_cast<std::size_t>(options.channels);
  archive.check("mean",
                options.mean.size() == options.deviation.size() &&
                    options.mean.size() == options.edge.size() &&
                    (options.mean.empty() || options.mean.size() == channels),
                "a number for each channel, as deviation and edge have, or none");
}

template void describe(JsonReader&, ImageOptions&);
template void describe(JsonWriter&, ImageOptions&);

Extent grid_of(const ImageOptions& options) {
  const Extent size{options.height, options.width};
  switch (options.tokens) {
    case ImageTokens::kPixels:
      return size;
    case ImageTokens::kPatches:
      return {divided(size.height, options.patch), divided(size.width, options.patch)};
    case ImageTokens::kConvolution:
      break;
  }
  const auto side = [&](Index pixels) {
    return pooled(pixels, options.convolution.stages, options.convolution.pool);
  };
  return {side(size.height), side(size.width)};
}

ImageOptions settled(ImageOptions options) {
  if (options.height == 0) options.height = kAssumed;
  if (options.width == 0) options.width = options.height;
  if (options.channels == 0) options.channels = 3;
  const auto too_many = [&] { return grid_of(options).count() > options.most_rows; };
  if (options.patch == 0) {
    options.patch = 1;
    while (options.tokens == ImageTokens::kPatches && too_many()) ++options.patch;
  }
  if (options.convolution.stages == 0) {
    options.convolution.stages = 1;
    while (options.tokens == ImageTokens::kConvolution && too_many()) ++options.convolution.stages;
  }
  return options;
}

}  // namespace heed
