// The speaker classifier: 40 mel bands → linear prenet → one encoder layer of width 80 with 2 heads
// → mean over time → linear, sigmoid, linear → a score for each speaker.
//
// Trained on made-up voices: each speaker is a fixed spectrum plus noise.

#include <cstdio>

#include "heed/grad/loss.h"
#include "heed/grad/pool.h"
#include "heed/nn/encoder.h"
#include "heed/train/schedule.h"
#include "heed/train/step.h"

using namespace heed;

constexpr Index kBands = 40, kWidth = 80, kSpeakers = 12, kBatch = 24, kFrames = 32;

class SpeakerClassifier {
 public:
  explicit SpeakerClassifier(const Scope& scope)
      : prenet_(scope / "prenet", kBands, kWidth),
        encoder_(scope / "encoder", options()),
        hidden_(scope / "hidden", kWidth, kWidth),
        speakers_(scope / "speakers", kWidth, kSpeakers) {}

  Var operator()(Context& context, const Sequences& frames) const {
    const Sequences x = encoder_(context, prenet_(context, frames));    // (rows, width)
    const Var stats = grad::pool(context, x, grad::Pool::kMean);        // (segments, width)
    const Var h = hidden_(context, stats, {nn::Activation::kSigmoid});  // (segments, width)
    return speakers_(context, h);                                       // (segments, speakers)
  }

 private:
  static nn::EncoderOptions options() {
    nn::EncoderOptions options;
    options.attention.width = kWidth;
    options.attention.heads = 2;
    options.feed_forward.hidden = 256;
    options.dropout = options.attention.dropout = options.feed_forward.dropout = 0.1f;
    return options;
  }

  nn::Linear prenet_;
  nn::Encoder encoder_;
  nn::Linear hidden_, speakers_;
};

int main() {
  Parameters parameters;
  const SpeakerClassifier classifier(parameters);
  Workers workers(Workers::available());
  AdamW optimizer(parameters);
  TrainingStep step(parameters, optimizer, workers, {.clip = 1.0f});
  constexpr Index kSteps = 120;
  const ScheduleOptions schedule{.rate = 2e-3f, .warmup = 10, .steps = kSteps};

  const auto part = [&](Context& context, int worker) -> Var {
    const Index first = kBatch * worker / workers.count();
    const Index count = kBatch * (worker + 1) / workers.count() - first;
    if (count == 0) return {};
    const Layout layout = Layout::uniform(context.arena(), count, kFrames, first);
    const Tensor frames = context.arena().tensor({layout.rows(), kBands});
    const auto speakers = context.arena().array<std::int32_t>(count);
    for (Index s = 0; s < count; ++s) {
      Random random(mix(static_cast<std::uint64_t>(step.steps()), first + s));
      speakers[s] = static_cast<std::int32_t>(random.below(kSpeakers));
      for (Index i = layout.begin(s) * kBands; i < layout.end(s) * kBands; ++i) {
        Random voice(mix(speakers[s], i % kBands));
        frames[i] = voice.normal() + 2.0f * random.normal();
      }
    }
    const Var scores = classifier(context, {context.constant(frames, "frames"), layout});
    return grad::cross_entropy(context, scores, speakers, {.divisor = kBatch});
  };

  float first = 0.0f, last = 0.0f;
  for (Index i = 0; i < kSteps; ++i) {
    last = step(part, learning_rate(schedule, i)).loss;
    if (i == 0) first = last;
    if (i % 20 == 0 || i + 1 == kSteps) std::printf("step %3ld  loss %.3f\n", i, last);
  }
  return last < first / 4 ? 0 : 1;
}
