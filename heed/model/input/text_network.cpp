#include "heed/model/input/text_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/base/display.h"
#include "heed/data/text/vocabulary.h"
#include "heed/grad/kept_vectors.h"
#include "heed/grad/linear.h"
#include "heed/model/input/text.h"

namespace heed {
namespace {

// The vocabulary before the tokenizer is trained is as large as it may become.
Index entries_of(const TextOptions& options) {
  const Index entries = options.entries > 0 ? options.entries : options.tokenizer.vocabulary;
  return std::max<Index>(1, entries) + (options.tied ? 1 : 0);
}

// Of vectors that also score, as large as scores need them: they are scaled where they come in.
float deviation_of(const TextOptions& options, Index width) {
  return options.tied ? 1.0f / std::sqrt(static_cast<float>(width)) : options.deviation;
}

nn::Embedding::Learning learning_of(const TextOptions& options) {
  if (options.tied) return nn::Embedding::Learning::kDense;
  return options.freeze_vectors ? nn::Embedding::Learning::kFrozen
                                : nn::Embedding::Learning::kLearned;
}

// The tokens of one pass: word dropout makes some of them unknown.
std::span<const std::int32_t> draw(Context& context, std::span<const std::int32_t> tokens,
                                   const Layout& layout, float rate) {
  const kernel::Dropout dropout = context.dropout(rate);
  if (!dropout) return tokens;
  Arena& arena = context.arena();
  const auto drawn = arena.copy(tokens);
  for (Index s = 0; s < layout.count(); ++s) {
    const Index length = layout.length(s);
    float* factors = arena.array<float>(length + kernel::kDropoutBlock).data();
    kernel::dropout_factors(dropout.sequence(layout.first() + s), 0, 0, length, length, factors);
    for (Index i = 0; i < length; ++i) {
      if (factors[i] != 0.0f) continue;
      drawn[static_cast<std::size_t>(layout.begin(s) + i)] = Vocabulary::kUnknown;
    }
  }
  return drawn;
}

// The tokenizer's units, as a step is called.
const char* unit_name(TokenizerOptions::Kind kind) {
  switch (kind) {
    case TokenizerOptions::Kind::kWord:
      return "words";
    case TokenizerOptions::Kind::kCharacter:
      return "characters";
    case TokenizerOptions::Kind::kBpe:
    case TokenizerOptions::Kind::kUnigram:
      return "subwords";
  }
  return "tokens";
}

}  // namespace

TextNetwork::TextNetwork(const Scope& scope, const TextOptions& options, Index width)
    : options_(options),
      scale_(options.tied ? std::sqrt(static_cast<float>(width)) : 1.0f),
      words_(scope / "words", entries_of(options), width, deviation_of(options, width),
             learning_of(options)) {
  if (options_.char_ngrams.buckets > 0) {
    char_ngrams_.emplace(scope / "char_ngrams", options_.char_ngrams.buckets, width,
                         options.deviation);
  }
  if (options_.char_cnn.filters > 0) {
    char_cnn_.emplace(scope / "char_cnn", options_.char_cnn, width);
  }
  if (options_.pairs) {
    sides_.emplace(scope / "sides", TextInput::kSideCount, width, options.deviation);
  }
  if (options_.masked_words.share > 0.0f) {
    masked_words_.emplace(scope / "masked_words", options_.masked_words, width,
                          entries_of(options));
  }
}

// The vector of each token, and the mean of those of its n-grams: (rows, width)
Var TextNetwork::vectors_of(Context& context, const Words& words, const Layout& layout) const {
  const Sequences x = words_(context, words.tokens, layout, scale_);  // (rows, width)
  if (!char_ngrams_) return x.rows;
  const Sequences mean =
      char_ngrams_->mean(context, words.ngrams, words.counts, layout);  // (rows, width)
  return grad::add(context, x.rows, mean.rows);                         // (rows, width)
}

// The same, where only the vectors of words that are not kept yet are made.
Sequences TextNetwork::kept_vectors_of(Context& context, const Words& words, const Layout& layout,
                                       KeptVectors& kept) const {
  Arena& arena = context.arena();
  const Index rows = std::ssize(words.tokens), width = words_.width();
  const Tensor y = arena.tensor({rows, width});
  const auto numbers = arena.array<std::int32_t>(rows);  // of those that are kept, their tokens
  const auto missing = arena.array<Index>(rows);         // the rows of the others
  const auto tokens = arena.array<std::int32_t>(rows), counts = arena.array<std::int32_t>(rows);
  const auto ngrams = arena.array<std::int32_t>(std::ssize(words.ngrams));
  std::size_t found = 0, spelled = 0, place = 0;
  for (std::size_t row = 0; row < words.tokens.size(); ++row) {
    const std::size_t ahead = row + KeptVectors::kAhead;
    if (ahead < words.tokens.size()) kept.prefetch(words.tokens[ahead]);
    const auto count = static_cast<std::size_t>(words.counts[row]);
    const auto own = words.ngrams.subspan(place, count);
    place += count;
    if (const float* vector = kept.find(words.tokens[row], own)) {
      std::copy_n(vector, width, y.row(static_cast<Index>(row)));
      numbers[row] = words.tokens[row];
      continue;
    }
    missing[found] = static_cast<Index>(row);
    tokens[found] = words.tokens[row];
    counts[found++] = words.counts[row];
    std::copy(own.begin(), own.end(), ngrams.begin() + static_cast<Index>(spelled));
    spelled += count;
  }
  const Words others{tokens.first(found), ngrams.first(spelled), counts.first(found)};
  const Tensor made =
      vectors_of(context, others, Layout::uniform(arena, 1, static_cast<Index>(found))).value;
  place = 0;
  for (std::size_t i = 0; i < found; ++i) {
    const auto count = static_cast<std::size_t>(counts[i]);
    const float* vector = made.row(static_cast<Index>(i));
    std::copy_n(vector, width, y.row(missing[i]));
    const bool known = tokens[i] != Vocabulary::kUnknown;
    const bool is_kept = known && kept.keep(tokens[i], ngrams.subspan(place, count),
                                            {vector, static_cast<std::size_t>(width)});
    numbers[static_cast<std::size_t>(missing[i])] = is_kept ? tokens[i] : -1;
    place += count;
  }
  return {{y, -1}, layout, numbers};
}

Sequences TextNetwork::operator()(Context& context, const Batch& batch) const {
  const auto column = [&](TextInput::Column slot) { return batch.input.integers(slot).values(); };
  const Layout layout = Layout::of(context.arena(), batch.lengths, batch.first);
  const auto tokens = draw(context, column(TextInput::kTokens), layout, options_.word_dropout);
  const Words words{tokens, column(TextInput::kNgrams), column(TextInput::kNgramCounts)};
  // Without n-grams a vector is as quickly made as found.
  KeptVectors* kept = char_ngrams_ ? context.kept_vectors(words_.table()) : nullptr;
  Sequences x = kept != nullptr
                    ? kept_vectors_of(context, words, layout, *kept)
                    : Sequences{vectors_of(context, words, layout), layout};  // (rows, width)
  if (char_cnn_ || sides_ || masked_words_) x.kept = {};                      // rows become others
  if (char_cnn_) {
    const Var seen = (*char_cnn_)(context, column(TextInput::kCharacterIds),
                                  column(TextInput::kCharacterCounts));
    x.rows = grad::add(context, x.rows, seen);  // (rows, width)
  }
  if (sides_) {
    const Sequences side = (*sides_)(context, column(TextInput::kSides), layout);
    x.rows = grad::add(context, x.rows, side.rows);  // (rows, width)
  }
  if (masked_words_) {
    x.rows = masked_words_->hide(context, x.rows, column(TextInput::kMasked));  // (rows, width)
  }
  return {grad::dropout(context, x.rows, context.dropout(options_.dropout, layout)), layout,
          x.kept};
}

Var TextNetwork::loss(Context& context, const Sequences& body, const Batch& batch) const {
  if (!masked_words_) return {};
  return masked_words_->loss(context, body.rows, batch.input.integers(TextInput::kMasked).values(),
                             static_cast<float>(batch.whole_weight));
}

Sequences TextNetwork::embed(Context& context, std::span<const std::int32_t> tokens,
                             const Layout& layout) const {
  return words_(context, tokens, layout, scale_);  // (rows, width)
}

void TextNetwork::describe(Plan& plan) const {
  const Shape rows{plan.rows(), words_.width()};
  const TokenizerOptions& tokenizer = options_.tokenizer;
  plan.add(
      "tokens", {plan.rows()},
      {.note = fmt::format(
           "{}{}{}", name_of(tokenizer.kind), tokenizer.lowercase ? ", in lower case" : "",
           options_.truncation > 0 ? fmt::format(", the first {}", with_commas(options_.truncation))
                                   : "")});
  plan.add(
      unit_name(tokenizer.kind), rows,
      {.scope = "words",
       .note = fmt::format("a vector for each of {}{}{}", options_.entries > 0 ? "" : "at most ",
                           with_commas(words_.vocabulary()),
                           options_.freeze_vectors ? ", frozen"
                           : options_.tied         ? ", which also score"
                                                   : "")});
  const CharNgramOptions& ngrams = options_.char_ngrams;
  if (char_ngrams_) {
    plan.add("character n-grams", rows,
             {.scope = "char_ngrams",
              .note = fmt::format("+ mean of {} to {} characters, {} vectors", ngrams.shortest,
                                  ngrams.longest, with_commas(ngrams.buckets))});
  }
  if (char_cnn_) {
    constexpr Index kCharactersOfAWord = 8;  // with its ends, as a rule
    plan.add("character CNN", rows,
             {"char_cnn", char_cnn_->flops(plan.rows(), kCharactersOfAWord * plan.rows()),
              fmt::format("+ {} filters over {} characters of each word", options_.char_cnn.filters,
                          options_.char_cnn.taps)});
  }
  if (sides_) {
    plan.add(
        "sides", rows,
        {.scope = "sides", .note = "+ a vector for each text of the pair, and what separates"});
  }
  if (masked_words_) {
    plan.add("masked words", rows,
             {.scope = "masked_words",
              .note = fmt::format("in training: {:g} % are hidden, and predicted among {}",
                                  100.0 * static_cast<double>(options_.masked_words.share),
                                  with_commas(masked_words_->words()))});
  }
}

}  // namespace heed
