#include <gtest/gtest.h>

#include "heed/grad/loss.h"
#include "heed/grad/pool.h"
#include "heed/nn/embedding.h"
#include "heed/nn/encoder.h"
#include "heed/train/schedule.h"
#include "heed/train/step.h"
#include "tests/support/compare.h"
#include "tests/support/golden.h"

// Ten training steps of the two tutorials' models, from the same beginning on the same batches.
namespace heed::test {
namespace {

// The worst of all numbers in all ten steps is a fifth of it away.
constexpr double kTrainingTolerance = 5e-6;

// A part of a batch: sequences first … last − 1 of those with these lengths, all in one layout.
struct Part {
  Index step, first, last;  // sequences
  Index row, end;           // their rows
  std::vector<Index> lengths;
};

// Runs the file's steps; logits(context, part) → (sequences, classes). Of every step the logits,
// the loss and every gradient must agree, and at the end every parameter.
template <typename Logits>
void follow_training(const Golden& golden, Parameters& parameters,
                     const std::vector<Index>& lengths, int worker_count, Logits logits) {
  const Index steps = golden.size("steps");
  AdamW optimizer(parameters, {.decay = static_cast<float>(golden.number("decay"))});
  Workers workers(worker_count);
  TrainingStep train(parameters, optimizer, workers,
                     {.clip = static_cast<float>(golden.number("clip"))});
  const ScheduleOptions schedule{
      .kind = Schedule::kCosine, .rate = static_cast<float>(golden.number("rate")), .steps = steps};
  const std::vector<Index> bounds = deal(lengths, worker_count);
  const auto sequences = static_cast<Index>(lengths.size());
  const auto classes = golden.integers("input.classes");
  const auto all_logits = golden.floats("output.logits");  // (steps, sequences, classes)
  std::vector<float> losses, norms;
  for (Index step = 0; step < steps; ++step) {
    SCOPED_TRACE(step);
    std::vector<float> outputs(all_logits.size() / static_cast<std::size_t>(steps));
    const auto loss = [&](Context& context, int worker) -> Var {
      const auto place = static_cast<std::size_t>(worker);
      Part part{step, bounds[place], bounds[place + 1], 0, 0, {}};
      part.lengths.assign(lengths.begin() + part.first, lengths.begin() + part.last);
      if (part.lengths.empty()) return {};
      for (Index s = 0; s < part.last; ++s) {
        if (s == part.first) part.row = part.end;
        part.end += lengths[static_cast<std::size_t>(s)];
      }
      const Var y = logits(context, part);
      std::copy_n(y.value.data, y.value.count(), outputs.begin() + part.first * y.columns());
      return grad::cross_entropy(
          context, y,
          classes.subspan(static_cast<std::size_t>(step * sequences + part.first),
                          part.lengths.size()),
          {.divisor = static_cast<float>(sequences)});
    };
    const StepResult result = train(loss, learning_rate(schedule, step));
    losses.push_back(result.loss);
    norms.push_back(static_cast<float>(result.gradient_norm));
    const auto expected =
        all_logits.subspan(static_cast<std::size_t>(step) * outputs.size(), outputs.size());
    expect_close("logits", outputs, expected, kTrainingTolerance);
    golden.expect_gradients(train.gradients(), kTrainingTolerance, step);
  }
  optimizer.settle();
  expect_close("losses", losses, golden.floats("output.losses"), 10.0 * kTrainingTolerance);
  expect_close("norms", norms, golden.floats("output.norms"), 10.0 * kTrainingTolerance);
  for (const Parameter& parameter : parameters) {
    // A bias of the keys adds the same to all scores of a query, which the softmax does not see: in
    // mathematics its gradient is exactly zero. In practice it is rounding noise, and AdamW divides
    // it by its own size: steps that float and double do not share, and that no output sees.
    if (parameter.name.ends_with("k.bias")) continue;
    expect_close("final " + parameter.name, parameter.value.span(),
                 golden.floats("final." + parameter.name), 10.0 * kTrainingTolerance, 0.1);
  }
}

class GoldenTraining : public testing::TestWithParam<int> {};

// Tutorial 000: embedding, two encoder layers, mean, linear.
TEST_P(GoldenTraining, TextClassifierAgreesWithPyTorch) {
  const Golden golden("text_classifier");
  Parameters parameters;
  const Scope scope(parameters);
  const nn::Embedding embedding(scope / "embedding", golden.size("vocabulary"),
                                golden.size("width"));
  const nn::Encoder encoder(scope / "encoder", {.attention = {.width = golden.size("width"),
                                                              .heads = golden.size("heads")},
                                                .feed_forward = {.hidden = golden.size("hidden")},
                                                .layers = golden.size("layers")});
  const nn::Linear output(scope / "output", golden.size("width"), golden.size("classes"));
  golden.load(parameters);
  const auto ids = golden.integers("input.ids");
  const Index rows = golden.shape("input.ids")[1];
  follow_training(golden, parameters, golden.lengths("input.ids"), GetParam(),
                  [&](Context& context, const Part& part) {
                    const Layout layout = Layout::of(context.arena(), part.lengths, part.first);
                    const auto words =
                        ids.subspan(static_cast<std::size_t>(part.step * rows + part.row),
                                    static_cast<std::size_t>(part.end - part.row));
                    const Sequences x = encoder(context, embedding(context, words, layout));
                    return output(context, grad::pool(context, x, grad::Pool::kMean));
                  });
}

// Tutorial 004: mel frames, linear, an encoder layer, mean, linear, sigmoid, linear.
TEST_P(GoldenTraining, SpeakerClassifierAgreesWithPyTorch) {
  const Golden golden("speaker_classifier");
  Parameters parameters;
  const Scope scope(parameters);
  const Index bands = golden.size("bands"), width = golden.size("width");
  const nn::Linear prenet(scope / "prenet", bands, width);
  const nn::EncoderLayer encoder(scope / "encoder",
                                 {.attention = {.width = width, .heads = golden.size("heads")},
                                  .feed_forward = {.hidden = golden.size("hidden")}});
  const nn::Linear hidden(scope / "hidden", width, width);
  const nn::Linear output(scope / "output", width, golden.size("classes"));
  golden.load(parameters);
  const Index frames = golden.size("frames"), segments = golden.size("segments");
  follow_training(golden, parameters,
                  std::vector<Index>(static_cast<std::size_t>(segments), frames), GetParam(),
                  [&](Context& context, const Part& part) {
                    const Layout layout = Layout::of(context.arena(), part.lengths, part.first);
                    const Tensor mels = context.arena().tensor({layout.rows(), bands});
                    std::copy_n(golden.floats("input.frames").begin() +
                                    (part.step * segments * frames + part.row) * bands,
                                mels.count(), mels.data);
                    const Sequences x{prenet(context, context.constant(mels)), layout};
                    const Var mean = grad::pool(context, encoder(context, x), grad::Pool::kMean);
                    return output(context, hidden(context, mean, {nn::Activation::kSigmoid}));
                  });
}

INSTANTIATE_TEST_SUITE_P(Workers, GoldenTraining, testing::Values(1, 2));

}  // namespace
}  // namespace heed::test
