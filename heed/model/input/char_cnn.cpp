#include "heed/model/input/char_cnn.h"

#include "heed/grad/pool.h"
#include "heed/grad/sequence.h"
#include "heed/model/input/distinct_words.h"

namespace heed {
namespace {

constexpr float kDeviation = 0.3f;  // of the characters' vectors at the beginning
constexpr char32_t kShared = 256;   // numbers for what is not among the first code points

nn::Convolution1dOptions filter_options(const CharCnnOptions& options) {
  nn::Convolution1dOptions filters;
  filters.in = options.width;
  filters.out = options.filters;
  filters.taps = options.taps;
  return filters.same();
}

}  // namespace

std::int32_t character_number(char32_t code) {
  constexpr char32_t kOwn = static_cast<char32_t>(kCharacters) - kShared;
  return static_cast<std::int32_t>(code < kOwn ? code : kOwn + code % kShared);
}

CharCnn::CharCnn(const Scope& scope, const CharCnnOptions& options, Index width)
    : characters_(scope / "characters", kCharacters, options.width, kDeviation),
      filters_(scope / "filters", filter_options(options)),
      out_(scope / "out", options.filters, width) {}

Var CharCnn::operator()(Context& context, std::span<const std::int32_t> characters,
                        std::span<const std::int32_t> counts) const {
  const DistinctWords distinct = distinct_words(context.arena(), characters, counts);
  const auto lengths = context.arena().array<Index>(std::ssize(distinct.counts));
  std::copy(distinct.counts.begin(), distinct.counts.end(), lengths.begin());
  const Layout words = Layout::of(context.arena(), lengths);
  const Sequences seen =
      filters_(context, characters_(context, distinct.characters, words));  // (characters, filters)
  const Var strongest = grad::pool(context, seen, grad::Pool::kMax);        // (words, filters)
  const Var y = out_(context, grad::activation(context, strongest, nn::Activation::kRelu));
  return grad::select_rows(context, y, distinct.numbers);  // (rows, width)
}

double CharCnn::flops(Index words, Index characters) const {
  return filters_.flops(characters) + out_.flops(words);
}

}  // namespace heed
