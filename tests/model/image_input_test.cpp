#include "heed/model/input/image.h"

#include <gtest/gtest.h>

#include <cstring>

#include "heed/base/error.h"
#include "heed/model/input/image_network.h"
#include "tests/support/pictures.h"

namespace heed::test {
namespace {

Dataset pictures_of(const std::vector<Pixels>& all) {
  Dataset data;
  for (const Pixels& pixels : all) {
    data.records.push_back(make_record(Picture{.pixels = std::make_shared<const Pixels>(pixels)}));
  }
  return data;
}

ImageInput fitted_images(const Dataset& data, const ImageOptions& options = {}) {
  ImageInput input;
  input.options() = options;
  input.survey(data);
  input.fit(data);
  return input;
}

std::vector<std::uint8_t> bytes_of(const Batch& batch, Index sequence, std::size_t count) {
  const auto numbers = batch.input.integers(ImageInput::kPixels).part(sequence);
  std::vector<std::uint8_t> bytes(count);
  std::memcpy(bytes.data(), numbers.data(), count);
  return bytes;
}

TEST(ImageInput, PicturesOfOneSizeStayAsTheyAre) {
  const Dataset data = pictures_of({random_pixels(28, 20, 1, 1), random_pixels(28, 20, 1, 2)});
  const ImageInput input = fitted_images(data);
  EXPECT_EQ(input.options().height, 28);
  EXPECT_EQ(input.options().width, 20);
  EXPECT_EQ(input.options().channels, 1);
  Batch batch;
  input.prepare(data[1].content, batch);
  EXPECT_EQ(bytes_of(batch, 0, 560), std::get<Picture>(data[1].content).pixels->values);
  EXPECT_EQ(batch.lengths, (std::vector<Index>{35}));
}

TEST(ImageInput, LargePicturesBecomeSmallInTheirShape) {
  const ImageInput input = fitted_images(pictures_of({random_pixels(100, 200, 3, 1)}));
  EXPECT_EQ(input.options().height, 32);
  EXPECT_EQ(input.options().width, 64);
  EXPECT_EQ(input.options().channels, 3);
}

TEST(ImageInput, OnePictureInColourMakesAllOfThemColoured) {
  const Dataset data = pictures_of({random_pixels(8, 8, 1, 1), random_pixels(8, 8, 3, 2)});
  const ImageInput input = fitted_images(data);
  EXPECT_EQ(input.options().channels, 3);
  Batch batch;
  input.prepare(data[0].content, batch);
  const auto bytes = bytes_of(batch, 0, 3);
  EXPECT_EQ(bytes[0], bytes[1]);
  EXPECT_EQ(bytes[0], bytes[2]);
}

TEST(ImageInput, APictureOfOnePixelIsOneVector) {
  const Dataset data = pictures_of({*plain_picture(1, 1, {5}).pixels});
  for (const ImageTokens tokens :
       {ImageTokens::kPatches, ImageTokens::kPixels, ImageTokens::kConvolution}) {
    const ImageInput input = fitted_images(data, {.tokens = tokens});
    EXPECT_EQ(input.longest(), 1);
  }
}

TEST(ImageInput, MeanDeviationAndEdgeAreThoseOfTheData) {
  // Black around a white middle: the mean is 255 / 9.
  Pixels pixels{3, 3, 1, std::vector<std::uint8_t>(9, 0)};
  pixels.values[4] = 255;
  const ImageInput input = fitted_images(pictures_of({pixels, pixels}));
  EXPECT_NEAR(input.options().mean[0], 255.0 / 9.0, 1e-3);
  EXPECT_NEAR(input.options().deviation[0], 255.0 * std::sqrt(8.0) / 9.0, 1e-3);
  EXPECT_EQ(input.options().edge, (std::vector<Index>{0}));
}

TEST(ImageInput, AMaskBecomesTheMostFrequentValueOfEachPatch) {
  Pixels mask{4,
              4,
              1,
              {1, 1, 7, 7,  //
               1, 2, 7, 0,  //
               3, 3, 9, 9,  //
               3, 3, 9, 8}};
  Dataset data = pictures_of({random_pixels(8, 8, 1, 1)});
  data.records[0].answer = Mask{Picture{.pixels = std::make_shared<const Pixels>(mask)}};
  const ImageInput input = fitted_images(data, {.tokens = ImageTokens::kPatches, .patch = 4});
  Record record = data[0];
  input.align(record);
  EXPECT_EQ(std::get<Tags>(record.answer).names, (std::vector<std::string>{"1", "7", "3", "9"}));
}

TEST(ImageInput, PicturesAreNotMovedAwayFromTheirMasks) {
  Dataset data = pictures_of({random_pixels(8, 8, 1, 1)});
  data.records[0].answer = Mask{plain_picture(8, 8, {1})};
  ImageInput input;
  input.options().augmentation.flip = true;
  EXPECT_THROW(input.survey(data), UsageError);
  input.options().augmentation = {.colour = 0.1f};
  EXPECT_NO_THROW(input.survey(data));
}

// One vector of windows under which the whole picture is, for each kind of tokens.
TEST(ImageNetwork, ABatchEqualsItsPicturesOneByOne) {
  const Dataset data = pictures_of({random_pixels(9, 6, 3, 1), random_pixels(9, 6, 3, 2)});
  for (const ImageTokens tokens :
       {ImageTokens::kPatches, ImageTokens::kPixels, ImageTokens::kConvolution}) {
    for (const ImagePosition position :
         {ImagePosition::kNone, ImagePosition::kLearned, ImagePosition::kSinusoidal}) {
      ImageOptions options{.tokens = tokens, .patch = 4, .position = position};
      options.convolution.stages = 2;
      options.convolution.depth = 2;
      const ImageInput input = fitted_images(data, options);
      Parameters parameters;
      const auto network = input.network(Scope(parameters), 5);
      Batch both;
      for (const Record& record : data.records) input.prepare(record.content, both);
      Context context;
      context.begin(Mode::kEvaluate);
      const Sequences all = (*network)(context, both);
      EXPECT_EQ(all.layout.grid(), grid_of(input.options()));
      for (Index s = 0; s < 2; ++s) {
        Batch alone;
        input.prepare(data[s].content, alone);
        Context other;
        other.begin(Mode::kEvaluate);
        const Sequences one = (*network)(other, alone);
        ASSERT_EQ(one.rows.rows(), all.layout.length(s));
        for (Index i = 0; i < one.rows.value.count(); ++i) {
          EXPECT_NEAR(one.rows.value[i], all.rows.value[all.layout.begin(s) * 5 + i], 1e-5);
        }
      }
    }
  }
}

// A patch is its pixels, line by line, as numbers around 0; beyond the picture there is the mean.
TEST(ImageNetwork, APatchIsItsPixelsLineByLine) {
  const Pixels pixels{3, 2, 1, {10, 20, 30, 40, 50, 60}};
  const Dataset data = pictures_of({pixels});
  const ImageInput input = fitted_images(
      data, {.tokens = ImageTokens::kPatches, .patch = 2, .position = ImagePosition::kNone});
  Parameters parameters;
  const auto network = input.network(Scope(parameters), 1);
  const Parameter& weight = *parameters.find("windows.weight");
  const Parameter& bias = *parameters.find("windows.bias");
  for (Index i = 0; i < 4; ++i) weight.value[i] = static_cast<float>(std::pow(10, i));
  bias.value[0] = 0.0f;
  Batch batch;
  input.prepare(data[0].content, batch);
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = (*network)(context, batch);
  ASSERT_EQ(x.rows.rows(), 2);
  const auto number = [&](double value) {
    return (value - static_cast<double>(input.options().mean[0])) /
           static_cast<double>(input.options().deviation[0]);
  };
  EXPECT_NEAR(x.rows.value[0], number(10) + 10 * number(20) + 100 * number(30) + 1000 * number(40),
              1e-2);
  EXPECT_NEAR(x.rows.value[1], number(50) + 10 * number(60), 1e-2);
}

}  // namespace
}  // namespace heed::test
