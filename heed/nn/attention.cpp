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

// Which rows are hidden, where sequences became longer at their beginnings by rows that are not.
std::span<const std::uint8_t> moved(Context& context, std::span<const std::uint8_t> hidden,
                                    const Layout& from, const Layout& to) {
  const auto result = context.arena().array<std::uint8_t>(to.rows());
  std::fill(result.begin(), result.end(), std::uint8_t{0});
  for (Index s = 0; s < from.count(); ++s) {
    std::copy_n(hidden.begin() + from.begin(s), from.length(s),
                result.begin() + to.end(s) - from.length(s));
  }
  return result;
}

}  // namespace

std::vector<Index> head_windows(const AttentionOptions& options) {
  const auto count = static_cast<Index>(options.windows.size());
  std::vector<Index> result(static_cast<std::size_t>(count > 0 ? options.heads : 0));
  for (Index from_last = 0; from_last < static_cast<Index>(result.size()); ++from_last) {
    const Index window = options.windows[static_cast<std::size_t>(count - 1 - from_last % count)];
    result[static_cast<std::size_t>(options.heads - 1 - from_last)] =
        window > 0 ? window : kernel::AttentionMask::kUnlimited;
  }
  return result;
}

MultiHeadAttention::MultiHeadAttention(const Scope& scope, const AttentionOptions& options)
    : options_(options) {
  AttentionOptions& o = options_;
  if (o.memory_width == 0) o.memory_width = o.width;
  if (o.value_width == 0) o.value_width = o.width;
  const Index heads = o.heads;
  depth_ = divided("width", o.width, heads);
  value_depth_ = divided("value width", o.value_width, heads);
  // 1 / temperature is what is computed with.
  if (!(o.temperature.value > 0.0f && std::isfinite(o.temperature.value) &&
        std::isfinite(1.0f / o.temperature.value))) {
    fail<UsageError>("attention", "expected a temperature above 0, got {}", o.temperature.value);
  }
  if (o.memory_slots < 0 || o.longest < 1) {
    fail<UsageError>("attention", "expected memory_slots ≥ 0 and longest ≥ 1, got {} and {}",
                     o.memory_slots, o.longest);
  }
  if (o.mask.before.value_or(0) < 0 || o.mask.after.value_or(0) < 0) {
    fail<UsageError>("attention", "expected a window of at least 0 before and after");
  }
  if (std::ranges::any_of(o.windows, [](Index window) { return window < 0; })) {
    fail<UsageError>("attention", "expected windows of at least 0");
  }
  windows_ = head_windows(o);
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
  if (added_to_input(o.position)) {
    const auto options_for = [&](Index width) {
      return PositionOptions{.kind = o.position, .width = width, .longest = o.longest};
    };
    positions_.emplace(scope / "positions", options_for(o.width));
    if (o.memory_width != o.width) {
      memory_positions_.emplace(scope / "memory_positions", options_for(o.memory_width));
    }
  }
}

// Queries, keys and values on their way to the kernel.
struct MultiHeadAttention::Projected {
  grad::Columns queries, keys, values;
  Layout query_layout, key_layout;
  Layout positions;                      // all rows that have been seen: keys are the last of them
  Layout query_positions;                // all rows that have asked: queries are the last of them
  std::span<const grad::KeptRows> kept;  // keys and values in a cache, in place of those above
  std::span<const std::uint8_t> hidden;  // of the keys; or none
  bool self = false;
  bool turned = false;  // rotary positions are in queries and keys
};

// Whether scores can be taken from one joint projection as it is.
bool MultiHeadAttention::fused() const {
  const bool plain_score = options_.score == Score::kScaledDot || options_.score == Score::kDot ||
                           options_.score == Score::kAdditive;
  const bool plain_temperature = log_temperature_ == nullptr || additive_ != nullptr;
  return stacked_.has_value() && plain_score && plain_temperature && options_.memory_slots == 0;
}

Sequences MultiHeadAttention::operator()(Context& context, const Sequences& x,
                                         const AttentionExtras& extras) const {
  if (options_.memory_width != options_.width) {
    fail<ShapeError>("attention", "self-attention needs memory_width {} to be the width {}",
                     options_.memory_width, options_.width);
  }
  return attend(context, x, x, extras, true);
}

Sequences MultiHeadAttention::operator()(Context& context, const Sequences& queries,
                                         const Sequences& memory,
                                         const AttentionExtras& extras) const {
  if (extras.cache == nullptr || extras.cache->empty()) {
    return attend(context, queries, memory, extras, false);
  }
  // The memory's keys and values are in the cache: there is nothing left to project.
  const Tensor none = context.arena().tensor({0, options_.memory_width});
  const Layout empty = Layout::uniform(context.arena(), queries.layout.count(), 0);
  return attend(context, queries, {{none, -1}, empty}, {.cache = extras.cache}, false);
}

// Before anything is computed or kept.
void MultiHeadAttention::check(Context& context, const Sequences& queries, const Sequences& memory,
                               const AttentionExtras& extras) const {
  const Index count = queries.layout.count();
  if (memory.layout.count() != count) {
    fail<ShapeError>("attention", "expected a memory of {} sequences, as the queries are, got {}",
                     count, memory.layout.count());
  }
  if (!extras.hidden.empty() && static_cast<Index>(extras.hidden.size()) != memory.layout.rows()) {
    fail<ShapeError>("attention", "expected a padding mask of {} rows, got {}",
                     memory.layout.rows(), extras.hidden.size());
  }
  if (extras.cache == nullptr) return;
  if (context.tape().recording()) {
    fail<UsageError>("attention", "a key-value cache is for evaluation, not for training");
  }
  extras.cache->expect(count, options_.width, options_.value_width);
}

Sequences MultiHeadAttention::attend(Context& context, const Sequences& queries,
                                     const Sequences& memory, const AttentionExtras& extras,
                                     bool self) const {
  check(context, queries, memory, extras);
  const KeyValueCache* cache = extras.cache;
  const bool first = cache == nullptr || cache->empty();
  Sequences all = memory;
  if (extras.bank != nullptr && first) {
    // Constant: what was computed for earlier segments is not differentiated through.
    const Sequences bank{{extras.bank->rows.value, -1}, extras.bank->layout};
    all = grad::concatenate(context, bank, memory);
  }
  Projected p;
  p.self = self;
  p.query_layout = queries.layout;
  p.key_layout = all.layout;
  p.positions = cache != nullptr && self ? cache->seen(context, all.layout) : all.layout;
  p.query_positions = self               ? p.positions
                      : cache != nullptr ? cache->asked(context, queries.layout)
                                         : queries.layout;
  if (!extras.hidden.empty()) p.hidden = moved(context, extras.hidden, memory.layout, all.layout);
  project(context, queries, all, p);
  place(context, p);
  if (cache != nullptr) remember(context, *extras.cache, self || first, p);
  weigh(context, p);
  Var joined = grad::attention(context, call(context, p));  // (rows, heads · value depth)
  if (options_.join == HeadJoin::kAverage) {
    joined = grad::average_heads(context, joined, options_.heads);  // (rows, value depth)
  }
  return {(*out_)(context, joined), p.query_layout};  // (rows, width)
}

void MultiHeadAttention::project(Context& context, Sequences queries, Sequences memory,
                                 Projected& p) const {
  // A constant has no gradient, so it cannot stand in for the variable.
  const bool same =
      queries.rows.value.data == memory.rows.value.data && queries.rows.node == memory.rows.node;
  if (positions_) {
    const Positions& of_memory = memory_positions_ ? *memory_positions_ : *positions_;
    queries = (*positions_)(context, queries, p.query_positions);
    memory = same ? queries : of_memory(context, memory, p.positions);
  }
  const bool rotary = options_.position == Position::kRotary;
  // Of the same rows, queries and keys may still have different positions, unless it is
  // self-attention.
  if (fused() && same && (p.self || !rotary)) {
    grad::LinearEnd end;
    if (rotary) {
      end.rotation =
          grad::Rotation(context, p.query_layout, p.positions, {2 * options_.heads, depth_});
      p.turned = true;
    }
    const Var all = (*stacked_)(context, queries.rows, end);  // (rows, 3 · width)
    p.queries = {all, 0};
    p.keys = {all, options_.width};
    p.values = {all, 2 * options_.width};
    return;
  }
  if (stacked_) {
    p.queries = {stacked_->one(context, queries.rows, 0)};  // (rows, width)
    p.values = {stacked_->one(context, memory.rows, 2)};    // (memory rows, width)
    if (location_ == nullptr) p.keys = {stacked_->one(context, memory.rows, 1)};
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
  if (options_.position == Position::kRotary && !p.turned) {
    p.queries.var =
        grad::rotary(context, {p.queries.var, p.query_layout}, p.query_positions, depth_);
    p.keys.var = grad::rotary(context, {p.keys.var, p.key_layout}, p.positions, depth_);
  }
}

// Adds new keys and values to the cache, and attends to everything in it.
void MultiHeadAttention::remember(Context& context, KeyValueCache& cache, bool adds,
                                  Projected& p) const {
  if (adds) {
    cache.add({p.keys, p.values, p.key_layout, p.hidden}, options_.width, options_.value_width);
  }
  cache.ask(p.query_layout);
  // Slots stand before the rows, and a trace is read when the cache may have moved on: both need a
  // copy.
  const bool in_place = slot_keys_ == nullptr && context.trace == nullptr;
  const Index number = p.query_layout.first();
  const KeyValueCache::Memory all =
      in_place ? cache.recall(context, number) : cache.copy(context, number);
  p.kept = all.kept;
  p.keys = all.keys;
  p.values = all.values;
  p.key_layout = all.layout;
  p.hidden = all.hidden;
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
  Var slots = context.parameter(*slot_keys_);
  if (options_.score == Score::kCosine) slots = grad::unit_length(context, slots, depth_);
  const Sequences keys = grad::prepend(context, slots, {p.keys.var, p.key_layout});
  const Sequences values =
      grad::prepend(context, context.parameter(*slot_values_), {p.values.var, p.key_layout});
  p.keys = {keys.rows};
  p.values = {values.rows};
  if (!p.hidden.empty()) {
    // Nobody hides the slots.
    p.hidden = moved(context, p.hidden, p.key_layout, keys.layout);
  }
  p.key_layout = keys.layout;
}

grad::AttentionCall MultiHeadAttention::call(Context& context, const Projected& p) const {
  grad::AttentionCall call;
  call.queries = p.queries;
  call.keys = p.keys;
  call.values = p.values;
  call.kept = p.kept;
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
  call.windows = windows_;
  call.slopes = slopes_;
  call.align = p.self ? grad::Align::kEnd : grad::Align::kStart;
  call.mask.slots = options_.memory_slots;
  call.mask.not_self = options_.mask.not_self;
  call.mask.before = options_.mask.before.value_or(kernel::AttentionMask::kUnlimited);
  call.mask.after =
      options_.mask.causal ? 0 : options_.mask.after.value_or(kernel::AttentionMask::kUnlimited);
  call.hidden = p.hidden;
  call.dropout = context.dropout(options_.dropout);
  return call;
}

// Σ over the rows of how many others each sees on one side, at most `reach`.
static double pairs_on_one_side(Index rows, Index reach) {
  const auto n = static_cast<double>(rows);
  const auto m = static_cast<double>(std::min(reach, rows - 1));
  return m * (m + 1.0) / 2.0 + (n - 1.0 - m) * m;
}

double MultiHeadAttention::flops(Index rows) const {
  if (rows == 0) return 0.0;
  const Mask& mask = options_.mask;
  const Index before = mask.before.value_or(rows);
  const Index after = mask.causal ? 0 : mask.after.value_or(rows);
  double pairs = 0.0;  // mean over the heads
  for (Index head = 0; head < options_.heads; ++head) {
    const Index window = windows_.empty() ? rows : windows_[static_cast<std::size_t>(head)];
    pairs += static_cast<double>(rows) + pairs_on_one_side(rows, std::min(before, window)) +
             pairs_on_one_side(rows, std::min(after, window));
  }
  return flops(rows, rows, pairs / static_cast<double>(options_.heads));
}

double MultiHeadAttention::flops(Index queries, Index memory) const {
  return flops(queries, memory, static_cast<double>(queries) * static_cast<double>(memory));
}

double MultiHeadAttention::flops(Index queries, Index memory, double pairs) const {
  const Index width = options_.width, heads = options_.heads;
  const Index memory_width = options_.memory_width > 0 ? options_.memory_width : width;
  const Index values = heads * value_depth_;
  pairs += static_cast<double>(queries) * static_cast<double>(options_.memory_slots);
  double sum = product_flops(queries, width, width) +              // queries
               product_flops(memory, values, memory_width) +       // values
               out_->flops(queries) +                              // what goes out
               2.0 * pairs * static_cast<double>(width + values);  // scores, and weights · values
  if (options_.score != Score::kLocation)
    sum += product_flops(memory, width, memory_width);  // keys
  if (options_.score == Score::kBilinear) {
    sum += static_cast<double>(heads) * product_flops(queries, depth_, depth_);
  }
  return sum;
}

}  // namespace heed::nn
