#include "heed/grad/gate.h"

#include "heed/grad/check.h"
#include "heed/kernel/gate.h"

namespace heed::grad {

// y = a s, s = sigmoid(b).  Saves x.   da = dy s     db = dy a s (1 − s)
Var glu(Context& context, const Var& x) {
  expect_matrix("glu", "x", x);
  if (x.columns() % 2 != 0) {
    fail<ShapeError>("glu", "expected an even number of columns, got {}", x.shape().text());
  }
  const Index rows = x.rows(), columns = x.columns() / 2;
  const Tensor y = context.arena().tensor({rows, columns});
  kernel::glu_forward(rows, columns, x.value.data, y.data);
  return context.tape().record("glu", y, {x}, [=](Tape& tape, const Tensor& dy) {
    const Slot dx = tape.slot(x);
    kernel::glu_backward(rows, columns, x.value.data, dy.data, dx.data, dx.store);
  });
}

}  // namespace heed::grad
