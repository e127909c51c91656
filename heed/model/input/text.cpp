#include "heed/model/input/text.h"

#include <algorithm>
#include <cmath>

#include "heed/data/text/vocabulary.h"
#include "heed/grad/linear.h"

namespace heed {
namespace {

// Tokens of one pass, with what word dropout leaves of them.
struct Tokens {
  std::span<std::int32_t> ids;
  std::span<std::int32_t> grams, gram_counts;
};

Tokens draw(Context& context, const BatchPart& part, const Layout& layout, float rate) {
  Arena& arena = context.arena();
  Tokens tokens{arena.copy(part.tokens), arena.copy(part.grams), arena.copy(part.gram_counts)};
  const kernel::Dropout dropout = context.dropout(rate);
  if (!dropout) return tokens;
  std::size_t from = 0, to = 0;
  for (Index s = 0; s < layout.count(); ++s) {
    const Index length = layout.length(s);
    float* factors = arena.array<float>(length + kernel::kDropoutBlock).data();
    kernel::dropout_factors(dropout.sequence(layout.first() + s), 0, 0, length, length, factors);
    for (Index i = 0; i < length; ++i) {
      const auto row = static_cast<std::size_t>(layout.begin(s) + i);
      const bool dropped = factors[i] == 0.0f;
      if (dropped) tokens.ids[row] = Vocabulary::kUnknown;
      if (tokens.gram_counts.empty()) continue;
      const std::int32_t count = tokens.gram_counts[row];
      for (std::int32_t j = 0; j < count && !dropped; ++j) {
        tokens.grams[to++] = tokens.grams[from + static_cast<std::size_t>(j)];
      }
      from += static_cast<std::size_t>(count);
      if (dropped) tokens.gram_counts[row] = 0;
    }
  }
  tokens.grams = tokens.grams.first(tokens.gram_counts.empty() ? tokens.grams.size() : to);
  return tokens;
}

}  // namespace

TextInput::TextInput(const Scope& scope, const Config& config)
    : options_(config.text),
      words_(scope / "words", std::max<Index>(1, config.text.entries), config.width,
             config.text.deviation,
             config.text.freeze_vectors ? nn::Embedding::Learning::kFrozen
                                        : nn::Embedding::Learning::kLearned) {
  if (options_.weighting == Weighting::kTfIdf) {
    idf_ = &scope.add("idf", {words_.vocabulary()}, Init::constant(1.0f), {.frozen = true});
  }
  if (options_.letters.buckets > 0) {
    letters_.emplace(scope / "letters", options_.letters.buckets, config.width,
                     config.text.deviation);
  }
}

// (1 + log tf) · idf for each row, of length 1 in each sequence, times what word dropout leaves.
std::span<const float> TextInput::weights(Context& context, const BatchPart& part,
                                          const Layout& layout) const {
  const auto weights = context.arena().array<float>(layout.rows());
  const kernel::Dropout dropout = context.dropout(options_.word_dropout);
  for (Index s = 0; s < layout.count(); ++s) {
    const Index length = layout.length(s);
    double squares = 0.0;
    for (Index i = layout.begin(s); i < layout.end(s); ++i) {
      const auto row = static_cast<std::size_t>(i);
      const float often = 1.0f + std::log(static_cast<float>(part.counts[row]));
      weights[row] = often * idf_->value[part.tokens[row]];
      squares += static_cast<double>(weights[row]) * static_cast<double>(weights[row]);
    }
    const auto inverse = static_cast<float>(1.0 / std::sqrt(squares + 1e-12));
    float* factors = nullptr;
    if (dropout) {
      factors = context.arena().array<float>(length + kernel::kDropoutBlock).data();
      kernel::dropout_factors(dropout.sequence(layout.first() + s), 0, 0, length, length, factors);
    }
    for (Index i = 0; i < length; ++i) {
      weights[static_cast<std::size_t>(layout.begin(s) + i)] *=
          inverse * (factors == nullptr ? 1.0f : factors[i]);
    }
  }
  return weights;
}

Sequences TextInput::operator()(Context& context, const BatchPart& part) const {
  const Layout layout = Layout::of(context.arena(), part.lengths, part.first());
  if (idf_ != nullptr) {
    const Sequences x = words_(context, part.tokens, layout);  // (rows, width)
    return {grad::scale_rows(context, x.rows, weights(context, part, layout)), layout};
  }
  const Tokens tokens = draw(context, part, layout, options_.word_dropout);
  Sequences x = words_(context, tokens.ids, layout);  // (rows, width)
  if (letters_) {
    const Sequences spelled =
        letters_->mean(context, tokens.grams, tokens.gram_counts, layout);  // (rows, width)
    x.rows = grad::add(context, x.rows, spelled.rows);
  }
  return {grad::dropout(context, x.rows, context.dropout(options_.dropout, layout)), layout};
}

}  // namespace heed
