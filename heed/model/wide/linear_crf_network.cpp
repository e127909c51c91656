#include "heed/model/wide/linear_crf_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "heed/base/display.h"
#include "heed/kernel/rows.h"
#include "heed/nn/linear.h"

namespace heed {
namespace {

constexpr std::uint64_t kOrderSeed = 1;    // of the order in which sentences are learned
constexpr double kSmallestScale = 1e-6;    // of the table, before it is multiplied by it
constexpr float kSmallestChance = 1e-10f;  // of a tag: no other score makes up for less

}  // namespace

LinearCrfNetwork::LinearCrfNetwork(const Scope& scope, const LinearCrfOptions& options, Index tags)
    : options_(options) {
  const Init zero = Init::constant(0.0f);
  const Index entries = options.entries > 0 ? options.entries : options.features;
  weight_ = &scope.add("weight", {entries, tags}, zero, {.frozen = true});
  transitions_ = &scope.add("transitions", {tags, tags}, zero, {.frozen = true});
  start_ = &scope.add("start", {tags}, zero, {.frozen = true});
  end_ = &scope.add("end", {tags}, zero, {.frozen = true});
}

Tensor LinearCrfNetwork::emissions(Arena& arena, std::span<const std::int32_t> features,
                                   std::span<const std::int32_t> counts, float scale) const {
  const Tensor scores = arena.zeros({std::ssize(counts), tags()});
  std::size_t place = 0;
  for (Index row = 0; row < scores.rows(); ++row) {
    for (std::int32_t i = 0; i < counts[static_cast<std::size_t>(row)]; ++i) {
      kernel::scale(tags(), scale, weight_->value.row(features[place++]), scores.row(row),
                    kernel::Store::kAdd);
    }
  }
  return scores;
}

LinearCrfNetwork::TaggedFeatures LinearCrfNetwork::features_of(const Examples& train) const {
  TaggedFeatures sentences;
  Batch one;
  for (Index i = 0; i < train.count(); i += options_.every) {
    one.clear();
    train.load(i, one);
    const auto tags = one.answer.integers(0).values();
    if (std::find(tags.begin(), tags.end(), kNoAnswer) != tags.end()) continue;
    sentences.features.add(one.wide.integers(LinearCrfWide::kFeatures).values());
    sentences.counts.add(one.wide.integers(LinearCrfWide::kCounts).values());
    sentences.tags.add(tags);
  }
  return sentences;
}

// The scores of features are `scale` times what the table holds, so that L2 is one division:
//   w ← w / (1 + rate · l2 / sentences) − rate · dw
void LinearCrfNetwork::learn_sentence(Context& context, const TaggedFeatures& sentences,
                                      Index sentence, double rate, double& scale) const {
  const auto features = sentences.features.part(sentence);
  const auto counts = sentences.counts.part(sentence);
  Tape& tape = context.tape();
  const Var scores =
      tape.variable(emissions(context.arena(), features, counts, static_cast<float>(scale)));
  const grad::CrfParameters chain{tape.variable(transitions_->value), tape.variable(start_->value),
                                  tape.variable(end_->value)};
  const Layout layout = Layout::uniform(context.arena(), 1, std::ssize(counts));
  tape.backward(grad::crf(context, {scores, layout}, chain, sentences.tags.part(sentence)));

  scale /=
      1.0 + rate * static_cast<double>(options_.l2) / static_cast<double>(sentences.tags.count());
  if (scale < kSmallestScale) settle(scale);
  const auto by = static_cast<float>(-rate / scale);
  const Tensor dscores = tape.gradient(scores);
  std::size_t place = 0;
  for (Index row = 0; row < dscores.rows(); ++row) {
    for (std::int32_t i = 0; i < counts[static_cast<std::size_t>(row)]; ++i) {
      kernel::scale(tags(), by, dscores.row(row), weight_->value.row(features[place++]),
                    kernel::Store::kAdd);
    }
  }
  const auto move = [&](const Var& of, const Tensor& to) {
    kernel::scale(to.count(), static_cast<float>(-rate), tape.gradient(of).data, to.data,
                  kernel::Store::kAdd);
  };
  move(chain.transitions, transitions_->value);
  move(chain.start, start_->value);
  move(chain.end, end_->value);
}

bool LinearCrfNetwork::learn(const Examples& train, int /*workers*/, double seconds) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  for (const Parameter* parameter : {weight_, transitions_, start_, end_}) {
    std::fill_n(parameter->value.data, parameter->value.count(), 0.0f);
  }
  const TaggedFeatures sentences = features_of(train);
  const Index count = sentences.tags.count(), steps = count * options_.epochs;
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  Random random(kOrderSeed);
  const Parameters none;
  Gradients gradients(none);
  Context context;
  double scale = 1.0;
  for (Index step = 0; step < steps; ++step) {
    const Index place = step % count;
    if (place == 0) {
      const std::chrono::duration<double> passed = Clock::now() - begin;
      const double whole =
          static_cast<double>(steps) / static_cast<double>(std::max<Index>(1, step));
      if (passed.count() * (step == 0 ? 1.0 : whole) >= seconds) return false;
      shuffle(order, random);
    }
    const double left = 1.0 - static_cast<double>(step) / static_cast<double>(steps);
    context.begin(Mode::kTrain, &gradients);
    learn_sentence(context, sentences, order[static_cast<std::size_t>(place)],
                   static_cast<double>(options_.rate) * left, scale);
  }
  settle(scale);
  return true;
}

void LinearCrfNetwork::settle(double& scale) const {
  const Tensor& weight = weight_->value;
  kernel::scale(weight.count(), static_cast<float>(scale), weight.data, weight.data,
                kernel::Store::kOverwrite);
  scale = 1.0;
}

Var LinearCrfNetwork::operator()(Context& context, const Batch& batch) const {
  if (context.training()) return {};
  const Layout layout = Layout::of(context.arena(), batch.lengths, batch.first);
  const Tensor scores =
      emissions(context.arena(), batch.wide.integers(LinearCrfWide::kFeatures).values(),
                batch.wide.integers(LinearCrfWide::kCounts).values(), 1.0f);
  const Tensor chances = grad::crf_marginals(context, {{scores}, layout}, chain());
  for (Index i = 0; i < chances.count(); ++i) {
    chances[i] = options_.weight * std::log(std::max(chances[i], kSmallestChance));
  }
  return context.constant(chances, "linear CRF");
}

void LinearCrfNetwork::describe(Plan& plan) const {
  plan.add("linear CRF", plan.shape(),
           {"", nn::product_flops(plan.rows(), tags(), 1),
            fmt::format("+ scores of {} features of words", with_commas(weight_->value.rows()))});
}

}  // namespace heed
