#pragma once

#include <vector>

#include "heed/data/image/variation.h"
#include "heed/model/json_options.h"
#include "heed/tensor/layout.h"

namespace heed {

// What a picture is divided into, each a vector.
enum class ImageTokens { kPatches, kPixels, kConvolution };

// How a picture of another shape becomes one of the model's: its middle, or all of it, stretched.
enum class ImageFit { kCrop, kStretch };

// How a vector knows where it is from: a vector for each place that is learned, or sines of its
// line in the first half of the columns and of its column in the second.
enum class ImagePosition { kNone, kLearned, kSinusoidal };

// Convolutions that see what is near before attention sees everything (Hassani et al. 2021). Each
// stage is some convolutions with ReLU and a max pooling that halves height and width.
struct ConvolutionTokenOptions {
  Index stages = 0;     // 0: as many as leave at most `most_rows`
  Index depth = 1;      // convolutions of a stage
  Index channels = 32;  // of the first stage; twice as many in each one after it
  Index kernel = 3;
  Index pool = 3;  // the window of the pooling
};

struct ImageOptions {
  ImageTokens tokens = ImageTokens::kConvolution;
  Index height = 0, width = 0, channels = 0;  // 0: by the data
  Index largest = 64;                         // side that pictures have which are not of one size
  ImageFit fit = ImageFit::kCrop;
  Index most_rows = 64;  // vectors of a picture, where `patch` or `convolution.stages` is 0
  Index patch = 0;       // side of a patch
  ConvolutionTokenOptions convolution{};
  ImagePosition position = ImagePosition::kLearned;
  Variation augmentation{};
  float dropout = 0.0f;
  // Learned from the training pictures, for each channel: 0 to 255 becomes (value − mean) /
  // deviation, and what is beyond the edge of a picture has the value `edge`.
  std::vector<float> mean = {}, deviation = {};
  std::vector<Index> edge = {};
};
template <class Archive>
void describe(Archive& archive, ImageOptions& options);

template <>
struct Names<ImageTokens> {
  static constexpr Name<ImageTokens> kTable[] = {{ImageTokens::kPatches, "patches"},
                                                 {ImageTokens::kPixels, "pixels"},
                                                 {ImageTokens::kConvolution, "convolution"}};
};
template <>
struct Names<ImageFit> {
  static constexpr Name<ImageFit> kTable[] = {{ImageFit::kCrop, "crop"},
                                              {ImageFit::kStretch, "stretch"}};
};
template <>
struct Names<ImagePosition> {
  static constexpr Name<ImagePosition> kTable[] = {{ImagePosition::kNone, "none"},
                                                   {ImagePosition::kLearned, "learned"},
                                                   {ImagePosition::kSinusoidal, "sinusoidal"}};
};

// The lines and columns of vectors that a picture becomes.
Extent grid_of(const ImageOptions& options);
// The same options with a size where there is none yet: patches or stages by `most_rows`; before
// any picture was seen, 32 x 32 in colour.
ImageOptions settled(ImageOptions options);

}  // namespace heed
