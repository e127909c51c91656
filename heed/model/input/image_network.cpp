#include "heed/model/input/image_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/grad/embedding.h"
#include "heed/grad/linear.h"
#include "heed/model/input/image.h"

namespace heed {
namespace {

constexpr float kPositionDeviation = 0.02f;

// Channels that go out of each convolution, the first one's included; the last one's are the width.
std::vector<Index> channels_of(const ConvolutionTokenOptions& options, Index width) {
  std::vector<Index> channels;
  for (Index stage = 0; stage < options.stages; ++stage) {
    for (Index i = 0; i < options.depth; ++i) channels.push_back(options.channels << stage);
  }
  channels.back() = width;
  return channels;
}

Index first_width(const ImageOptions& options, Index width) {
  if (options.tokens != ImageTokens::kConvolution) return width;
  return channels_of(options.convolution, width).front();
}

Index window_side(const ImageOptions& options) {
  switch (options.tokens) {
    case ImageTokens::kPixels:
      return 1;
    case ImageTokens::kPatches:
      return options.patch;
    case ImageTokens::kConvolution:
      return options.convolution.kernel;
  }
  return 1;
}

}  // namespace

ImageNetwork::ImageNetwork(const Scope& scope, const ImageOptions& options, Index width)
    : options_(options),
      grid_(grid_of(options)),
      first_(scope / "windows", window_side(options) * window_side(options) * options.channels,
             first_width(options, width)) {
  for (std::size_t c = 0; c < static_cast<std::size_t>(options.channels); ++c) {
    // Before anything was learned, numbers around 0 will do.
    const float mean = options.mean.empty() ? 128.0f : options.mean[c];
    const float deviation = options.mean.empty() ? 64.0f : options.deviation[c];
    for (std::size_t byte = 0; byte < 256; ++byte) {
      numbers_[c][byte] = (static_cast<float>(byte) - mean) / deviation;
    }
  }
  if (options.tokens == ImageTokens::kConvolution) {
    const std::vector<Index> channels = channels_of(options.convolution, width);
    const Index side = options.convolution.kernel, around = side / 2;
    for (std::size_t i = 1; i < channels.size(); ++i) {
      convolutions_.emplace_back(
          scope / "convolutions" / static_cast<Index>(i - 1),
          nn::Convolution2dOptions{.in = channels[i - 1],
                                   .out = channels[i],
                                   .kernel = {side, side},
                                   .geometry = {.stride = {1, 1}, .padding = {around, around}}});
    }
  }
  if (options.position == ImagePosition::kLearned) {
    positions_ = &(scope / "positions")
                      .add("weight", {grid_.count(), width}, Init::normal(kPositionDeviation),
                           {.decay = false});
  } else if (options.position == ImagePosition::kSinusoidal) {
    fill_positions(width);
  }
}

// The line in the first half of the columns, the column in the second, each as Vaswani et al. 2017
// have it for one dimension.
void ImageNetwork::fill_positions(Index width) {
  sines_ = Buffer(static_cast<std::size_t>(grid_.count() * width) * sizeof(float));
  const Index half = (width + 1) / 2;
  for (Index row = 0; row < grid_.count(); ++row) {
    for (Index column = 0; column < width; ++column) {
      const bool first = column < half;
      const Index place = first ? row / grid_.width : row % grid_.width;
      const Index i = first ? column : column - half;
      const double period =
          std::pow(10000.0, static_cast<double>(i - i % 2) / static_cast<double>(half));
      const double angle = static_cast<double>(place) / period;
      sines_.floats()[row * width + column] =
          static_cast<float>(i % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
}

ImageNetwork::Windows ImageNetwork::windows() const {
  const Index side = window_side(options_);
  if (options_.tokens != ImageTokens::kConvolution) return {side, side, 0, grid_};
  return {side, 1, side / 2, {options_.height, options_.width}};
}

// The numbers under each window, line by line: (pictures · windows, side · side · channels). Each
// picture is first written into a frame of zeros, from which lines of windows are copied whole.
Tensor ImageNetwork::gather(Context& context, const Batch& batch, const Windows& windows) const {
  const Index channels = options_.channels, side = windows.side;
  const Index line = channels * (windows.count.width * windows.stride + side);
  const Index lines = windows.count.height * windows.stride + side;
  const Tensor frame = context.arena().zeros({lines, line});
  const Tensor result =
      context.arena().tensor({batch.sequences() * windows.count.count(), side * side * channels});
  float* to = result.data;
  for (Index s = 0; s < batch.sequences(); ++s) {
    const auto packed = batch.input.integers(ImageInput::kPixels).part(s);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(packed.data());
    for (Index y = 0; y < options_.height; ++y) {
      float* place = frame.row(y + windows.padding) + windows.padding * channels;
      for (Index x = 0; x < options_.width; ++x) {
        for (Index c = 0; c < channels; ++c) {
          *place++ = numbers_[static_cast<std::size_t>(c)][*bytes++];
        }
      }
    }
    for (Index y = 0; y < windows.count.height; ++y) {
      for (Index x = 0; x < windows.count.width; ++x) {
        const float* from = frame.row(y * windows.stride) + x * windows.stride * channels;
        for (Index i = 0; i < side; ++i, from += line, to += side * channels) {
          std::copy_n(from, side * channels, to);
        }
      }
    }
  }
  return result;
}

// Over a side of one or two pixels the window is no larger than that.
ImageNetwork::Pooling ImageNetwork::pooling(const Extent& size) const {
  const Index most = options_.convolution.pool;
  const Extent window{std::min(most, size.height), std::min(most, size.width)};
  return {window,
          {.stride = {2, 2}, .padding = {window.height > 2 ? 1 : 0, window.width > 2 ? 1 : 0}}};
}

// Pooling comes before ReLU, which changes nothing but the number of pixels that ReLU sees.
Var ImageNetwork::convolve(Context& context, const Var& first) const {
  grad::Images x{first, {options_.height, options_.width}};
  const Index depth = options_.convolution.depth;
  for (std::size_t i = 0; i <= convolutions_.size(); ++i) {
    if (i > 0) x = convolutions_[i - 1](context, x);
    if ((static_cast<Index>(i) + 1) % depth == 0) {
      const Pooling window = pooling(x.extent);
      x = grad::max_pool2d(context, x, window.window, window.geometry);
    }
    x.rows = grad::activation(context, x.rows, nn::Activation::kRelu);
  }
  return x.rows;
}

Sequences ImageNetwork::operator()(Context& context, const Batch& batch) const {
  const Layout layout = Layout::of(context.arena(), batch.lengths, batch.first).as_grid(grid_);
  const Tensor numbers = gather(context, batch, windows());
  Var rows = first_(context, Var{numbers});
  if (options_.tokens == ImageTokens::kConvolution) rows = convolve(context, rows);
  Sequences x{rows, layout};  // (rows, width)
  if (positions_ != nullptr) {
    x.rows = grad::add_positions(context, x, layout, context.parameter(*positions_));
  } else if (options_.position == ImagePosition::kSinusoidal) {
    const Var table{{sines_.floats(), {grid_.count(), x.width()}}, -1};
    x.rows = grad::add_positions(context, x, layout, table);
  }
  return {grad::dropout(context, x.rows, context.dropout(options_.dropout, layout)), layout};
}

void ImageNetwork::describe(Plan& plan) const {
  const Windows first = windows();
  plan.add("pixels", {options_.height, options_.width, options_.channels},
           {.note = fmt::format("{} x {}, {}", options_.width, options_.height,
                                options_.channels == 1 ? "grey" : "in colour")});
  if (options_.tokens != ImageTokens::kConvolution) {
    plan.add(options_.tokens == ImageTokens::kPatches ? "patches" : "linear",
             {grid_.count(), first_.out()},
             {"windows", first_.flops(grid_.count()),
              fmt::format("{} x {} pixels each", first.side, first.side)});
  } else {
    Extent size{options_.height, options_.width};
    Index channels = first_.out();
    const Index depth = options_.convolution.depth;
    for (std::size_t i = 0; i <= convolutions_.size(); ++i) {
      const bool last = (static_cast<Index>(i) + 1) % depth == 0;
      const Extent before = size;
      if (i > 0) channels = convolutions_[i - 1].out();
      if (last) size = pooling(size).geometry.output(size, pooling(size).window);
      plan.add("convolution", {size.height, size.width, channels},
               {i == 0 ? "windows" : fmt::format("convolutions.{}", i - 1),
                i == 0 ? first_.flops(before.count()) : convolutions_[i - 1].flops(before.count()),
                fmt::format("{0} x {0}{1}, relu", first.side, last ? ", max pooling" : "")});
    }
    plan.add("vectors", {grid_.count(), channels},
             {.note = fmt::format("{} lines of {}", grid_.height, grid_.width)});
  }
  if (options_.position != ImagePosition::kNone) {
    plan.add("positions", plan.shape(),
             {.scope = "positions",
              .note = fmt::format("{}, in two dimensions", name_of(options_.position))});
  }
}

}  // namespace heed
