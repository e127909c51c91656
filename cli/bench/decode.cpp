#include "cli/bench/decode.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "cli/bench/parts.h"
#include "heed/decode/beam.h"
#include "heed/decode/decoder_steps.h"

namespace heed::cli {
namespace {

constexpr Index kTokens = 8000, kVector = 256, kDecodeHeads = 8, kFeedForward = 512, kStack = 3;
constexpr Index kSentences = 1024, kTogether = 64;  // sentences of a batch

// Subwords of source and target of real pairs, as bench/lengths.py took them from Multi30k.
constexpr std::array<Index, 128> kDecodeLengths = {
#include "bench/translate_lengths.txt"
};

// The pairs again and again, those of similar length together, as they are when a file is
// translated.
std::vector<Index> lengths_of(std::size_t side) {
  constexpr std::size_t kPairs = kDecodeLengths.size() / 2;
  std::vector<std::size_t> order(kPairs);
  for (std::size_t i = 0; i < kPairs; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [](std::size_t a, std::size_t b) {
    return kDecodeLengths[2 * a] < kDecodeLengths[2 * b];
  });
  std::vector<Index> lengths;
  for (const std::size_t pair : order) {
    lengths.insert(lengths.end(), kSentences / kPairs, kDecodeLengths[2 * pair + side]);
  }
  return lengths;
}

nn::EncoderOptions stack() { return encoder_options(kVector, kDecodeHeads, kFeedForward, kStack); }

nn::DecoderOptions writer() {
  nn::DecoderOptions options;
  options.attention = stack().attention;
  options.feed_forward = stack().feed_forward;
  options.layers = kStack;
  return options;
}

}  // namespace

Decoding::Decoding()
    : source_lengths_(lengths_of(0)),
      target_lengths_(lengths_of(1)),
      source_(Scope(parameters_) / "source", kTokens, kVector),
      target_(Scope(parameters_) / "target", kTokens, kVector),
      positions_(Scope(parameters_) / "positions", {nn::Position::kSinusoidal, kVector, 256}),
      encoder_(Scope(parameters_) / "encoder", stack()),
      decoder_(Scope(parameters_) / "decoder", writer()),
      last_(Scope(parameters_) / "last", kVector, kTokens),
      source_ids_(random_ids(sum(source_lengths_), kTokens, 1)) {
  Index begin = 0;
  for (const Index length : source_lengths_) {
    source_begins_.push_back(begin);
    begin += length;
  }
}

Index Decoding::tokens() const { return sum(target_lengths_); }

void Decoding::write_batch(Context& context, Index first, Index count, Index beam) const {
  context.begin(Mode::kEvaluate);
  const auto lengths = slice(source_lengths_, first, count);
  const Layout layout = Layout::of(context.arena(), lengths);
  const auto ids =
      slice(source_ids_, source_begins_[static_cast<std::size_t>(first)], layout.rows());
  const Sequences memory =
      encoder_(context, positions_(context, source_(context, ids, layout)));  // (rows, width)
  decode::DecoderSteps steps(
      context, decoder_, memory,
      {.embed =
           [this](Context& step, std::span<const std::int32_t> tokens, const Layout& rows,
                  const Layout& seen) {
             return positions_(step, target_(step, tokens, rows), seen);
           },
       .score = [this](Context& step, const Sequences& last,
                       std::span<const Index>) { return last_(step, last.rows).value; }});
  const auto most = slice(target_lengths_, first, count);
  // The end is never written, so that all are as long as they should be.
  decode::beam_search(
      steps,
      {{.begin = 0, .end = 0, .never = 0, .longest = {most.begin(), most.end()}, .prompts = {}},
       beam});
}

void Decoding::write(Workers& workers, Index beam) {
  std::atomic<Index> taken = 0;
  while (std::ssize(contexts_) < workers.count()) contexts_.emplace_back().keep_weights();
  workers.run([&](int worker) {
    Context& context = contexts_[static_cast<std::size_t>(worker)];
    // The longest first.
    for (Index i = taken++; i * kTogether < kSentences; i = taken++) {
      write_batch(context, kSentences - (i + 1) * kTogether, kTogether, beam);
    }
  });
}

}  // namespace heed::cli
