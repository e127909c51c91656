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

// What is kept of one layer for the next piece: the newest rows of what the layer looked back at
// and of what went into it, for those sequences that go on. As constants.
Sequences remember(Context& context, const Sequences* before, const Sequences& now,
                   const Layout& next, Index most) {
  const Layout& rows = now.layout;
  const auto lengths = context.arena().array<Index>(rows.count());
  for (Index s = 0; s < rows.count(); ++s) {
    const Index old = before == nullptr ? 0 : before->layout.length(s);
    lengths[static_cast<std::size_t>(s)] =
        next.length(s) == 0 ? 0 : std::min(most, old + rows.length(s));
  }
  const Layout layout = Layout::of(context.arena(), lengths, rows.first());
  const Index width = now.width();
  const Tensor kept = context.arena().tensor({layout.rows(), width});
  const auto copy_last = [&](const Sequences& from, Index s, Index count, Index to) {
    const float* end = from.rows.value.row(from.layout.end(s));
    std::copy(end - count * width, end, kept.row(to));
  };
  for (Index s = 0; s < rows.count(); ++s) {
    const Index fresh = std::min(layout.length(s), rows.length(s));
    const Index old = layout.length(s) - fresh;
    if (old > 0) copy_last(*before, s, old, layout.begin(s));
    if (fresh > 0) copy_last(now, s, fresh, layout.begin(s) + old);
  }
  return {{kept, -1}, layout};
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
  const Index layers = encoder_.layers();
  const auto read = context.arena().array<Sequences>(pieces);
  const auto inputs = context.arena().array<Sequences>(layers);
  const auto memory = context.arena().array<Sequences>(layers);
  Sequences now = piece(0);
  for (Index i = 0; i < pieces; ++i) {
    const Context::Pass pass(context, i);
    const bool looks_back = i > 0 && memory_ > 0;
    read[static_cast<std::size_t>(i)] = encoder_(
        context, positions_(context, now), looks_back ? memory : std::span<Sequences>{}, inputs);
    if (i + 1 == pieces) break;
    now = piece(i + 1);
    for (std::size_t layer = 0; memory_ > 0 && layer < inputs.size(); ++layer) {
      memory[layer] = remember(context, looks_back ? &memory[layer] : nullptr, inputs[layer],
                               now.layout, memory_);
    }
  }
  return {grad::concatenate(context, read).rows, x.layout};
}

}  // namespace heed
