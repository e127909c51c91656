#include "heed/model/input/text.h"

#include <algorithm>

#include "heed/data/text/vocabulary.h"
#include "heed/grad/linear.h"

namespace heed {
namespace {

// The tokens of one pass: word dropout makes some of them unknown.
std::span<const std::int32_t> draw(Context& context, const BatchPart& part, const Layout& layout,
                                   float rate) {
  const kernel::Dropout dropout = context.dropout(rate);
  if (!dropout) return part.tokens;
  Arena& arena = context.arena();
  const auto tokens = arena.copy(part.tokens);
  for (Index s = 0; s < layout.count(); ++s) {
    const Index length = layout.length(s);
    float* factors = arena.array<float>(length + kernel::kDropoutBlock).data();
    kernel::dropout_factors(dropout.sequence(layout.first() + s), 0, 0, length, length, factors);
    for (Index i = 0; i < length; ++i) {
      if (factors[i] != 0.0f) continue;
      tokens[static_cast<std::size_t>(layout.begin(s) + i)] = Vocabulary::kUnknown;
    }
  }
  return tokens;
}

}  // namespace

TextInput::TextInput(const Scope& scope, const Config& config)
    : options_(config.text),
      words_(scope / "words", std::max<Index>(1, config.text.entries), config.width,
             config.text.deviation,
             config.text.freeze_vectors ? nn::Embedding::Learning::kFrozen
                                        : nn::Embedding::Learning::kLearned) {
  if (options_.letters.buckets > 0) {
    letters_.emplace(scope / "letters", options_.letters.buckets, config.width,
                     config.text.deviation);
  }
  if (options_.spelling.filters > 0) {
    spelling_.emplace(scope / "spelling", options_.spelling, config.width);
  }
}

Sequences TextInput::operator()(Context& context, const BatchPart& part) const {
  const Layout layout = Layout::of(context.arena(), part.lengths, part.first());
  Sequences x =
      words_(context, draw(context, part, layout, options_.word_dropout), layout);  // (rows, width)
  if (letters_) {
    const Sequences spelled =
        letters_->mean(context, part.grams, part.gram_counts, layout);  // (rows, width)
    x.rows = grad::add(context, x.rows, spelled.rows);
  }
  if (spelling_) {
    const Var spelled = (*spelling_)(context, part.letters, part.letter_counts);  // (rows, width)
    x.rows = grad::add(context, x.rows, spelled);
  }
  return {grad::dropout(context, x.rows, context.dropout(options_.dropout, layout)), layout};
}

}  // namespace heed
