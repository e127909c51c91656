#include "heed/grad/convolution.h"

#include <algorithm>

#include "heed/grad/check.h"
#include "heed/grad/packed_weights.h"
#include "heed/kernel/activation.h"
#include "heed/kernel/convolution.h"
#include "heed/kernel/rows.h"

namespace heed::grad {
namespace {

using kernel::Matrix;
using kernel::Store;

constexpr std::int32_t kOutside = -1;

// Patches are gathered for so many outputs at a time: they stay in the cache between being written
// and being multiplied, and memory does not grow with the batch.
constexpr Index kBlock = 256;

// What a convolution reads: the row of x at each tap of each output, kOutside for zeros. In one
// dimension or two, this table is all the geometry that the arithmetic needs.
struct Taps {
  Index outputs, count;
  std::span<const std::int32_t> source;  // (outputs, count)

  Index row(Index output, Index tap) const {
    return source[static_cast<std::size_t>(output * count + tap)];
  }
};

// weight (out, channels, taps) with the last two exchanged, and back: a patch is then whole pieces
// of rows, one tap after another.
void exchange(Index out, Index rows, Index columns, const float* from, float* to, Store store) {
  for (Index o = 0; o < out; ++o, from += rows * columns, to += rows * columns) {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        float& place = to[j * rows + i];
        place = store == Store::kAdd ? place + from[i * columns + j] : from[i * columns + j];
      }
    }
  }
}

// A convolution with its channels cut into groups. Trivially destructible: backward keeps it.
struct Convolution {
  Var x, weight, bias;
  Taps taps;
  Index in, out, groups;
  Index group_in, group_out;
  Tensor tapwise;  // the weight as (out, taps, in / groups), or depthwise (taps, channels)
  const kernel::PackedWeight* packed;  // the same in place of it; or null

  bool depthwise() const { return groups > 1 && groups == in && groups == out; }
  Index patch() const { return taps.count * group_in; }
  Matrix group_weight(Index group) const {
    return {tapwise.data + group * group_out * patch(), group_out, patch()};
  }
  Matrix group_rows(const Tensor& y, Index first, Index rows, Index group) const {
    return {y.row(first) + group * group_out, rows, group_out, out};
  }

  // Depthwise, (channels, 1, taps) is a plain matrix to transpose.
  void to_tapwise(const float* from, float* to) const {
    if (depthwise()) return exchange(1, out, taps.count, from, to, Store::kOverwrite);
    exchange(out, group_in, taps.count, from, to, Store::kOverwrite);
  }
  void from_tapwise(const float* from, float* to, Store store) const {
    if (depthwise()) return exchange(1, taps.count, out, from, to, store);
    exchange(out, taps.count, group_in, from, to, store);
  }

  // The patches of some outputs, one group's channels: (rows, taps · in / groups)
  void gather(Index first, Index rows, Index group, float* to) const {
    for (Index output = first; output < first + rows; ++output) {
      for (Index tap = 0; tap < taps.count; ++tap, to += group_in) {
        const Index row = taps.row(output, tap);
        if (row == kOutside) {
          std::fill_n(to, group_in, 0.0f);
        } else {
          std::copy_n(x.value.row(row) + group * group_in, group_in, to);
        }
      }
    }
  }

  // The way back of gather: adds patches to the rows of dx that they came from.
  void scatter(Index first, Index rows, Index group, const float* from, float* dx) const {
    for (Index output = first; output < first + rows; ++output) {
      for (Index tap = 0; tap < taps.count; ++tap, from += group_in) {
        const Index row = taps.row(output, tap);
        if (row == kOutside) continue;
        kernel::scale(group_in, 1.0f, from, dx + row * in + group * group_in, Store::kAdd);
      }
    }
  }

  // The table the other way round: the output that reads a row of x at each tap, of which there is
  // at most one. The gradient of x is then itself a depthwise convolution, of dy.
  kernel::Depthwise inverse(Arena& scratch) const {
    const auto output = scratch.array<std::int32_t>(x.rows() * taps.count);
    std::fill(output.begin(), output.end(), kOutside);
    for (Index o = 0; o < taps.outputs; ++o) {
      for (Index tap = 0; tap < taps.count; ++tap) {
        const Index row = taps.row(o, tap);
        if (row == kOutside) continue;
        output[static_cast<std::size_t>(row * taps.count + tap)] = static_cast<std::int32_t>(o);
      }
    }
    return {x.rows(), taps.count, in, output.data()};
  }

  // body(first output, outputs, group) for blocks of outputs.
  template <typename Body>
  void for_each_block(Body body) const {
    for (Index group = 0; group < groups; ++group) {
      for (Index first = 0; first < taps.outputs; first += kBlock) {
        body(first, std::min(kBlock, taps.outputs - first), group);
      }
    }
  }

  void forward(Arena& scratch, const Tensor& y) const {
    if (depthwise()) {
      kernel::depthwise({taps.outputs, taps.count, out, taps.source.data()}, x.value.data,
                        tapwise.data, y.data, Store::kOverwrite);
    } else {
      const Arena::Scope scope(scratch);
      const Tensor patches = scratch.tensor({std::min(kBlock, taps.outputs), patch()});
      for_each_block([&](Index first, Index rows, Index group) {
        gather(first, rows, group, patches.data);
        const Matrix read(patches.data, rows, patch()), to = group_rows(y, first, rows, group);
        if (packed != nullptr) {
          (*packed)(read, to);
        } else {
          kernel::product_transposed_right(read, group_weight(group), to, Store::kOverwrite);
        }
      });
    }
    if (bias.value.data != nullptr) {
      kernel::activation_forward(
          {kernel::Activation::kNone, taps.outputs, out, bias.value.data, {}}, y.data, nullptr);
    }
  }

  void backward_patches(Arena& scratch, const Tensor& dy, float* dw, float* dx) const {
    const Tensor patches = scratch.tensor({std::min(kBlock, taps.outputs), patch()});
    for_each_block([&](Index first, Index rows, Index group) {
      const Matrix part = group_rows(dy, first, rows, group);
      if (dw != nullptr) {
        gather(first, rows, group, patches.data);
        const Matrix to(dw + group * group_out * patch(), group_out, patch());
        kernel::product_transposed_left(part, {patches.data, rows, patch()}, to, Store::kAdd);
      }
      if (dx != nullptr) {
        kernel::product(part, group_weight(group), {patches.data, rows, patch()},
                        Store::kOverwrite);
        scatter(first, rows, group, patches.data, dx);
      }
    });
  }

  void backward(Tape& tape, const Tensor& dy) const {
    if (float* db = tape.slot(bias).adding(out)) {
      kernel::activation_backward({kernel::Activation::kNone, taps.outputs, out, nullptr, {}},
                                  nullptr, nullptr, dy.data, db);
    }
    Arena& scratch = tape.scratch();
    const Arena::Scope scope(scratch);
    const Slot dw = tape.slot(weight);
    const Tensor dtapwise = dw ? scratch.zeros(tapwise.shape) : Tensor{};
    const Slot dx = tape.slot(x);
    if (depthwise()) {
      const kernel::Depthwise job{taps.outputs, taps.count, out, taps.source.data()};
      if (dw) kernel::depthwise_weight(job, x.value.data, dy.data, dtapwise.data);
      if (dx) kernel::depthwise(inverse(scratch), dy.data, tapwise.data, dx.data, dx.store);
    } else {
      backward_patches(scratch, dy, dw ? dtapwise.data : nullptr, dx.adding(x.value.count()));
    }
    if (dw) from_tapwise(dtapwise.data, dw.data, dw.store);
  }
};

// y = b + Σ_taps W_tap x_tap, a product of gathered patches with the weight.  Saves the table.
//   dx_tap += dy W_tap     dW_tap = Σ_outputs dyᵀ x_tap     db = Σ_outputs dy
Var convolve(Context& context, OperationName operation, const Var& x, const Var& weight,
             const Var& bias, const Taps& taps, Index groups) {
  const Index in = x.columns(), out = weight.rows();
  if (bias.value.data != nullptr) expect_shape(operation.text(), "bias", bias, {out});
  Convolution c{x, weight, bias, taps, in, out, groups, in / groups, out / groups, {}, nullptr};
  const auto lay_out = [&] {
    c.tapwise = c.depthwise() ? context.arena().tensor({taps.count, out})
                              : context.arena().tensor({out, taps.count, c.group_in});
    c.to_tapwise(weight.value.data, c.tapwise.data);
  };
  if (groups == 1 && context.packed_or_null() != nullptr && !context.tape().recording()) {
    c.packed = context.packed().find(weight.value, taps.outputs, [&] {
      lay_out();
      return c.group_weight(0);
    });
  }
  if (c.packed == nullptr) lay_out();
  const Tensor y = context.arena().tensor({taps.outputs, out});
  c.forward(context.tape().scratch(), y);
  return context.tape().record(operation, y, {x, weight, bias},
                               [=](Tape& tape, const Tensor& dy) { c.backward(tape, dy); });
}

Index places(Index length, Index reach, Index stride, Index padding) {
  const Index room = length + 2 * padding - reach;
  return room < 0 ? 0 : room / stride + 1;
}

}  // namespace

Index Convolution1dGeometry::output(Index length, Index taps) const {
  return length == 0 ? 0 : places(length, dilation * (taps - 1) + 1, stride, padding);
}

Extent Convolution2dGeometry::output(const Extent& image, const Extent& kernel) const {
  return {places(image.height, kernel.height, stride.height, padding.height),
          places(image.width, kernel.width, stride.width, padding.width)};
}

Sequences convolution1d(Context& context, const Sequences& x, const Var& weight, const Var& bias,
                        const Convolution1dGeometry& geometry) {
  expect_rows("convolution1d", x);
  const Convolution1dGeometry& g = geometry;
  if (g.stride < 1 || g.dilation < 1 || g.padding < 0 || g.groups < 1) {
    fail<UsageError>("convolution1d",
                     "expected stride, dilation and groups of at least 1 and padding of at least "
                     "0, got {}, {}, {} and {}",
                     g.stride, g.dilation, g.groups, g.padding);
  }
  const Shape& w = weight.shape();
  if (w.rank() != 3 || w[2] < 1 || w[1] * g.groups != x.width() || w[0] % g.groups != 0) {
    fail<ShapeError>("convolution1d",
                     "expected a weight of (out, {} / {}, taps), out a multiple of {} groups, for "
                     "x of {}, got {}",
                     x.width(), g.groups, g.groups, x.rows.shape().text(), w.text());
  }
  const Layout old = x.layout;
  const auto lengths = context.arena().array<Index>(old.count());
  for (Index s = 0; s < old.count(); ++s) {
    lengths[static_cast<std::size_t>(s)] = g.output(old.length(s), w[2]);
  }
  const Layout layout = Layout::of(context.arena(), lengths, old.first());
  const auto source = context.arena().array<std::int32_t>(layout.rows() * w[2]);
  auto place = source.begin();
  for (Index s = 0; s < layout.count(); ++s) {
    for (Index t = 0; t < layout.length(s); ++t) {
      for (Index tap = 0; tap < w[2]; ++tap) {
        const Index row = t * g.stride + tap * g.dilation - g.padding;
        const bool inside = row >= 0 && row < old.length(s);
        *place++ = inside ? static_cast<std::int32_t>(old.begin(s) + row) : kOutside;
      }
    }
  }
  return {convolve(context, "convolution1d", x.rows, weight, bias, {layout.rows(), w[2], source},
                   g.groups),
          layout};
}

std::span<const std::int32_t> picture_taps(Arena& arena, Index images, const Extent& image,
                                           const Extent& kernel,
                                           const Convolution2dGeometry& geometry) {
  const Extent result = geometry.output(image, kernel);
  const auto source = arena.array<std::int32_t>(images * result.count() * kernel.count());
  auto place = source.begin();
  for (Index first = 0; first < images * image.count(); first += image.count()) {
    for (Index y = 0; y < result.height; ++y) {
      const Index top = y * geometry.stride.height - geometry.padding.height;
      for (Index x = 0; x < result.width; ++x) {
        const Index left = x * geometry.stride.width - geometry.padding.width;
        for (Index i = top; i < top + kernel.height; ++i) {
          for (Index j = left; j < left + kernel.width; ++j) {
            const bool inside = i >= 0 && i < image.height && j >= 0 && j < image.width;
            *place++ = inside ? static_cast<std::int32_t>(first + i * image.width + j) : kOutside;
          }
        }
      }
    }
  }
  return source;
}

Images convolution2d(Context& context, const Images& x, const Var& weight, const Var& bias,
                     const Convolution2dGeometry& geometry) {
  expect_matrix("convolution2d", "x", x.rows);
  const Convolution2dGeometry& g = geometry;
  if (std::min(g.stride.height, g.stride.width) < 1 ||
      std::min(g.padding.height, g.padding.width) < 0 || g.groups < 1) {
    fail<UsageError>("convolution2d",
                     "expected strides and groups of at least 1 and padding of at least 0, got "
                     "({}, {}), {} and ({}, {})",
                     g.stride.height, g.stride.width, g.groups, g.padding.height, g.padding.width);
  }
  const Extent image = x.extent;
  if (image.height < 1 || image.width < 1 || x.rows.rows() % image.count() != 0) {
    fail<ShapeError>("convolution2d", "expected whole images of {} x {} pixels, got x of {}",
                     image.height, image.width, x.rows.shape().text());
  }
  const Shape& w = weight.shape();
  if (w.rank() != 4 || w[1] * g.groups != x.rows.columns() || w[0] % g.groups != 0) {
    fail<ShapeError>("convolution2d",
                     "expected a weight of (out, {} / {}, kernel height, kernel width), out a "
                     "multiple of {} groups, for x of {}, got {}",
                     x.rows.columns(), g.groups, g.groups, x.rows.shape().text(), w.text());
  }
  const Extent kernel{w[2], w[3]}, result = g.output(image, kernel);
  if (kernel.count() == 0 || result.count() == 0) {
    fail<ShapeError>("convolution2d",
                     "expected a kernel that fits images of {} x {} with padding ({}, {}), got "
                     "{} x {}",
                     image.height, image.width, g.padding.height, g.padding.width, kernel.height,
                     kernel.width);
  }
  const Index images = x.rows.rows() / image.count(), outputs = images * result.count();
  const auto source = picture_taps(context.arena(), images, image, kernel, g);
  return {convolve(context, "convolution2d", x.rows, weight, bias,
                   {outputs, kernel.count(), source}, g.groups),
          result};
}

}  // namespace heed::grad
