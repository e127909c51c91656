#include "heed/grad/convolution.h"
#include "tests/grad/cases.h"
#include "tests/reference/convolution.h"
#include "tests/support/layouts.h"

namespace heed::test {
namespace {

struct Channels {
  Index in, out;
};

OperationCase convolution1d_case(const std::string& name, const std::vector<Index>& lengths,
                                 Channels channels, Index taps,
                                 const grad::Convolution1dGeometry& geometry, bool bias = true) {
  const auto [in, out] = channels;
  const Index rows = total(lengths);
  std::vector<Shape> inputs = {{rows, in}, {out, in / geometry.groups, taps}};
  if (bias) inputs.push_back({out});
  return operation_case(
      "convolution1d", name, inputs,
      [=](Context& context, std::span<const Var> x) {
        return grad::convolution1d(context, {x[0], layout_of(context, lengths)}, x[1],
                                   bias ? x[2] : Var{}, geometry)
            .rows;
      },
      [=](const auto& x) {
        using T = Number<decltype(x)>;
        const reference::Axis axis{static_cast<int>(taps), static_cast<int>(geometry.stride),
                                   static_cast<int>(geometry.dilation),
                                   static_cast<int>(geometry.padding)};
        return reference::convolution1d(as_matrix(x, 0, rows, in), {lengths.begin(), lengths.end()},
                                        static_cast<int>(out), static_cast<int>(geometry.groups),
                                        axis, x[1], bias ? x[2] : std::vector<T>{})
            .values;
      });
}

OperationCase convolution2d_case(const std::string& name, Index images, Extent image,
                                 Channels channels, Extent kernel,
                                 const grad::Convolution2dGeometry& geometry, bool bias = true) {
  const auto [in, out] = channels;
  const Index rows = images * image.count();
  std::vector<Shape> inputs = {{rows, in},
                               {out, in / geometry.groups, kernel.height, kernel.width}};
  if (bias) inputs.push_back({out});
  return operation_case(
      "convolution2d", name, inputs,
      [=](Context& context, std::span<const Var> x) {
        return grad::convolution2d(context, {x[0], image}, x[1], bias ? x[2] : Var{}, geometry)
            .rows;
      },
      [=](const auto& x) {
        using T = Number<decltype(x)>;
        const auto axis = [](Index taps, Index stride, Index padding) {
          return reference::Axis{static_cast<int>(taps), static_cast<int>(stride), 1,
                                 static_cast<int>(padding)};
        };
        return reference::convolution2d(
                   as_matrix(x, 0, rows, in), static_cast<int>(image.height),
                   static_cast<int>(image.width), static_cast<int>(out),
                   static_cast<int>(geometry.groups),
                   axis(kernel.height, geometry.stride.height, geometry.padding.height),
                   axis(kernel.width, geometry.stride.width, geometry.padding.width), x[1],
                   bias ? x[2] : std::vector<T>{})
            .values;
      });
}

OperationCase max_pool2d_case(const std::string& name, Index images, Extent image, Index channels,
                              Extent window, const grad::Convolution2dGeometry& geometry) {
  return operation_case(
      "max_pool2d", name, {{images * image.count(), channels}},
      [=](Context& context, std::span<const Var> x) {
        return grad::max_pool2d(context, {x[0], image}, window, geometry).rows;
      },
      [=](const auto& x) {
        using T = Number<decltype(x)>;
        const Extent result = geometry.output(image, window);
        std::vector<T> y;
        for (Index output = 0; output < images * result.count() * channels; ++output) {
          const Index c = output % channels, place = output / channels % result.count();
          const Index first = output / channels / result.count() * image.count();
          std::vector<T> seen;
          for (Index i = 0; i < window.count(); ++i) {
            const Index line = place / result.width * geometry.stride.height + i / window.width -
                               geometry.padding.height;
            const Index column = place % result.width * geometry.stride.width + i % window.width -
                                 geometry.padding.width;
            if (line < 0 || line >= image.height || column < 0 || column >= image.width) continue;
            seen.push_back(x[0][static_cast<std::size_t>(
                (first + line * image.width + column) * channels + c)]);
          }
          T largest = seen.front();
          for (const T& value : seen) {
            if (value > largest || std::isnan(reference::value_of(value))) largest = value;
          }
          y.push_back(largest);
        }
        return y;
      });
}

}  // namespace

std::vector<OperationCase> convolution_cases() {
  std::vector<OperationCase> rows;
  const std::vector<Index> ragged = {4, 0, 1, 5};
  const auto one = [&](const auto&... arguments) {
    rows.push_back(convolution1d_case(arguments...));
  };
  one("same", ragged, Channels{3, 5}, 3, grad::Convolution1dGeometry{.padding = 1});
  one("unpadded", ragged, Channels{3, 2}, 2, grad::Convolution1dGeometry{});
  one("strided", std::vector<Index>{7, 2, 6}, Channels{2, 3}, 3,
      grad::Convolution1dGeometry{.stride = 2, .padding = 1});
  one("dilated", std::vector<Index>{7, 3}, Channels{2, 3}, 3,
      grad::Convolution1dGeometry{.dilation = 2, .padding = 2});
  one("everything", std::vector<Index>{9, 4}, Channels{4, 6}, 3,
      grad::Convolution1dGeometry{.stride = 3, .dilation = 2, .padding = 3, .groups = 2});
  one("no_bias", ragged, Channels{3, 5}, 3, grad::Convolution1dGeometry{.padding = 1}, false);
  one("pointwise", ragged, Channels{3, 4}, 1, grad::Convolution1dGeometry{});
  one("one_channel", ragged, Channels{1, 1}, 3, grad::Convolution1dGeometry{.padding = 1});
  one("wider_padding_than_rows", std::vector<Index>{1, 2}, Channels{2, 2}, 5,
      grad::Convolution1dGeometry{.padding = 4});
  one("too_short_for_the_kernel", std::vector<Index>{2, 1}, Channels{2, 2}, 3,
      grad::Convolution1dGeometry{});
  one("no_sequences", std::vector<Index>{}, Channels{2, 2}, 3,
      grad::Convolution1dGeometry{.padding = 1});
  one("several_blocks", std::vector<Index>{300, 270}, Channels{1, 2}, 2,
      grad::Convolution1dGeometry{.padding = 1});
  one("depthwise", ragged, Channels{19, 19}, 3,
      grad::Convolution1dGeometry{.padding = 1, .groups = 19});
  // 64, 16 and 3 channels, or four vectors, one, and single lanes of the widest instruction set.
  one("depthwise_wide", std::vector<Index>{3, 1}, Channels{83, 83}, 3,
      grad::Convolution1dGeometry{.padding = 1, .groups = 83});
  one("depthwise_many_taps", std::vector<Index>{40, 5}, Channels{2, 2}, 70,
      grad::Convolution1dGeometry{.padding = 35, .groups = 2});
  one("depthwise_strided_dilated", std::vector<Index>{8, 3}, Channels{3, 3}, 3,
      grad::Convolution1dGeometry{.stride = 2, .dilation = 2, .padding = 2, .groups = 3});
  one("depthwise_no_bias", ragged, Channels{4, 4}, 2, grad::Convolution1dGeometry{.groups = 4},
      false);
  one("two_outputs_for_each_channel", ragged, Channels{3, 6}, 3,
      grad::Convolution1dGeometry{.padding = 1, .groups = 3});

  const auto two = [&](const auto&... arguments) {
    rows.push_back(convolution2d_case(arguments...));
  };
  two("same", 2, Extent{4, 3}, Channels{2, 3}, Extent{3, 3},
      grad::Convolution2dGeometry{.padding = {1, 1}});
  two("groups", 1, Extent{3, 4}, Channels{4, 6}, Extent{3, 1},
      grad::Convolution2dGeometry{.padding = {1, 0}, .groups = 2});
  two("depthwise", 2, Extent{4, 3}, Channels{19, 19}, Extent{3, 3},
      grad::Convolution2dGeometry{.padding = {1, 1}, .groups = 19});
  two("unpadded", 2, Extent{3, 4}, Channels{2, 3}, Extent{2, 3}, grad::Convolution2dGeometry{});
  two("uneven", 1, Extent{5, 6}, Channels{1, 2}, Extent{3, 2},
      grad::Convolution2dGeometry{.stride = {2, 3}, .padding = {0, 1}});
  two("patches", 3, Extent{4, 4}, Channels{3, 5}, Extent{2, 2},
      grad::Convolution2dGeometry{.stride = {2, 2}}, false);
  two("one_pixel", 1, Extent{1, 1}, Channels{1, 1}, Extent{1, 1}, grad::Convolution2dGeometry{});
  two("no_images", 0, Extent{3, 3}, Channels{2, 3}, Extent{2, 2}, grad::Convolution2dGeometry{});
  two("several_blocks", 2, Extent{16, 17}, Channels{1, 1}, Extent{2, 2},
      grad::Convolution2dGeometry{});

  const auto pool = [&](const auto&... arguments) {
    rows.push_back(max_pool2d_case(arguments...));
  };
  pool("halved", 2, Extent{7, 6}, 19, Extent{3, 3},
       grad::Convolution2dGeometry{.stride = {2, 2}, .padding = {1, 1}});
  pool("apart", 1, Extent{4, 6}, 3, Extent{2, 2}, grad::Convolution2dGeometry{.stride = {2, 2}});
  pool("overlapping", 2, Extent{3, 4}, 1, Extent{2, 3}, grad::Convolution2dGeometry{});
  pool("uneven", 1, Extent{5, 4}, 33, Extent{3, 2},
       grad::Convolution2dGeometry{.stride = {1, 3}, .padding = {2, 1}});
  pool("one_pixel", 1, Extent{1, 1}, 2, Extent{1, 1}, grad::Convolution2dGeometry{});
  pool("no_images", 0, Extent{3, 3}, 2, Extent{2, 2}, grad::Convolution2dGeometry{});
  return rows;
}

}  // namespace heed::test
