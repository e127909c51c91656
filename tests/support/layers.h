#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "heed/grad/context.h"
#include "tests/support/batches.h"

namespace heed::test {

// What tests of layers have in common: parts of a batch, and comparing what comes out.

// The rows of one sequence of a batch, as a batch of one.
inline Sequences only(Context& context, const Sequences& x, Index sequence) {
  const Index rows = x.layout.length(sequence);
  return {{{x.rows.value.row(x.layout.begin(sequence)), {rows, x.width()}}, -1},
          Layout::of(context.arena(), std::vector<Index>{rows}, x.layout.first() + sequence)};
}

// The rows of each sequence from last to first.
inline Sequences reversed(Context& context, const Sequences& x) {
  const Tensor y = context.arena().tensor(x.rows.shape());
  for (Index s = 0; s < x.layout.count(); ++s) {
    for (Index i = 0; i < x.layout.length(s); ++i) {
      std::copy_n(x.rows.value.row(x.layout.end(s) - 1 - i), x.width(),
                  y.row(x.layout.begin(s) + i));
    }
  }
  return {{y, -1}, x.layout};
}

// Two ways to the same numbers, of about the size of 1, differ by a few rounding errors.
inline void expect_same(const Tensor& got, const Tensor& expected, float bound = 2e-5f) {
  ASSERT_EQ(got.shape, expected.shape)
      << "got " << got.shape.text() << ", expected " << expected.shape.text();
  Index worst = 0;
  float distance = 0.0f;
  for (Index i = 0; i < got.count(); ++i) {
    const float error = std::abs(got[i] - expected[i]);
    if (!(error <= distance)) {
      distance = error;
      worst = i;
    }
  }
  if (got.count() == 0) return;
  EXPECT_LE(distance, bound) << "worst at " << worst << ": got " << got[worst] << ", expected "
                             << expected[worst];
}

// What a layer makes of a batch is what it makes of each sequence alone.
template <typename Layer>
void expect_batch_equals_its_sequences(const Layer& layer, const std::vector<Index>& lengths,
                                       Index width) {
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, lengths, width);
  const Sequences together = layer(context, x);
  ASSERT_EQ(together.layout.count(), x.layout.count());
  for (Index s = 0; s < x.layout.count(); ++s) {
    SCOPED_TRACE("sequence " + std::to_string(s));
    const Sequences alone = layer(context, only(context, x, s));
    expect_same(only(context, together, s).rows.value, alone.rows.value);
  }
}

// Runs a layer on a random batch in training and sends a random gradient back; every parameter must
// have got some of it. Only the bias of attention's keys may get nothing: it moves all scores of a
// row alike, and the softmax does not see it.
template <typename Layer>
void expect_gradients_everywhere(const Parameters& parameters, const Layer& layer,
                                 const std::vector<Index>& lengths, Index width) {
  Gradients gradients(parameters);
  gradients.clear();
  Context context;
  context.begin(Mode::kTrain, &gradients, {7, 0});
  const Sequences x = random_sequences(context, lengths, width);
  const Var rows = context.tape().variable(x.rows.value);
  const Sequences y = layer(context, Sequences{rows, x.layout});
  EXPECT_EQ(context.tape().backward_watched(y.rows, random_tensor(context, y.rows.shape(), 2)), "");
  const auto any = [](const Tensor& tensor) {
    for (const float value : tensor.span()) {
      if (value != 0.0f) return true;
    }
    return false;
  };
  for (const Parameter& parameter : parameters) {
    EXPECT_TRUE(gradients.touched(parameter)) << parameter.name;
    if (parameter.name.ends_with(".k.bias")) continue;
    EXPECT_TRUE(any(gradients.dense(parameter))) << parameter.name << " got only zeros";
  }
  EXPECT_TRUE(any(context.tape().gradient(rows)));
}

}  // namespace heed::test
