#include "heed/decode/decoder_steps.h"

#include <algorithm>
#include <numeric>

#include "heed/grad/sequence.h"

namespace heed::decode {
namespace {

// Logits of 32 rows and 8,000 tokens take 1 MB, and are read three times.
constexpr Index kScoredRows = 32;

}  // namespace

DecoderSteps::DecoderSteps(Context& context, const nn::Decoder& decoder, const Sequences& memory,
                           Ends ends)
    : decoder_(decoder),
      memory_{{memory.rows.value, -1}, memory.layout},
      ends_(std::move(ends)),
      context_(context.inner()),
      sources_(static_cast<std::size_t>(memory.layout.count())) {
  context_.pack_anew();
  std::iota(sources_.begin(), sources_.end(), Index{0});
}

void DecoderSteps::next(std::span<const std::int32_t> tokens, std::span<const Index> counts,
                        const Take& take) {
  context_.begin(Mode::kEvaluate);
  const Layout layout = Layout::of(context_.arena(), counts);
  std::vector<Index> lengths(counts.begin(), counts.end());
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    lengths[s] += cache_.length(static_cast<Index>(s));
  }
  const Layout seen = Layout::of(context_.arena(), lengths);
  const Sequences x = ends_.embed(context_, tokens, layout, seen);  // (rows, width)
  // After the first step the memory's keys and values are kept, and it is not looked at.
  const Sequences y = decoder_(context_, x, memory_, cache_);  // (rows, width)
  const Layout ones = Layout::uniform(context_.arena(), layout.count(), 1);
  const Var last = layout.rows() == ones.rows() ? y.rows : grad::last_rows(context_, y, ones);
  for (Index first = 0; first < ones.rows(); first += kScoredRows) {
    const Index count = std::min(kScoredRows, ones.rows() - first);
    const Arena::Scope scope(context_.arena());
    const Tensor rows{last.value.row(first), {count, last.columns()}};
    const auto sources = std::span<const Index>(sources_).subspan(static_cast<std::size_t>(first),
                                                                  static_cast<std::size_t>(count));
    const Sequences some{{rows, -1}, Layout::uniform(context_.arena(), count, 1)};
    take(first, ends_.score(context_, some, sources));  // (count, vocabulary)
  }
}

void DecoderSteps::keep(std::span<const Index> sequences) {
  bool same = sequences.size() == sources_.size();
  for (std::size_t i = 0; same && i < sequences.size(); ++i) {
    same = sequences[i] == static_cast<Index>(i);
  }
  if (same) return;
  cache_.reorder(sequences);
  std::vector<Index> kept;
  for (const Index s : sequences) kept.push_back(sources_[static_cast<std::size_t>(s)]);
  sources_ = std::move(kept);
}

}  // namespace heed::decode
