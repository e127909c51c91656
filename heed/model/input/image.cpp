#include "heed/model/input/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "heed/base/error.h"
#include "heed/data/image/read.h"
#include "heed/data/image/resample.h"
#include "heed/model/input/image_network.h"

namespace heed {
namespace {

constexpr Index kSizesSeen = 200;      // files of which the size is looked at
constexpr Index kPicturesSeen = 1000;  // that mean and deviation are taken from
// A JPEG may come this much larger than it is needed, or more: see decode_jpeg().
constexpr Index kFiner = 2;

// Records at even distances, so many at most.
template <typename Take>
void sample(const Dataset& data, Index most, Take take) {
  const Index count = std::min(most, data.size());
  for (Index i = 0; i < count; ++i) {
    const Record& record = data[i * data.size() / count];
    if (const auto* picture = std::get_if<Picture>(&record.content)) take(*picture);
  }
}

Index median(std::vector<Index> numbers) {
  const auto middle = numbers.begin() + std::ssize(numbers) / 2;
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

// The size that a model has for pictures of these sizes: theirs, or where they differ or are large,
// the median of both sides, made smaller until the longer one is `largest`.
Extent size_for(const std::vector<Index>& heights, const std::vector<Index>& widths,
                Index largest) {
  Extent size{median(heights), median(widths)};
  const Index longer = std::max(size.height, size.width);
  if (longer <= largest) return size;
  const auto smaller = [&](Index side) {
    const double scaled = static_cast<double>(side * largest) / static_cast<double>(longer);
    return std::max<Index>(1, std::llround(scaled));
  };
  return {smaller(size.height), smaller(size.width)};
}

// The most frequent value of a part of a mask.
std::uint8_t most_frequent(const Pixels& mask, const Region& part) {
  std::array<Index, 256> counts{};
  const auto inside = [](double place, Index size) {
    return std::clamp<Index>(static_cast<Index>(std::floor(place)), 0, size - 1);
  };
  const Index top = inside(part.top, mask.height), left = inside(part.left, mask.width);
  const Index bottom = inside(std::ceil(part.top + part.height) - 1.0, mask.height);
  const Index right = inside(std::ceil(part.left + part.width) - 1.0, mask.width);
  for (Index y = top; y <= bottom; ++y) {
    for (Index x = left; x <= right; ++x) {
      ++counts[mask.values[static_cast<std::size_t>(y * mask.width + x)]];
    }
  }
  return static_cast<std::uint8_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

}  // namespace

bool ImageInput::reads(const Content& content) const {
  return std::holds_alternative<Picture>(content);
}

void ImageInput::check(const Record& record) const {
  const auto* picture = std::get_if<Picture>(&record.content);
  if (picture != nullptr) read_picture(*picture, {options_.largest, options_.largest});
  if (const auto* mask = std::get_if<Mask>(&record.answer)) read_mask(*mask->picture);
}

void ImageInput::survey(const Dataset& all) {
  const bool masks = std::any_of(all.records.begin(), all.records.end(), [](const Record& record) {
    return std::holds_alternative<Mask>(record.answer);
  });
  if (masks && options_.augmentation.moves()) {
    throw UsageError(
        "input.augmentation: shift, rotate, zoom and flip move pictures away from their masks; "
        "set them to 0 and false");
  }
  std::vector<Index> heights, widths;
  Index channels = 1;
  sample(all, kSizesSeen, [&](const Picture& picture) {
    const Pixels header = read_picture_header(picture);
    heights.push_back(header.height);
    widths.push_back(header.width);
    channels = std::max(channels, header.channels);
  });
  if (heights.empty()) return;  // records of another kind: check_content() refuses them
  const Extent size = size_for(heights, widths, options_.largest);
  if (options_.height == 0) options_.height = size.height;
  if (options_.width == 0) options_.width = size.width;
  if (options_.channels == 0) options_.channels = channels;
  options_ = settled(std::move(options_));
}

void ImageInput::align(Record& record) const {
  const auto* answer = std::get_if<Mask>(&record.answer);
  if (answer == nullptr) return;
  const std::shared_ptr<const Pixels> mask = read_mask(*answer->picture);
  const Region all = options_.fit == ImageFit::kCrop
                         ? middle(*mask, {options_.height, options_.width})
                         : whole(*mask);
  const Extent grid = grid_of(options_);
  const double height = all.height / static_cast<double>(grid.height);
  const double width = all.width / static_cast<double>(grid.width);
  Tags tags;
  for (Index y = 0; y < grid.height; ++y) {
    for (Index x = 0; x < grid.width; ++x) {
      const Region part{all.top + static_cast<double>(y) * height,
                        all.left + static_cast<double>(x) * width, height, width};
      tags.names.push_back(std::to_string(most_frequent(*mask, part)));
    }
  }
  record.answer = std::move(tags);
}

void ImageInput::fit(const Dataset& train) {
  const auto channels = static_cast<std::size_t>(options_.channels);
  std::vector<double> sums(channels), squares(channels);
  std::vector<std::vector<Index>> edges(channels);
  double count = 0.0;
  sample(train, kPicturesSeen, [&](const Picture& picture) {
    const Pixels pixels = seen(picture);
    for (Index i = 0; i < std::ssize(pixels.values); ++i) {
      const auto c = static_cast<std::size_t>(i % options_.channels);
      const double value = pixels.values[static_cast<std::size_t>(i)];
      sums[c] += value;
      squares[c] += value * value;
      const Index x = i / options_.channels % pixels.width;
      const Index y = i / options_.channels / pixels.width;
      const bool edge = x == 0 || y == 0 || x == pixels.width - 1 || y == pixels.height - 1;
      if (edge) edges[c].push_back(static_cast<Index>(value));
    }
    count += static_cast<double>(pixels.height * pixels.width);
  });
  options_.mean.clear();
  options_.deviation.clear();
  options_.edge.clear();
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = sums[c] / count;
    const double variance = std::max(0.0, squares[c] / count - mean * mean);
    options_.mean.push_back(static_cast<float>(mean));
    options_.deviation.push_back(static_cast<float>(std::max(1.0, std::sqrt(variance))));
    options_.edge.push_back(median(edges[c]));
  }
}

Pixels ImageInput::seen(const Picture& picture) const {
  const Extent size{options_.height, options_.width};
  const Extent wanted{kFiner * size.height, kFiner * size.width};
  const std::shared_ptr<const Pixels> pixels = read_picture(picture, wanted);
  const Pixels coloured = with_channels(*pixels, options_.channels);
  return resample(coloured,
                  options_.fit == ImageFit::kCrop ? middle(coloured, size) : whole(coloured), size);
}

void ImageInput::prepare(const Content& content, Batch& batch) const {
  const Pixels pixels = seen(std::get<Picture>(content));
  Ragged<std::int32_t>& column = batch.input.integers(kPixels);
  std::vector<std::int32_t>& numbers = column.buffer();
  const std::size_t begin = numbers.size();
  numbers.resize(begin + (pixels.values.size() + 3) / 4);
  std::memcpy(numbers.data() + begin, pixels.values.data(), pixels.values.size());
  column.close();
  batch.lengths.push_back(grid_of(options_).count());
}

Input::Rows ImageInput::vary(Batch& batch, Random& random) const {
  const std::span<std::int32_t> numbers = batch.input.integers(kPixels).last();
  const Index bytes = options_.height * options_.width * options_.channels;
  std::array<std::uint8_t, 3> edge{};
  for (std::size_t c = 0; c < std::min(edge.size(), options_.edge.size()); ++c) {
    edge[c] = static_cast<std::uint8_t>(options_.edge[c]);
  }
  vary_picture({options_.height,
                options_.width,
                options_.channels,
                {reinterpret_cast<std::uint8_t*>(numbers.data()), static_cast<std::size_t>(bytes)},
                edge},
               options_.augmentation, random);
  return {0, batch.lengths.back()};
}

void ImageInput::mix(Batch& batch, const Batch& other, float share) const {
  const auto bytes = static_cast<std::size_t>(options_.height * options_.width * options_.channels);
  const std::span<std::int32_t> to = batch.input.integers(kPixels).last();
  const std::span<const std::int32_t> from =
      other.input.integers(kPixels).part(other.sequences() - 1);
  mix_pictures({reinterpret_cast<std::uint8_t*>(to.data()), bytes},
               {reinterpret_cast<const std::uint8_t*>(from.data()), bytes}, share);
}

std::string ImageInput::summary() const {
  const Extent grid = grid_of(options_);
  return fmt::format("pictures of {} x {} pixels, {}, as {} x {} vectors", options_.width,
                     options_.height, options_.channels == 1 ? "grey" : "in colour", grid.width,
                     grid.height);
}

Index ImageInput::longest() const { return grid_of(settled(options_)).count(); }

std::unique_ptr<InputNetwork> ImageInput::network(const Scope& scope, Index width) const {
  return std::make_unique<ImageNetwork>(scope, settled(options_), width);
}

}  // namespace heed
