#include <gtest/gtest.h>

#include "tests/nn/attention_combinations.h"
#include "tests/nn/attention_reference.h"
#include "tests/support/batches.h"
#include "tests/support/compare.h"

// What attention computes, number by number, against the slow version: every combination of options
// with every kind of mask, through each way of calling the layer.
namespace heed::test {
namespace {

using nn::AttentionOptions;

constexpr Index kAttentionWidth = 12;

constexpr std::optional<Index> kAny;
constexpr std::pair<nn::Mask, const char*> kMasks[] = {
    {{}, "no mask"},
    {{.causal = true, .before = kAny, .after = kAny}, "causal"},
    {{.not_self = true, .before = kAny, .after = kAny}, "not self"},
    {{.before = 2, .after = 1}, "window"},
    {{.before = 1, .after = 0}, "window without what follows"},
    {{.causal = true, .not_self = true, .before = 2, .after = kAny}, "causal window, not self"},
};

// One layer and its slow version.
struct Both {
  explicit Both(const AttentionOptions& options)
      : fast(parameters, options), slow(parameters, options) {
    shake(parameters, 9, 0.3f);
    context.begin(Mode::kEvaluate);
  }

  Parameters parameters{3};
  nn::MultiHeadAttention fast;
  SlowAttention slow;
  Context context;
};

// Rows [begin, begin + length) of each sequence.
Sequences piece(Context& context, const Sequences& x, const std::vector<Index>& begins,
                const std::vector<Index>& lengths) {
  const Layout layout = layout_of(context, lengths);
  const Tensor values = context.arena().tensor({layout.rows(), x.width()});
  for (Index s = 0; s < layout.count(); ++s) {
    const float* row = x.rows.value.row(x.layout.begin(s) + begins[static_cast<std::size_t>(s)]);
    std::copy_n(row, layout.length(s) * x.width(), values.row(layout.begin(s)));
  }
  return {{values, -1}, layout};
}

SlowAttention::Matrix sequence(const Sequences& x, Index s) {
  const Index rows = x.layout.length(s);
  const float* first = x.rows.value.row(x.layout.begin(s));
  return {static_cast<int>(rows), static_cast<int>(x.width()), {first, first + rows * x.width()}};
}

// `y` is what attention made of `queries`, those of sequence s standing at first[s] and after it.
void expect_slow(const SlowAttention& slow, const Sequences& y, const Sequences& queries,
                 const Sequences& memory, const std::vector<Index>& first,
                 const std::vector<std::uint8_t>& hidden = {}) {
  std::vector<float> expected;
  for (Index s = 0; s < queries.layout.count(); ++s) {
    SlowAttention::Places places{static_cast<int>(first[static_cast<std::size_t>(s)])};
    if (!hidden.empty()) {
      places.hidden.assign(hidden.begin() + memory.layout.begin(s),
                           hidden.begin() + memory.layout.end(s));
    }
    const auto rows = slow(sequence(queries, s), sequence(memory, s), places);
    for (const double value : rows.values) expected.push_back(static_cast<float>(value));
  }
  expect_close("rows", y.rows.value.span(), expected, kFloatTolerance);
}

class AttentionValues : public testing::TestWithParam<AttentionCombination> {
 protected:
  // Calls body(both) for a layer with each mask.
  template <typename Body>
  static void with_each_mask(AttentionOptions options, Body body) {
    for (const auto& [mask, name] : kMasks) {
      SCOPED_TRACE(name);
      options.mask = mask;
      Both both(options);
      body(both);
    }
  }
};

// Of a batch of rows whose sequences are {4, 1, 6}: some of each, all of the second.
const std::vector<std::uint8_t> kHiddenKeys = {0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1};

TEST_P(AttentionValues, OfSelfAttentionAreTheSlowOnes) {
  for (const Index value_width : {kAttentionWidth, Index{9}}) {
    SCOPED_TRACE("value width " + std::to_string(value_width));
    AttentionOptions options = GetParam().options;
    options.value_width = value_width;
    with_each_mask(options, [](Both& both) {
      const Sequences x = random_sequences(both.context, {4, 1, 6}, kAttentionWidth, 1);
      expect_slow(both.slow, both.fast(both.context, x), x, x, {0, 0, 0});
      const Sequences y = both.fast(both.context, x, {.hidden = kHiddenKeys});
      expect_slow(both.slow, y, x, x, {0, 0, 0}, kHiddenKeys);
    });
  }
}

TEST_P(AttentionValues, OfAttentionToAnotherSequenceAreTheSlowOnes) {
  AttentionOptions options = GetParam().options;
  options.memory_width = 7;
  options.value_width = 9;
  with_each_mask(options, [](Both& both) {
    const Sequences x = random_sequences(both.context, {2, 5, 3, 3}, kAttentionWidth, 1);
    const Sequences memory = random_sequences(both.context, {4, 1, 6, 0}, 7, 2);
    expect_slow(both.slow, both.fast(both.context, x, memory), x, memory, {0, 0, 0, 0});
    const Sequences y = both.fast(both.context, x, memory, {.hidden = kHiddenKeys});
    expect_slow(both.slow, y, x, memory, {0, 0, 0, 0}, kHiddenKeys);
  });
}

TEST_P(AttentionValues, BehindABankAreTheSlowOnes) {
  with_each_mask(GetParam().options, [](Both& both) {
    const std::vector<Index> before = {3, 0, 5};
    const Sequences whole = random_sequences(both.context, {5, 4, 6}, kAttentionWidth, 1);
    const Sequences bank = piece(both.context, whole, {0, 0, 0}, before);
    const Sequences x = piece(both.context, whole, before, {2, 4, 1});
    expect_slow(both.slow, both.fast(both.context, x, {.bank = &bank}), x, whole, before);
  });
}

// The two sequences come in turns, some rows of each at a time.
const std::vector<std::vector<Index>> kTurns = {{2, 1}, {1, 3}, {1, 1}};

TEST_P(AttentionValues, FromACacheAreTheSlowOnes) {
  with_each_mask(GetParam().options, [](Both& both) {
    const Sequences whole = random_sequences(both.context, {4, 5}, kAttentionWidth, 1);
    nn::KeyValueCache cache;
    std::vector<Index> before = {0, 0};
    for (const std::vector<Index>& rows : kTurns) {
      const std::vector<Index> after = {before[0] + rows[0], before[1] + rows[1]};
      const Sequences x = piece(both.context, whole, before, rows);
      const Sequences seen = piece(both.context, whole, {0, 0}, after);
      expect_slow(both.slow, both.fast(both.context, x, {.cache = &cache}), x, seen, before);
      before = after;
    }
  });
}

TEST_P(AttentionValues, OfAnotherSequenceFromACacheAreTheSlowOnes) {
  AttentionOptions options = GetParam().options;
  options.memory_width = 7;
  options.value_width = 9;
  with_each_mask(options, [](Both& both) {
    const Sequences whole = random_sequences(both.context, {4, 5}, kAttentionWidth, 1);
    const Sequences memory = random_sequences(both.context, {6, 3}, 7, 2);
    nn::KeyValueCache cache;
    std::vector<Index> before = {0, 0};
    for (const std::vector<Index>& rows : kTurns) {
      const Sequences x = piece(both.context, whole, before, rows);
      const Sequences y = both.fast(both.context, x, memory, {.cache = &cache});
      expect_slow(both.slow, y, x, memory, before);
      before = {before[0] + rows[0], before[1] + rows[1]};
    }
  });
}

TEST_P(AttentionValues, WithoutBiasesAreTheSlowOnes) {
  AttentionOptions options = GetParam().options;
  options.bias = nn::Linear::Bias::kNone;
  Both both(options);
  const Sequences x = random_sequences(both.context, {4, 1, 6}, kAttentionWidth, 1);
  expect_slow(both.slow, both.fast(both.context, x), x, x, {0, 0, 0});
}

INSTANTIATE_TEST_SUITE_P(All, AttentionValues,
                         testing::ValuesIn(attention_combinations(kAttentionWidth)),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace heed::test
