#include "heed/model/body/attention.h"

#include <algorithm>
#include <limits>

#include "heed/grad/sequence.h"

namespace heed {
namespace {

nn::PositionOptions position_options(const Config& config) {
  nn::PositionOptions options = config.body.position;
  options.width = config.width;
  return options;
}

Index piece_length(const Config& config) {
  return config.text.beyond == Beyond::kSegments ? config.text.longest
                                                 : std::numeric_limits<Index>::max();
}

}  // namespace

nn::EncoderOptions encoder_options(const Config& config) {
  nn::EncoderOptions options = config.body.encoder;
  options.attention.width = config.width;
  const nn::Position position = config.body.position.kind;
  if (position != nn::Position::kNone && !nn::added_to_input(position)) {
    options.attention.position = position;
  }
  return options;
}

AttentionBody::AttentionBody(const Scope& scope, const Config& config)
    : longest_(piece_length(config)),
      memory_(config.body.memory.value_or(config.text.longest)),
      encoder_(scope, encoder_options(config)),
      positions_(scope / "positions", position_options(config)) {
  const nn::AttentionOptions& attention = config.body.encoder.attention;
  if (config.text.beyond == Beyond::kSegments && nn::is_limited(attention) &&
      longest_ + memory_ > attention.longest) {
    fail<UsageError>("body",
                     "attention knows {} positions (body.encoder.attention.longest), and a "
                     "piece of {} rows with a memory of {} (body.memory) needs more",
                     attention.longest, longest_, memory_);
  }
}

Sequences AttentionBody::operator()(Context& context, const Sequences& x) const {
  Index longest = 1;
  for (Index s = 0; s < x.layout.count(); ++s) longest = std::max(longest, x.layout.length(s));
  const Index pieces = 1 + (longest - 1) / longest_;
  if (pieces > 1) return in_pieces(context, x, pieces);
  return encoder_(context, positions_(context, x));
}

// The first pieces of all sequences, then the second ones, … A sequence that has ended goes on with
// no rows, so that it keeps its number, by which random numbers are drawn.
Sequences AttentionBody::in_pieces(Context& context, const Sequences& x, Index pieces) const {
  const auto piece = [&](Index number) {
    return grad::slice(context, x, number * longest_, longest_);
  };
  const auto read = context.arena().array<Sequences>(pieces);
  nn::MemoryBank bank(context, encoder_.layers(), memory_);
  Sequences now = piece(0);
  for (Index i = 0; i < pieces; ++i) {
    const Context::Pass pass(context, i);
    const Sequences next = piece(i + 1);  // without rows after the last
    bank.goes_on(next.layout);
    const Sequences in = positions_(context, now);
    read[static_cast<std::size_t>(i)] =
        memory_ > 0 ? encoder_(context, in, bank) : encoder_(context, in);
    now = next;
  }
  return {grad::concatenate(context, read).rows, x.layout};
}

}  // namespace heed
