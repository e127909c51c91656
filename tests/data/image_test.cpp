#include <gtest/gtest.h>

#include <cstdio>  // before jpeglib.h, which needs FILE
// clang-format off
#include <jpeglib.h>
// clang-format on

#include <cmath>
#include <cstdlib>

#include "heed/base/error.h"
#include "heed/data/image/decode.h"
#include "heed/data/image/read.h"
#include "heed/data/image/resample.h"
#include "heed/data/image/variation.h"
#include "tests/support/messages.h"
#include "tests/support/pictures.h"
#include "tests/support/temporary_folder.h"

namespace heed::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::string jpeg_file(const Pixels& pixels, int quality, bool progressive = false) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &bytes, &size);
  jpeg.image_width = static_cast<JDIMENSION>(pixels.width);
  jpeg.image_height = static_cast<JDIMENSION>(pixels.height);
  jpeg.input_components = static_cast<int>(pixels.channels);
  jpeg.in_color_space = pixels.channels == 1   ? JCS_GRAYSCALE
                        : pixels.channels == 3 ? JCS_RGB
                                               : JCS_CMYK;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, quality, TRUE);
  if (progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  while (jpeg.next_scanline < jpeg.image_height) {
    auto* line = const_cast<JSAMPLE*>(pixels.values.data()) +
                 std::size_t{jpeg.next_scanline} * jpeg.image_width *
                     static_cast<std::size_t>(pixels.channels);
    jpeg_write_scanlines(&jpeg, &line, 1);
  }
  jpeg_finish_compress(&jpeg);
  std::string file(reinterpret_cast<const char*>(bytes), size);
  jpeg_destroy_compress(&jpeg);
  std::free(bytes);
  return file;
}

// Light from the left to the right, so that JPEG keeps it nearly as it is.
Pixels slope(Index height, Index width, Index channels) {
  Pixels pixels{height, width, channels, {}};
  for (Index i = 0; i < height * width * channels; ++i) {
    pixels.values.push_back(static_cast<std::uint8_t>(i / channels % width * 255 / width));
  }
  return pixels;
}

TEST(Png, GreyAndColourAreReadAsTheyAre) {
  for (const Index channels : {1, 3}) {
    const Pixels pixels = random_pixels(5, 7, channels, 1);
    const Pixels read = decode_png("a.png", png_file(pixels));
    EXPECT_EQ(read.height, 5);
    EXPECT_EQ(read.width, 7);
    EXPECT_EQ(read.channels, channels);
    EXPECT_EQ(read.values, pixels.values);
    const Pixels header = png_header("a.png", png_file(pixels));
    EXPECT_EQ(header.width, 7);
    EXPECT_EQ(header.channels, channels);
  }
}

TEST(Png, TransparencyIsOverWhite) {
  // Black, half transparent; then white, not at all there; then 40 as it is.
  const PngParts grey{.width = 3, .type = 4, .lines = std::string("\0\0\x80\xFF\0\x28\xFF", 7)};
  EXPECT_EQ(decode_png("a.png", png_file(grey)).values, (Bytes{127, 255, 40}));
  const PngParts colour{.width = 2, .type = 6, .lines = std::string("\0\1\2\3\xFF\0\0\0\0", 9)};
  EXPECT_EQ(decode_png("a.png", png_file(colour)).values, (Bytes{1, 2, 3, 255, 255, 255}));
}

TEST(Png, SixteenBitsAreRoundedToEight) {
  const PngParts parts{.width = 2, .depth = 16, .lines = std::string("\0\x80\x80\xFF\xFF", 5)};
  EXPECT_EQ(decode_png("a.png", png_file(parts)).values, (Bytes{128, 255}));
}

TEST(Png, OneBitIsBlackAndWhite) {
  const PngParts parts{.width = 4, .depth = 1, .lines = std::string("\0\x50", 2)};
  EXPECT_EQ(decode_png("a.png", png_file(parts)).values, (Bytes{0, 255, 0, 255}));
}

TEST(Png, APaletteIsItsColoursOrItsNumbers) {
  const PngParts parts{.width = 2,
                       .depth = 4,
                       .type = 3,
                       .lines = std::string("\0\x10", 2),
                       .palette = std::string("\x0A\x14\x1E\x28\x32\x3C", 6)};
  EXPECT_EQ(decode_png("a.png", png_file(parts)).values, (Bytes{40, 50, 60, 10, 20, 30}));
  const Pixels numbers = decode_png("a.png", png_file(parts), Palette::kNumbers);
  EXPECT_EQ(numbers.channels, 1);
  EXPECT_EQ(numbers.values, (Bytes{1, 0}));
}

TEST(Png, WhatIsBrokenIsToldWithTheFile) {
  const std::string whole = png_file(random_pixels(20, 20, 3, 2));
  for (const std::size_t size :
       {std::size_t{8}, std::size_t{20}, std::size_t{60}, whole.size() - 13}) {
    expect_in("a.png: cannot be read as a PNG picture",
              message_of([&] { decode_png("a.png", whole.substr(0, size)); }));
  }
  std::string flipped = whole;
  flipped[60] = static_cast<char>(~flipped[60]);
  expect_in("a.png: cannot be read", message_of([&] { decode_png("a.png", flipped); }));
}

// A few hundred bytes that would be 1.2 GB, and a size that no memory could hold.
TEST(Png, AHugePictureIsRefusedByItsHeader) {
  const PngParts large{.width = 20000, .height = 20000, .type = 2, .lines = std::string(100, '\0')};
  expect_in("a.png: has 20,000 x 20,000 pixels, expected at most 40,000,000",
            message_of([&] { decode_png("a.png", png_file(large)); }));
  const PngParts larger{.width = 0x7FFFFFFF, .height = 0x7FFFFFFF};
  expect_in("a.png: ", message_of([&] { decode_png("a.png", png_file(larger)); }));
}

// A JPEG file whose Exif part says how the camera was held, in either order of bytes.
std::string held(const std::string& file, char orientation, bool big) {
  const std::string tiff = big ? std::string("MM\0\x2A\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0", 19) +
                                     orientation + std::string(6, '\0')
                               : std::string("II\x2A\0\x08\0\0\0\1\0\x12\x01\3\0\1\0\0\0", 18) +
                                     orientation + std::string(7, '\0');
  const std::string exif = std::string("Exif\0\0", 6) + tiff;
  const auto length = static_cast<char>(exif.size() + 2);
  return file.substr(0, 2) + "\xFF\xE1" + std::string(1, '\0') + length + exif + file.substr(2);
}

TEST(Jpeg, IsTurnedAsTheCameraWasHeld) {
  // Dark at the left of the file, light at the right.
  const std::string file = jpeg_file(slope(16, 32, 3), 95);
  for (const bool big : {true, false}) {
    for (char orientation = 1; orientation <= 8; ++orientation) {
      const std::string bytes = held(file, orientation, big);
      const Pixels read = decode_jpeg("a.jpg", bytes);
      const bool swapped = orientation >= 5;
      ASSERT_EQ(read.height, swapped ? 32 : 16);
      ASSERT_EQ(read.width, swapped ? 16 : 32);
      EXPECT_EQ(jpeg_header("a.jpg", bytes).height, read.height);
      const bool light_first = orientation == 2 || orientation == 3 || orientation >= 7;
      EXPECT_EQ(read.values.front() > read.values.back(), light_first) << int{orientation};
    }
  }
}

TEST(Jpeg, AnExifPartThatLiesIsPassedOver) {
  const std::string file = jpeg_file(slope(16, 32, 3), 95);
  std::string bytes = held(file, 9, true);
  EXPECT_EQ(decode_jpeg("a.jpg", bytes).width, 32);  // there are 8 ways to hold a camera
  bytes = held(file, 6, true);
  bytes[16] = '\x7F';  // the directory is far behind the end
  EXPECT_EQ(decode_jpeg("a.jpg", bytes).width, 32);
}

TEST(Jpeg, IsNearlyWhatWasWritten) {
  for (const Index channels : {1, 3}) {
    for (const bool progressive : {false, true}) {
      const Pixels pixels = slope(24, 40, channels);
      const Pixels read = decode_jpeg("a.jpg", jpeg_file(pixels, 98, progressive));
      ASSERT_EQ(read.values.size(), pixels.values.size());
      EXPECT_EQ(read.channels, channels);
      for (std::size_t i = 0; i < read.values.size(); ++i) {
        EXPECT_NEAR(read.values[i], pixels.values[i], 6) << i;
      }
    }
  }
}

TEST(Jpeg, CmykBecomesColour) {
  Pixels ink{8, 8, 4, {}};
  for (int i = 0; i < 64; ++i) ink.values.insert(ink.values.end(), {255, 0, 0, 255});
  // libjpeg writes an Adobe marker for CMYK: light, not ink, so that this is red.
  const Pixels read = decode_jpeg("a.jpg", jpeg_file(ink, 100));
  EXPECT_EQ(read.channels, 3);
  EXPECT_NEAR(read.values[0], 255, 3);
  EXPECT_NEAR(read.values[1], 0, 3);
}

TEST(Jpeg, MayComeSmallerThanItIs) {
  const std::string file = jpeg_file(slope(80, 160, 3), 95);
  const Pixels half = decode_jpeg("a.jpg", file, {30, 70});
  EXPECT_EQ(half.height, 40);
  EXPECT_EQ(half.width, 80);
  const Pixels whole_picture = decode_jpeg("a.jpg", file, {50, 50});
  EXPECT_EQ(whole_picture.width, 160);
}

TEST(Jpeg, WhatIsBrokenIsToldWithTheFile) {
  const std::string whole_file = jpeg_file(random_pixels(40, 40, 3, 4), 90);
  for (const std::size_t size : {std::size_t{4}, std::size_t{100}, whole_file.size() / 2}) {
    expect_in("a.jpg: cannot be read as a JPEG picture",
              message_of([&] { decode_jpeg("a.jpg", whole_file.substr(0, size)); }));
  }
}

TEST(ReadPicture, WhatIsNoPictureIsToldWithTheFile) {
  const TemporaryFolder folder;
  const auto told = [&](const std::string& name, const std::string& bytes) {
    const std::string file = folder.write(name, bytes);
    return message_of([&] { read_picture({.file = file}); });
  };
  expect_in("empty.png: is empty, expected a PNG or JPEG picture", told("empty.png", ""));
  expect_in("text.png: is neither a PNG nor a JPEG picture", told("text.png", "hello"));
  expect_in("none.png", message_of([&] { read_picture({.file = folder.path("none.png")}); }));
}

TEST(ReadPicture, ItsFormatIsNotThatOfItsName) {
  const TemporaryFolder folder;
  const Pixels pixels = random_pixels(2, 3, 1, 5);
  EXPECT_EQ(read_picture({.file = folder.write("a.jpg", png_file(pixels))})->values, pixels.values);
}

TEST(ReadMask, ColoursAreRefused) {
  const TemporaryFolder folder;
  const std::string file = folder.write("m.png", png_file(random_pixels(2, 2, 3, 5)));
  expect_in("m.png: a mask in colour", message_of([&] { read_mask({.file = file}); }));
}

TEST(Resample, TheSameSizeIsTheSamePicture) {
  const Pixels pixels = random_pixels(6, 5, 3, 6);
  EXPECT_EQ(resample(pixels, whole(pixels), {6, 5}).values, pixels.values);
}

TEST(Resample, ThePlainStaysPlainAtAnySize) {
  const Pixels pixels = *plain_picture(7, 9, {11, 200, 97}).pixels;
  for (const Extent& size : {Extent{1, 1}, Extent{3, 4}, Extent{20, 31}}) {
    const Pixels other = resample(pixels, whole(pixels), size);
    for (std::size_t i = 0; i < other.values.size(); ++i) {
      EXPECT_EQ(other.values[i], pixels.values[i % 3]);
    }
  }
}

TEST(Resample, SmallerIsTheMeanOfWhatIsUnderIt) {
  // Stripes of 0 and 200: a quarter of the size is grey all over.
  Pixels stripes{16, 16, 1, {}};
  for (Index i = 0; i < 256; ++i) stripes.values.push_back(i % 2 == 0 ? 0 : 200);
  for (const std::uint8_t value : resample(stripes, whole(stripes), {4, 4}).values) {
    EXPECT_NEAR(value, 100, 8);
  }
}

TEST(Resample, LargerGoesStraightFromOnePixelToTheNext) {
  const Pixels pair{1, 2, 1, {0, 100}};
  EXPECT_EQ(resample(pair, whole(pair), {1, 4}).values, (Bytes{0, 25, 75, 100}));
}

TEST(Resample, TheMiddleHasTheShapeThatIsAskedFor) {
  Pixels wide{2, 6, 1, {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}};
  const Region part = middle(wide, {10, 10});
  EXPECT_EQ(part.left, 2.0);
  EXPECT_EQ(part.width, 2.0);
  EXPECT_EQ(resample(wide, part, {2, 2}).values, (Bytes{3, 4, 3, 4}));
}

TEST(Channels, GreyAndColourBecomeEachOther) {
  const Pixels grey = with_channels({1, 2, 3, {255, 0, 0, 10, 10, 10}}, 1);
  EXPECT_EQ(grey.values, (Bytes{76, 10}));
  EXPECT_EQ(with_channels({1, 1, 1, {7}}, 3).values, (Bytes{7, 7, 7}));
}

// What vary_picture() makes of a picture.
Bytes varied(const Pixels& pixels, const Variation& variation, std::uint64_t key) {
  Bytes values = pixels.values;
  const Bytes edge(static_cast<std::size_t>(pixels.channels), 9);
  Random random(key);
  vary_picture({pixels.height, pixels.width, pixels.channels, values, edge}, variation, random);
  return values;
}

TEST(Variation, NothingChangesWhereNothingIsOn) {
  const Pixels pixels = random_pixels(6, 7, 3, 1);
  EXPECT_EQ(varied(pixels, {}, 1), pixels.values);
}

TEST(Variation, IsAFunctionOfTheKey) {
  const Pixels pixels = random_pixels(9, 9, 3, 1);
  const Variation all{
      .shift = 0.2f, .rotate = 20, .zoom = 0.2f, .flip = true, .colour = 0.3f, .erase = 0.5f};
  EXPECT_EQ(varied(pixels, all, 3), varied(pixels, all, 3));
  EXPECT_NE(varied(pixels, all, 3), varied(pixels, all, 4));
}

TEST(Variation, AFlipIsThePictureOrItsMirrorImage) {
  const Pixels pixels = random_pixels(3, 4, 1, 2);
  Bytes mirrored;
  for (std::size_t y = 0; y < 3; ++y) {
    for (std::size_t x = 0; x < 4; ++x) mirrored.push_back(pixels.values[4 * y + 3 - x]);
  }
  int flipped = 0;
  for (std::uint64_t key = 0; key < 100; ++key) {
    const Bytes values = varied(pixels, {.flip = true}, key);
    EXPECT_TRUE(values == pixels.values || values == mirrored);
    flipped += values == mirrored ? 1 : 0;
  }
  EXPECT_GT(flipped, 25);
  EXPECT_LT(flipped, 75);
}

TEST(Variation, AShiftMovesWholePixelsAndBringsInTheEdge) {
  Pixels dot{9, 9, 1, Bytes(81, 9)};
  dot.values[4 * 9 + 4] = 200;
  for (std::uint64_t key = 0; key < 20; ++key) {
    const Bytes values = varied(dot, {.shift = 0.25f}, key);
    EXPECT_EQ(std::count(values.begin(), values.end(), 200), 1);
    EXPECT_EQ(std::count(values.begin(), values.end(), 9), 80);
    const auto at = std::find(values.begin(), values.end(), 200) - values.begin();
    EXPECT_LE(std::abs(at / 9 - 4), 2);
    EXPECT_LE(std::abs(at % 9 - 4), 2);
  }
}

TEST(Variation, ATurnKeepsTheMiddle) {
  Pixels bright{9, 9, 1, Bytes(81, 0)};
  bright.values[4 * 9 + 4] = 200;
  for (std::uint64_t key = 0; key < 20; ++key) {
    EXPECT_GE(varied(bright, {.rotate = 90}, key)[4 * 9 + 4], 199);
  }
}

TEST(Variation, ErasingHidesARectangle) {
  const Pixels plain = *plain_picture(10, 10, {100}).pixels;
  for (std::uint64_t key = 0; key < 20; ++key) {
    const Bytes values = varied(plain, {.erase = 1.0f}, key);
    const auto hidden = std::count(values.begin(), values.end(), 9);
    EXPECT_GE(hidden, 1);
    EXPECT_LE(hidden, 45);
    EXPECT_EQ(hidden + std::count(values.begin(), values.end(), 100), 100);
  }
}

}  // namespace
}  // namespace heed::test
