#include "heed/nn/attention.h"

#include <algorithm>
#include <cmath>

#include "heed/grad/heads.h"
#include "heed/grad/norm.h"
#include "heed/grad/sequence.h"

namespace heed::nn {
namespace {

Index divided(const char* what, Index width, Index heads) {
  if (heads < 1 || width < 1 || width % heads != 0) {
    fail<UsageError>("attention", "expected {} {} to be a multiple of {} heads", what, width,
                     heads);
  }
  return width / heads;
}

}  // namespace

Index KeyValueCache::length(Index sequence) const {
  return sequence < static_cast<Index>(sequences_.size())
             ? sequences_[static_cast<std::size_t>(sequence)].count
             : 0;
}

Index KeyValueCache::asked(Index sequence) const {
  return sequence < static_cast<Index>(sequences_.size())
             ? sequences_[static_cast<std::size_t>(sequence)].queries
             : 0;
}

void KeyValueCache::reorder(std::span<const Index> sequences) {
  std::vector<Rows> kept;
  for (const Index sequence : sequences) {
    if (sequence < 0 || sequence >= static_cast<Index>(sequences_.size())) {
      fail<ShapeError>("cache", "expected sequences from 0 to {}, got {}", sequences_.size() - 1,
                       sequence);
    }
    kept.push_back(sequences_[static_cast<std::size_t>(sequence)]);
  }
  sequences_ = std::move(kept);
}

MultiHeadAttention::MultiHeadAttention(const Scope& scope, const AttentionOptions& options)
    : options_(options) {
  AttentionOptions& o = options_;
  if (o.memory_width == 0) o.memory_width = o.width;
  if (o.value_width == 0) o.value_width = o.width;
  const Index heads = o.heads;
  depth_ = divided("width", o.width, heads);
  value_depth_ = divided("value width", o.value_width, heads);
  if (!(o.temperature.value > 0.0f)) {
    fail<UsageError>("attention", "expected a temperature above 0, got {}", o.temperature.value);
  }
  if (o.memory_slots < 0 || o.longest < 1) {
    fail<UsageError>("attention", "expected memory_slots ≥ 0 and longest ≥ 1, got {} and {}",
                     o.memory_slots, o.longest);
  }
  if (o.mask.before.value_or(0) < 0 || o.mask.after.value_or(0) < 0) {
    fail<UsageError>("attention", "expected a window of at least 0 before and after");
  }
  if (added_to_input(o.position)) {
    fail<UsageError>("attention",
                     "these positions are added to the input (Positions), not to attention");
  }
  if (o.position == Position::kRotary && depth_ % 2 != 0) {
    fail<UsageError>("attention", "rotary positions need an even depth per head, got {}", depth_);
  }
  if (o.memory_width == o.width && o.value_width == o.width) {
    stacked_.emplace(scope, std::vector<std::string>{"q", "k", "v"}, o.width, o.width, o.bias);
  } else {
    q_.emplace(scope / "q", o.width, o.width, o.bias);
    k_.emplace(scope / "k", o.memory_width, o.width, o.bias);
    v_.emplace(scope / "v", o.memory_width, o.value_width, o.bias);
  }
  out_.emplace(scope / "out", o.join == HeadJoin::kConcatenate ? o.value_width : value_depth_,
               o.width, o.bias);
  const float small = 1.0f / std::sqrt(static_cast<float>(depth_));
  const ParameterRule no_decay{.decay = false};
  if (o.score == Score::kAdditive) {
    additive_ = &scope.add("additive", {heads, depth_}, Init::uniform(small));
  }
  if (o.score == Score::kBilinear) {
    bilinear_ = &scope.add("bilinear", {heads, depth_, depth_}, Init::uniform(small));
  }
  if (o.score == Score::kLocation) {
    location_ = &scope.add("location", {o.longest, o.width}, Init::normal(small));
  }
  if (o.position == Position::kRelative) {
    relative_ = &scope.add("relative", {heads, 2 * o.longest + 1}, Init::constant(0.0f), no_decay);
  }
  if (o.temperature.learned) {
    log_temperature_ = &scope.add("log_temperature", {heads},
                                  Init::constant(std::log(o.temperature.value)), no_decay);
  }
  if (o.memory_slots > 0) {
    slot_keys_ = &scope.add("slots.keys", {o.memory_slots, o.width}, Init::normal(small));
    slot_values_ = &scope.add("slots.values", {o.memory_slots, o.value_width}, Init::normal(small));
  }
  if (o.position == Position::kAlibi) slopes_ = alibi_slopes(heads);
}

// Queries, keys and values on their way to the kernel.
struct MultiHeadAttention::Projected {
  grad::Columns queries, keys, values;
  Layout query_layout, key_layout;
  Layout positions;        // all rows that have been seen: keys are the last of them
  Layout query_positions;  // all rows that have asked: queries are the last of them
  bool self;
};

// Whether scores can be taken from one joint projection as it is.
bool MultiHeadAttention::fused() const {
  const bool plain_score = options_.score == Score::kScaledDot || options_.score == Score::kDot ||
                           options_.score == Score::kAdditive;
  const bool plain_temperature = log_temperature_ == nullptr || additive_ != nullptr;
  return stacked_.has_value() && plain_score && plain_temperature &&
         options_.position != Position::kRotary && options_.memory_slots == 0;
}

Sequences MultiHeadAttention::operator()(Context& context, const Sequences& x,
                                         const AttentionExtras& extras) const {
  if (options_.memory_width != options_.width) {
    fail<ShapeError>("attention", "self-attention needs memory_width {} to be the width {}",
                     options_.memory_width, options_.width);
  }
  if (extras.bank == nullptr) return attend(context, x, x, extras, true);
  // Constant: what was computed for earlier segments is not differentiated through.
  const Sequences bank{{extras.bank->rows.value, -1}, extras.bank->layout};
  return attend(context, x, grad::concatenate(context, bank, x), extras, true);
}

Sequences MultiHeadAttention::operator()(Context& context, const Sequences& queries,
                                         const Sequences& memory,
                                         const AttentionExtras& extras) const {
  if (extras.bank != nullptr) {
    fail<UsageError>("attention", "a memory bank belongs to self-attention");
  }
  if (extras.cache != nullptr && !extras.cache->sequences_.empty()) {
    // Its keys and values are in the cache: there is nothing left to project.
    const Tensor none = context.arena().tensor({0, options_.memory_width});
    const Layout empty = Layout::uniform(context.arena(), queries.layout.count(), 0);
    return attend(context, queries, {{none, -1}, empty}, extras, false);
  }
  return attend(context, queries, memory, extras, false);
}

Sequences MultiHeadAttention::attend(Context& context, const Sequences& queries,
                                     const Sequences& memory, const AttentionExtras& extras,
                                     bool self) const {
  if (extras.cache != nullptr && context.tape().recording()) {
    fail<UsageError>("attention", "a key-value cache is for evaluation, not for training");
  }
  Projected p{{}, {}, {}, queries.layout, memory.layout, memory.layout, queries.layout, self};
  if (extras.cache != nullptr) {
    const auto lengths = context.arena().array<Index>(queries.layout.count());
    for (Index s = 0; s < queries.layout.count(); ++s) {
      lengths[static_cast<std::size_t>(s)] = extras.cache->asked(s) + queries.layout.length(s);
    }
    p.query_positions = Layout::of(context.arena(), lengths, queries.layout.first());
    if (self) p.positions = p.query_positions;
  } else if (self) {
    p.query_positions = p.positions;
  }
  project(context, queries, memory, p);
  place(context, p);
  if (extras.cache != nullptr) recall(context, *extras.cache, p);
  weigh(context, p);
  grad::AttentionCall attention = call(context, p);
  if (!extras.hidden.empty()) {
    if (static_cast<Index>(extras.hidden.size()) != memory.layout.rows() ||
        extras.bank != nullptr || extras.cache != nullptr) {
      fail<ShapeError>("attention",
                       "expected a padding mask of {} rows and no bank or cache, got {}",
                       memory.layout.rows(), extras.hidden.size());
    }
    // Memory slots stand before each sequence; nobody hides those.
    const auto hidden = context.arena().array<std::uint8_t>(p.key_layout.rows());
    std::fill(hidden.begin(), hidden.end(), std::uint8_t{0});
    for (Index s = 0; s < memory.layout.count(); ++s) {
      std::copy_n(extras.hidden.begin() + memory.layout.begin(s), memory.layout.length(s),
                  hidden.begin() + p.key_layout.begin(s) + options_.memory_slots);
    }
    attention.hidden = hidden;
  }
  Var joined = grad::attention(context, attention);  // (rows, heads · value depth)
  if (options_.join == HeadJoin::kAverage) {
    joined = grad::average_heads(context, joined, options_.heads);  // (rows, value depth)
  }
  return {(*out_)(context, joined), p.query_layout};  // (rows, width)
}

void MultiHeadAttention::project(Context& context, const Sequences& queries,
                                 const Sequences& memory, Projected& p) const {
  if (fused() && queries.rows.value.data == memory.rows.value.data) {
    const Var all = (*stacked_)(context, queries.rows);  // (rows, 3 · width)
    p.queries = {all, 0};
    p.keys = {all, options_.width};
    p.values = {all, 2 * options_.width};
    return;
  }
  if (stacked_) {
    p.queries = {(*stacked_)(context, queries.rows, 0)};  // (rows, width)
    p.values = {(*stacked_)(context, memory.rows, 2)};    // (memory rows, width)
    if (location_ == nullptr) p.keys = {(*stacked_)(context, memory.rows, 1)};
  } else {
    p.queries = {(*q_)(context, queries.rows)};  // (rows, width)
    p.values = {(*v_)(context, memory.rows)};    // (memory rows, value_width)
    if (location_ == nullptr) p.keys = {(*k_)(context, memory.rows)};
  }
}

// What depends on each row and its own position alone, and so may be kept in a cache.
void MultiHeadAttention::place(Context& context, Projected& p) const {
  if (location_ != nullptr) {
    // Keys that do not depend on what is attended to: those of the last positions.
    const Var all = grad::positions(context, p.positions, context.parameter(*location_));
    p.keys = {grad::last_rows(context, {all, p.positions}, p.key_layout)};
  }
  if (options_.score == Score::kCosine) {
    p.queries.var = grad::unit_length(context, p.queries.var, depth_);
    p.keys.var = grad::unit_length(context, p.keys.var, depth_);
  }
  if (options_.position == Position::kRotary) {
    p.queries.var =
        grad::rotary(context, {p.queries.var, p.query_layout}, p.query_positions, depth_);
    p.keys.var = grad::rotary(context, {p.keys.var, p.key_layout}, p.positions, depth_);
  }
}

// Adds new keys and values to the cache, and attends to everything in it.
void MultiHeadAttention::recall(Context& context, KeyValueCache& cache, Projected& p) const {
  const Index count = p.key_layout.count();
  auto& kept = cache.sequences_;
  if (!kept.empty() && static_cast<Index>(kept.size()) != count) {
    fail<ShapeError>("attention", "the cache holds {} sequences, got {}", kept.size(), count);
  }
  const bool adds = p.self || kept.empty();
  kept.resize(static_cast<std::size_t>(count));
  const Index key_width = options_.width, value_width = options_.value_width;
  const auto lengths = context.arena().array<Index>(count);
  for (Index s = 0; s < count; ++s) {
    KeyValueCache::Rows& rows = kept[static_cast<std::size_t>(s)];
    for (Index i = p.key_layout.begin(s); adds && i < p.key_layout.end(s); ++i) {
      const float* key = p.keys.var.value.row(i) + p.keys.begin;
      const float* value = p.values.var.value.row(i) + p.values.begin;
      rows.keys.insert(rows.keys.end(), key, key + key_width);
      rows.values.insert(rows.values.end(), value, value + value_width);
      ++rows.count;
    }
    rows.queries += p.query_layout.length(s);
    lengths[static_cast<std::size_t>(s)] = rows.count;
  }
  p.key_layout = Layout::of(context.arena(), lengths, p.query_layout.first());
  const Tensor keys = context.arena().tensor({p.key_layout.rows(), key_width});
  const Tensor values = context.arena().tensor({p.key_layout.rows(), value_width});
  for (Index s = 0; s < count; ++s) {
    const KeyValueCache::Rows& rows = kept[static_cast<std::size_t>(s)];
    std::copy(rows.keys.begin(), rows.keys.end(), keys.row(p.key_layout.begin(s)));
    std::copy(rows.values.begin(), rows.values.end(), values.row(p.key_layout.begin(s)));
  }
  p.keys = {{keys, -1}};
  p.values = {{values, -1}};
}

// What changes scores for all keys alike, and the memory slots.
void MultiHeadAttention::weigh(Context& context, Projected& p) const {
  if (bilinear_ != nullptr) {
    p.queries.var = grad::head_product(context, p.queries.var, context.parameter(*bilinear_));
  }
  if (log_temperature_ != nullptr && additive_ == nullptr) {
    p.queries.var = grad::cool_heads(context, p.queries.var, context.parameter(*log_temperature_));
  }
  if (slot_keys_ == nullptr) return;
  const Sequences keys =
      grad::prepend(context, context.parameter(*slot_keys_), {p.keys.var, p.key_layout});
  const Sequences values =
      grad::prepend(context, context.parameter(*slot_values_), {p.values.var, p.key_layout});
  p.keys = {keys.rows};
  p.values = {values.rows};
  p.key_layout = keys.layout;
}

grad::AttentionCall MultiHeadAttention::call(Context& context, const Projected& p) const {
  grad::AttentionCall call;
  call.queries = p.queries;
  call.keys = p.keys;
  call.values = p.values;
  call.query_layout = p.query_layout;
  call.key_layout = p.key_layout;
  call.query_positions = p.query_positions;
  call.heads = options_.heads;
  call.depth = depth_;
  call.value_depth = value_depth_;
  call.scale =
      options_.score == Score::kScaledDot ? 1.0f / std::sqrt(static_cast<float>(depth_)) : 1.0f;
  if (log_temperature_ == nullptr) call.scale /= options_.temperature.value;
  if (additive_ != nullptr) {
    call.additive = context.parameter(*additive_);
    if (log_temperature_ != nullptr) {
      // Scores are linear in `a`: cooling its rows, one for each head, cools the scores.
      call.additive.value.shape = {1, options_.heads * depth_};
      call.additive =
          grad::cool_heads(context, call.additive, context.parameter(*log_temperature_));
      call.additive.value.shape = {options_.heads, depth_};
    }
  }
  if (relative_ != nullptr) call.relative = context.parameter(*relative_);
  call.slopes = slopes_;
  call.align = p.self ? grad::Align::kEnd : grad::Align::kStart;
  call.mask.slots = options_.memory_slots;
  call.mask.not_self = options_.mask.not_self;
  call.mask.before = options_.mask.before.value_or(kernel::AttentionMask::kUnlimited);
  call.mask.after =
      options_.mask.causal ? 0 : options_.mask.after.value_or(kernel::AttentionMask::kUnlimited);
  call.dropout = context.dropout(options_.dropout);
  return call;
}

}  // namespace heed::nn
