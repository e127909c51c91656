#include "heed/grad/check.h"
#include "heed/grad/convolution.h"
#include "heed/kernel/pool.h"

namespace heed::grad {

// y_oc = max over the window of x_ic; saves which place of the window it was.   dx_ic += dy_oc
// there
Images max_pool2d(Context& context, const Images& x, const Extent& window,
                  const Convolution2dGeometry& geometry) {
  expect_matrix("max_pool2d", "x", x.rows);
  const Extent image = x.extent, padding = geometry.padding, stride = geometry.stride;
  if (image.height < 1 || image.width < 1 || x.rows.rows() % image.count() != 0) {
    fail<ShapeError>("max_pool2d", "expected whole images of {} x {} pixels, got x of {}",
                     image.height, image.width, x.rows.shape().text());
  }
  // Padding that is smaller than the window leaves a pixel under each place of it.
  if (window.height < 1 || window.width < 1 || stride.height < 1 || stride.width < 1 ||
      padding.height < 0 || padding.height >= window.height || padding.width < 0 ||
      padding.width >= window.width || geometry.output(image, window).count() == 0) {
    fail<UsageError>("max_pool2d",
                     "expected a window that fits images of {} x {}, strides of at least 1 and "
                     "padding smaller than the window, got a window of {} x {}, ({}, {}) and ({}, "
                     "{})",
                     image.height, image.width, window.height, window.width, stride.height,
                     stride.width, padding.height, padding.width);
  }
  const Extent result = geometry.output(image, window);
  const Index images = x.rows.rows() / image.count(), channels = x.rows.columns();
  const auto source = picture_taps(context.arena(), images, image, window, geometry);
  const kernel::MaxPool job{images * result.count(), window.count(), channels, source.data()};
  const Tensor y = context.arena().tensor({job.outputs, channels});
  const Tensor chosen = context.arena().tensor(y.shape);
  kernel::max_pool(job, x.rows.value.data, y.data, chosen.data);
  const Var rows = context.tape().record("max_pool2d", y, {x.rows},
                                         [=, from = x.rows](Tape& tape, const Tensor& dy) {
                                           float* dx = tape.slot(from).adding(from.value.count());
                                           kernel::max_pool_backward(job, dy.data, chosen.data, dx);
                                         });
  return {rows, result};
}

}  // namespace heed::grad
