#include "heed/data/image/variation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace heed {
namespace {

float between(Random& random, float from, float to) {
  return from + (to - from) * random.uniform();
}

// Where a pixel of the new picture is in the old one: x' = a x + b y + c, y' = d x + e y + f.
struct Affine {
  float a, b, c, d, e, f;
};

Affine draw_affine(const VariedPicture& picture, const Variation& variation, Random& random) {
  const auto height = static_cast<float>(picture.height), width = static_cast<float>(picture.width);
  const float angle =
      between(random, -1.0f, 1.0f) * variation.rotate * std::numbers::pi_v<float> / 180.0f;
  const float scale =
      1.0f / between(random, 1.0f - std::min(0.9f, variation.zoom), 1.0f + variation.zoom);
  const float right = between(random, -1.0f, 1.0f) * variation.shift * width;
  const float down = between(random, -1.0f, 1.0f) * variation.shift * height;
  const float mirror = variation.flip && random.uniform() < 0.5f ? -1.0f : 1.0f;
  const float cosine = scale * std::cos(angle), sine = scale * std::sin(angle);
  const float x = 0.5f * (width - 1.0f), y = 0.5f * (height - 1.0f);  // the middle stays
  Affine map{mirror * cosine, -mirror * sine, 0.0f, sine, cosine, 0.0f};
  map.c = x - map.a * (x + right) - map.b * (y + down);
  map.f = y - map.d * (x + right) - map.e * (y + down);
  // Without rotation and zoom whole pixels move, and stay sharp.
  if (variation.rotate == 0.0f && variation.zoom == 0.0f) {
    map.c = std::round(map.c);
    map.f = std::round(map.f);
  }
  return map;
}

// Bilinear interpolation between the four pixels around a place, with the edge beyond the picture.
void move(const VariedPicture& picture, const Affine& map) {
  const Index height = picture.height, width = picture.width, channels = picture.channels;
  // A frame of one pixel around a copy: the four pixels of any place near the picture are there.
  const Index line = (width + 2) * channels;
  std::vector<std::uint8_t> old(static_cast<std::size_t>((height + 2) * line));
  for (std::size_t i = 0; i < old.size(); ++i) {
    old[i] = picture.edge[i % static_cast<std::size_t>(channels)];
  }
  for (Index y = 0; y < height; ++y) {
    std::copy_n(picture.values.begin() + y * width * channels, width * channels,
                old.begin() + (y + 1) * line + channels);
  }
  std::uint8_t* to = picture.values.data();
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      // In the copy, clamped to its frame.
      const float fx =
          std::clamp(map.a * static_cast<float>(x) + map.b * static_cast<float>(y) + map.c + 1.0f,
                     0.0f, static_cast<float>(width + 1) - 0.001f);
      const float fy =
          std::clamp(map.d * static_cast<float>(x) + map.e * static_cast<float>(y) + map.f + 1.0f,
                     0.0f, static_cast<float>(height + 1) - 0.001f);
      const auto left = static_cast<Index>(fx), top = static_cast<Index>(fy);
      const float right = fx - static_cast<float>(left), below = fy - static_cast<float>(top);
      const std::uint8_t* from = old.data() + top * line + left * channels;
      for (Index c = 0; c < channels; ++c, ++from) {
        const float upper = static_cast<float>(from[0]) * (1.0f - right) +
                            static_cast<float>(from[channels]) * right;
        const float lower = static_cast<float>(from[line]) * (1.0f - right) +
                            static_cast<float>(from[line + channels]) * right;
        *to++ = static_cast<std::uint8_t>(upper + (lower - upper) * below + 0.5f);
      }
    }
  }
}

std::uint8_t byte_of(float value) {
  return static_cast<std::uint8_t>(std::clamp(value + 0.5f, 0.0f, 255.0f));
}

// value → contrast · (saturation · value + (1 − saturation) · grey − mean) + mean · brightness
void change_colour(const VariedPicture& picture, float strength, Random& random) {
  const float brightness = between(random, 1.0f - strength, 1.0f + strength);
  const float contrast = between(random, 1.0f - strength, 1.0f + strength);
  const float saturation = between(random, 1.0f - strength, 1.0f + strength);
  double sum = 0.0;
  for (const std::uint8_t value : picture.values) sum += value;
  const auto mean = static_cast<float>(sum / static_cast<double>(picture.values.size()));
  const auto channels = static_cast<std::size_t>(picture.channels);
  for (std::size_t i = 0; i < picture.values.size(); i += channels) {
    float grey = 0.0f;
    for (std::size_t c = 0; c < channels; ++c) grey += picture.values[i + c];
    grey /= static_cast<float>(channels);
    for (std::size_t c = 0; c < channels; ++c) {
      const float value = grey + saturation * (picture.values[i + c] - grey);
      picture.values[i + c] = byte_of(contrast * (value - mean) + mean * brightness);
    }
  }
}

// A rectangle of a fiftieth to a third of the picture, up to three times as wide as high or as high
// as wide (Zhong et al. 2017).
void hide_rectangle(const VariedPicture& picture, Random& random) {
  const auto height = static_cast<float>(picture.height), width = static_cast<float>(picture.width);
  const float area = between(random, 0.02f, 0.33f) * height * width;
  const float ratio = std::exp(between(random, -1.0f, 1.0f) * std::log(3.0f));
  const Index rows = std::clamp<Index>(std::lround(std::sqrt(area * ratio)), 1, picture.height);
  const Index columns = std::clamp<Index>(std::lround(std::sqrt(area / ratio)), 1, picture.width);
  const Index top = random.below(static_cast<std::uint32_t>(picture.height - rows + 1));
  const Index left = random.below(static_cast<std::uint32_t>(picture.width - columns + 1));
  for (Index y = top; y < top + rows; ++y) {
    std::uint8_t* to = picture.values.data() + (y * picture.width + left) * picture.channels;
    for (Index i = 0; i < columns * picture.channels; ++i) {
      to[i] = picture.edge[static_cast<std::size_t>(i % picture.channels)];
    }
  }
}

}  // namespace

void vary_picture(const VariedPicture& picture, const Variation& variation, Random& random) {
  if (variation.moves()) move(picture, draw_affine(picture, variation, random));
  if (variation.colour > 0.0f) change_colour(picture, variation.colour, random);
  if (variation.erase > 0.0f && random.uniform() < variation.erase) {
    hide_rectangle(picture, random);
  }
}

void mix_pictures(std::span<std::uint8_t> values, std::span<const std::uint8_t> other,
                  float share) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float own = values[i];
    values[i] =
        static_cast<std::uint8_t>(own + share * (static_cast<float>(other[i]) - own) + 0.5f);
  }
}

}  // namespace heed
