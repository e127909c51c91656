#include "heed/model/options.h"

#include <fmt/format.h>

namespace heed {

template <class Archive>
void describe(Archive& archive, nn::Mask& mask) {
  archive.field("causal", mask.causal);
  archive.field("not_self", mask.not_self);
  archive.field("before", mask.before, at_least(0));
  archive.field("after", mask.after, at_least(0));
}

template <class Archive>
void describe(Archive& archive, nn::Temperature& temperature) {
  archive.field("value", temperature.value, above(0));
  archive.field("learned", temperature.learned);
}

template <class Archive>
void describe(Archive& archive, nn::AttentionOptions& options) {
  archive.field("width", options.width, between(0, kMostWidth));
  archive.field("heads", options.heads, at_least(1));
  archive.field("memory_width", options.memory_width, between(0, kMostWidth));
  archive.field("value_width", options.value_width, between(0, kMostWidth));
  archive.field("score", options.score);
  archive.field("temperature", options.temperature);
  archive.field("join", options.join);
  archive.field("memory_slots", options.memory_slots, between(0, kMostRows));
  archive.field("mask", options.mask);
  archive.field("windows", options.windows, at_least(0));
  archive.field("position", options.position);
  archive.field("longest", options.longest, between(1, kMostRows));
  archive.field("dropout", options.dropout, part_of_one());
  archive.field("bias", options.bias);
  // Also asked when options are written that nobody has checked yet: no division by zero.
  const auto divides = [&](Index width) { return options.heads > 0 && width % options.heads == 0; };
  archive.check("heads", divides(options.width),
                fmt::format("a divisor of the width {}", options.width));
  archive.check("heads", divides(options.value_width),
                fmt::format("a divisor of the value width {}", options.value_width));
  archive.check("position", !nn::added_to_input(options.position),
                "\"none\", \"rotary\", \"alibi\" or \"relative\" (the others are added to the "
                "input, not to attention)");
}

namespace {

template <class Archive>
void describe_inside(Archive& archive, nn::FeedForwardOptions& options) {
  archive.field("hidden", options.hidden, between(0, kMostRows));
  archive.field("activation", options.activation);
  archive.field("gated", options.gated);
  archive.field("dropout", options.dropout, part_of_one());
}

}  // namespace

template <class Archive>
void describe(Archive& archive, nn::FeedForwardOptions& options) {
  archive.field("width", options.width, between(0, kMostWidth));
  describe_inside(archive, options);
}

template <class Archive>
void describe(Archive& archive, nn::PositionOptions& options) {
  archive.field("kind", options.kind);
  archive.field("width", options.width, between(0, kMostWidth));
  archive.field("longest", options.longest, between(1, kMostRows));
}

template <class Archive>
void describe(Archive& archive, nn::NeighbourOptions& options) {
  archive.field("taps", options.taps, between(0, kMostRows));
  archive.check("taps", options.taps == 0 || options.taps % 2 == 1, "0 or an odd number");
  archive.field("dimensions", options.dimensions, between(1, 2));
  archive.field("layers", options.layers, between(0, kMostLayers));
  archive.field("recurrent", options.recurrent);
}

template <class Archive>
void describe(Archive& archive, nn::EncoderOptions& options) {
  archive.field("layers", options.layers, between(1, kMostLayers));
  archive.field("convolution", options.convolution);
  archive.field("attention", options.attention);
  archive.object("feed_forward",
                 [&](Archive& inner) { describe_inside(inner, options.feed_forward); });
  archive.field("order", options.order);
  archive.field("norm", options.norm);
  archive.field("epsilon", options.epsilon, above(0));
  archive.field("dropout", options.dropout, part_of_one());
  archive.field("branch", options.branch, above(0));
  archive.field("last_norm", options.last_norm);
  if constexpr (Archive::kReading) options.feed_forward.width = options.attention.width;
}

template <class Archive>
void describe(Archive& archive, nn::DecoderOptions& options) {
  archive.field("layers", options.layers, between(1, kMostLayers));
  archive.field("attention", options.attention);
  archive.object("feed_forward",
                 [&](Archive& inner) { describe_inside(inner, options.feed_forward); });
  archive.field("order", options.order);
  archive.field("norm", options.norm);
  archive.field("epsilon", options.epsilon, above(0));
  archive.field("dropout", options.dropout, part_of_one());
  if constexpr (Archive::kReading) options.feed_forward.width = options.attention.width;
}

template <class Archive>
void describe(Archive& archive, TokenizerOptions& options) {
  archive.field("kind", options.kind);
  archive.field("vocabulary", options.vocabulary, between(2, kMostEntries));
  archive.field("text_per_piece", options.text_per_piece, at_least(0));
  archive.field("min_count", options.min_count, at_least(1));
  archive.field("lowercase", options.lowercase);
  archive.field("normalization", options.normalization);
}

template void describe(JsonReader&, nn::Mask&);
template void describe(JsonWriter&, nn::Mask&);
template void describe(JsonReader&, nn::Temperature&);
template void describe(JsonWriter&, nn::Temperature&);
template void describe(JsonReader&, nn::AttentionOptions&);
template void describe(JsonWriter&, nn::AttentionOptions&);
template void describe(JsonReader&, nn::FeedForwardOptions&);
template void describe(JsonWriter&, nn::FeedForwardOptions&);
template void describe(JsonReader&, nn::PositionOptions&);
template void describe(JsonWriter&, nn::PositionOptions&);
template void describe(JsonReader&, nn::NeighbourOptions&);
template void describe(JsonWriter&, nn::NeighbourOptions&);
template void describe(JsonReader&, nn::EncoderOptions&);
template void describe(JsonWriter&, nn::EncoderOptions&);
template void describe(JsonReader&, nn::DecoderOptions&);
template void describe(JsonWriter&, nn::DecoderOptions&);
template void describe(JsonReader&, TokenizerOptions&);
template void describe(JsonWriter&, TokenizerOptions&);

}  // namespace heed
