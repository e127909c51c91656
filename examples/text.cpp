// The text classifier: words → embedding → two encoder layers with positions → mean → linear,
// trained with cross-entropy, AdamW and cosine annealing.
//
// Trained on made-up posts of varying length: each group has a few words it likes.

#include <algorithm>
#include <cstdio>

#include "heed/grad/loss.h"
#include "heed/grad/pool.h"
#include "heed/nn/embedding.h"
#include "heed/nn/encoder.h"
#include "heed/train/schedule.h"
#include "heed/train/step.h"

using namespace heed;

constexpr Index kWords = 2000, kGroups = 20, kWidth = 64, kBatch = 32;

class TextClassifier {
 public:
  explicit TextClassifier(const Scope& scope)
      : words_(scope / "words", kWords, kWidth),
        positions_(scope / "positions", {nn::Position::kSinusoidal, kWidth}),
        encoder_(scope / "encoder", options()),
        groups_(scope / "groups", kWidth, kGroups) {}

  Var operator()(Context& context, std::span<const std::int32_t> ids, const Layout& layout) const {
    const Sequences x = positions_(context, words_(context, ids, layout));  // (rows, width)
    const Sequences y = encoder_(context, x);                               // (rows, width)
    return groups_(context, grad::pool(context, y, grad::Pool::kMean));     // (posts, groups)
  }

 private:
  static nn::EncoderOptions options() {
    nn::EncoderOptions options;
    options.attention.width = kWidth;
    options.attention.heads = 4;
    options.feed_forward.hidden = 128;
    options.dropout = options.attention.dropout = options.feed_forward.dropout = 0.1f;
    options.layers = 2;
    return options;
  }

  nn::Embedding words_;
  nn::Positions positions_;
  nn::Encoder encoder_;
  nn::Linear groups_;
};

struct Posts {
  std::vector<Index> lengths;
  std::vector<std::int32_t> words, groups;
};

Posts make_posts(std::uint64_t key) {
  Random random(key);
  Posts posts;
  for (Index post = 0; post < kBatch; ++post) {
    const std::uint32_t group = random.below(kGroups);
    posts.groups.push_back(static_cast<std::int32_t>(group));
    posts.lengths.push_back(10 + random.below(60));
    for (Index i = 0; i < posts.lengths.back(); ++i) {
      const bool typical = random.below(4) == 0;
      posts.words.push_back(static_cast<std::int32_t>(typical ? group * 10 + random.below(10)
                                                              : random.below(kWords)));
    }
  }
  return posts;
}

int main() {
  Parameters parameters;
  const TextClassifier classifier(parameters);
  Workers workers(1);
  AdamW optimizer(parameters);
  TrainingStep step(parameters, optimizer, workers);
  constexpr Index kEpochs = 8, kStepsPerEpoch = 25;
  const ScheduleOptions schedule{.rate = 3e-3f, .steps = kEpochs * kStepsPerEpoch};

  float first = 0.0f, mean = 0.0f;
  for (Index epoch = 0; epoch < kEpochs; ++epoch) {
    mean = 0.0f;
    for (Index i = 0; i < kStepsPerEpoch; ++i) {
      const Posts posts = make_posts(mix(1, step.steps()));
      const auto loss = [&](Context& context, int) {
        const Layout layout = Layout::of(context.arena(), posts.lengths);
        return grad::cross_entropy(context, classifier(context, posts.words, layout), posts.groups);
      };
      mean += step(loss, learning_rate(schedule, step.steps())).loss / kStepsPerEpoch;
    }
    if (epoch == 0) first = mean;
    std::printf("epoch %ld  loss %.3f\n", epoch + 1, mean);
  }

  const Posts posts = make_posts(0);  // never seen in training
  Context context;
  context.begin(Mode::kEvaluate);
  const Var scores = classifier(context, posts.words, Layout::of(context.arena(), posts.lengths));
  Index right = 0;
  for (Index post = 0; post < kBatch; ++post) {
    const float* row = scores.value.row(post);
    right += std::max_element(row, row + kGroups) - row == posts.groups[post];
  }
  std::printf("accuracy on new posts %.1f %%\n", 100.0 * right / kBatch);
  return mean < first / 2 && right > kBatch / 2 ? 0 : 1;
}
