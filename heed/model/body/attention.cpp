#include "heed/model/body/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "heed/grad/sequence.h"
#include "heed/model/options.h"

namespace heed {
namespace {

constexpr Index kWhole = std::numeric_limits<Index>::max();

nn::EncoderOptions encoder_options(const AttentionBodyOptions& options,
                                   const AttentionSetting& setting) {
  nn::EncoderOptions encoder = options.encoder;
  encoder.attention =
      attention_options(encoder.attention, options.position.kind, options.seconds, setting);
  return encoder;
}

nn::PositionOptions position_options(const AttentionBodyOptions& options, Index width) {
  nn::PositionOptions position = options.position;
  position.width = width;
  return position;
}

std::string taps_text(const nn::NeighbourOptions& options) {
  return options.dimensions == 2 ? fmt::format("{0} x {0}", options.taps)
                                 : fmt::format("{}", options.taps);
}

class AttentionState : public BodyState {
 public:
  void keep(std::span<const Index> sequences) override { cache.reorder(sequences); }

  nn::EncoderCache cache;
};

class AttentionNetwork : public BodyNetwork {
 public:
  AttentionNetwork(const Scope& scope, const AttentionBodyOptions& options,
                   const AttentionSetting& setting)
      : segment_(options.segment > 0 ? options.segment : kWhole),
        memory_(options.memory.value_or(options.segment)),
        position_(options.position.kind),
        options_(encoder_options(options, setting)),
        encoder_(scope, options_),
        positions_(scope / "positions", position_options(options, setting.width)) {}

  Sequences operator()(Context& context, const Sequences& x) const override {
    Index longest = 1;
    for (Index s = 0; s < x.layout.count(); ++s) longest = std::max(longest, x.layout.length(s));
    const Index segments = 1 + (longest - 1) / segment_;
    if (segments > 1) return in_segments(context, x, segments);
    return encoder_(context, positions_(context, x));
  }

  void describe(Plan& plan) const override;

  std::unique_ptr<BodyState> begin() const override { return std::make_unique<AttentionState>(); }
  Sequences next(Context& context, const Sequences& x, BodyState& state) const override {
    nn::EncoderCache& cache = static_cast<AttentionState&>(state).cache;
    std::vector<Index> lengths;
    for (Index s = 0; s < x.layout.count(); ++s) {
      lengths.push_back(cache.length(s) + x.layout.length(s));
    }
    const Layout seen = Layout::of(context.arena(), lengths);
    return encoder_(context, positions_(context, x, seen), cache);
  }

 private:
  Sequences in_segments(Context& context, const Sequences& x, Index segments) const;
  void describe_layer(Plan& plan, Index i) const;

  Index segment_;  // rows that are read at a time
  Index memory_;   // rows that the next one sees
  nn::Position position_;
  nn::EncoderOptions options_;
  nn::Encoder encoder_;
  nn::Positions positions_;  // after it: they are computed, and it may be too large
};

// The first segments of all sequences, then the second ones, … A sequence that has ended goes on
// with no rows, so that it keeps its number, by which random numbers are drawn.
Sequences AttentionNetwork::in_segments(Context& context, const Sequences& x,
                                        Index segments) const {
  const auto segment = [&](Index number) {
    return grad::slice(context, x, number * segment_, segment_);
  };
  const auto read = context.arena().array<Sequences>(segments);
  nn::MemoryBank bank(context, encoder_.layers(), memory_);
  Sequences now = segment(0);
  for (Index i = 0; i < segments; ++i) {
    const Context::Pass pass(context, i);
    const Sequences next = segment(i + 1);  // without rows after the last
    bank.goes_on(next.layout);
    const Sequences in = positions_(context, now);
    read[static_cast<std::size_t>(i)] =
        memory_ > 0 ? encoder_(context, in, bank) : encoder_(context, in);
    now = next;
  }
  return {grad::concatenate(context, read).rows, x.layout};
}

void AttentionNetwork::describe_layer(Plan& plan, Index i) const {
  const nn::EncoderLayer& layer = encoder_.layer(i);
  const Shape rows{plan.rows(), options_.attention.width};
  const std::string scope = fmt::format("layers.{}", i);
  const bool pre = options_.order == nn::NormOrder::kPre;
  const auto add_norm = [&](const char* which) {
    plan.add("norm", rows,
             {.scope = scope + which, .note = fmt::format("{} norm", name_of(options_.norm))});
  };
  plan.set_layer(fmt::format("layer {}", i + 1));
  if (layer.neighbours() != nullptr) {
    add_norm(".convolution.norm");
    plan.add("convolution", rows,
             {scope + ".convolution.taps", layer.neighbours()->flops(plan.rows()),
              fmt::format(
                  "{} taps, {}, residual", taps_text(options_.convolution),
                  options_.convolution.recurrent ? "moving averages in both directions" : "relu")});
  }
  if (pre) add_norm(".norm1");
  plan.add("attention", rows,
           {scope + ".attention", layer.attention().flops(plan.rows()),
            attention_note(options_.attention)});
  add_norm(pre ? ".norm2" : ".norm1");
  const nn::FeedForwardOptions& feed = options_.feed_forward;
  plan.add("feed-forward", rows,
           {scope + ".feed_forward", layer.feed_forward().flops(plan.rows()),
            fmt::format("{}, {}{}, residual", feed.hidden, name_of(feed.activation),
                        feed.gated ? ", gated" : "")});
  if (!pre) add_norm(".norm2");
}

void AttentionNetwork::describe(Plan& plan) const {
  const Shape rows{plan.rows(), options_.attention.width};
  if (nn::added_to_input(position_)) {
    plan.add("positions", rows,
             {.scope = "positions", .note = fmt::format("+ {}", name_of(position_))});
  }
  for (Index i = 0; i < encoder_.layers(); ++i) describe_layer(plan, i);
  plan.set_layer("");
  if (options_.order == nn::NormOrder::kPre && options_.last_norm) {
    plan.add("norm", rows,
             {.scope = "norm", .note = fmt::format("{} norm", name_of(options_.norm))});
  }
}

}  // namespace

template <class Archive>
void describe(Archive& archive, AttentionBodyOptions& options) {
  archive.field("position", options.position);
  describe(archive, options.encoder);
  archive.field("seconds", options.seconds);
  archive.field("segment", options.segment, between(0, kMostRows));
  archive.field("memory", options.memory, between(0, kMostRows));
}

template void describe(JsonReader&, AttentionBodyOptions&);
template void describe(JsonWriter&, AttentionBodyOptions&);

std::string AttentionBody::problem(Index width) const {
  const nn::AttentionOptions& attention = options_.encoder.attention;
  const std::string problem = attention_problem(attention, options_.position.kind, width);
  if (!problem.empty()) return problem;
  const nn::NeighbourOptions& convolution = options_.encoder.convolution;
  if (convolution.recurrent && convolution.dimensions != 1) {
    return fmt::format("convolution.recurrent: expected false with convolution.dimensions {}",
                       convolution.dimensions);
  }
  const Index memory = options_.memory.value_or(options_.segment);
  if (options_.segment > 0 && nn::is_limited(attention) &&
      options_.segment + memory > attention.longest) {
    return fmt::format(
        "attention.longest {}: a segment of {} rows with a memory of {} needs more positions",
        attention.longest, options_.segment, memory);
  }
  return {};
}

std::string AttentionBody::causal_problem() const {
  if (!options_.encoder.attention.mask.causal) {
    return "attention.mask.causal false: rows attend to those behind them, expected true";
  }
  if (options_.encoder.convolution.taps != 0) {
    return "convolution.taps: a convolution sees the row behind, expected 0";
  }
  if (options_.segment != 0) return "segment: expected 0, a whole text is read";
  return {};
}

Index AttentionBody::longest() const {
  const Index longest = longest_read(options_.encoder.attention, options_.position);
  return options_.segment > 0 && options_.segment <= longest ? 0 : longest;
}

void AttentionBody::expect_rows(Index rows) {
  options_.position.longest = std::max(options_.position.longest, rows);
}

void AttentionBody::set_dropout(float rate) {
  options_.encoder.dropout = options_.encoder.feed_forward.dropout = rate;
}

void AttentionBody::apply(const SizePreset& size) {
  nn::EncoderOptions& encoder = options_.encoder;
  encoder.attention.heads = size.heads;
  encoder.feed_forward.hidden = size.hidden;
  encoder.layers = size.layers;
  set_dropout(size.dropout);
}

std::unique_ptr<BodyNetwork> AttentionBody::network(const Scope& scope, Index width) const {
  return std::make_unique<AttentionNetwork>(scope, options_, AttentionSetting{width, row_seconds_});
}

}  // namespace heed
