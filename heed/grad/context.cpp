#include "heed/grad/context.h"

#include "heed/grad/attention.h"
#include "heed/grad/kept_vectors.h"
#include "heed/grad/packed_weights.h"
#include "heed/kernel/rows.h"

namespace heed {

Context::Context() : tape_(arena_, scratch_) {}
Context::~Context() = default;

Context& Context::inner() {
  if (inner_ == nullptr) {
    inner_ = std::make_unique<Context>();
    if (keeps_weights_) inner_->keep_weights();
  }
  return *inner_;
}

void Context::pack_anew() {
  PackedWeights& weights = packed();
  if (!keeps_weights_) weights.clear();
}

PackedWeights& Context::packed() {
  if (packed_ == nullptr) packed_ = std::make_unique<PackedWeights>();
  return *packed_;
}

void Context::keep_weights() {
  keeps_weights_ = true;
  inner_.reset();  // which has promised nothing
  // All of them, so that an answer does not depend on what else was asked before it.
  packed_ = std::make_unique<PackedWeights>(0);
}

KeptVectors* Context::kept_vectors(const Parameter& table) {
  return keeps_weights_ && !tape_.recording() && !training() ? &kept_vectors_[&table] : nullptr;
}

std::size_t Context::memory() const {
  std::size_t bytes = arena_.capacity() + scratch_.capacity();
  if (inner_) bytes += inner_->memory();
  if (packed_) bytes += packed_->memory();
  for (const auto& [table, vectors] : kept_vectors_) bytes += vectors.memory();
  return bytes;
}

void Context::begin(Mode mode, Gradients* gradients, Draw draw) {
  if (trace != nullptr) trace->clear();
  arena_.reset();
  scratch_.reset();
  tape_.start(gradients);
  mode_ = mode;
  key_ = mix(draw.seed, draw.step);
  stream_ = 0;
}

Var Context::constant(const Tensor& value, const char* what) {
  if (value.data == nullptr && value.count() > 0)
    fail<UsageError>(what, "expected numbers, got none");
  if (!kernel::all_finite(value.count(), value.data)) {
    const Index columns = value.columns();
    for (Index i = 0; i < value.count(); ++i) {
      if (kernel::all_finite(1, value.data + i)) continue;
      fail<NumericError>(what, "expected finite numbers, got {} in row {}, column {} of {}",
                         value[i], i / columns, i % columns, value.shape.text());
    }
  }
  return {value, -1};
}

kernel::Dropout Context::dropout(float rate) {
  if (!(rate >= 0.0f && rate < 1.0f)) {
    fail<UsageError>("dropout", "expected a rate of at least 0 and below 1, got {}", rate);
  }
  // The stream advances in any case, so that one layer's rate does not change another's draws.
  const std::uint64_t stream = stream_++;
  if (!training() || rate == 0.0f) return {};
  return {rate, mix(key_, stream)};
}

Context::Pass::Pass(Context& context, Index number)
    : context_(context), first_(number == 0), key_(context.key_), stream_(context.stream_) {
  if (!first_) context_.key_ = mix(key_, ~static_cast<std::uint64_t>(number));
}

// Only the first pass moves the stream on.
Context::Pass::~Pass() {
  context_.key_ = key_;
  if (!first_) context_.stream_ = stream_;
}

}  // namespace heed
