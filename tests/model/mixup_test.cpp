#include <gtest/gtest.h>

#include <cstring>

#include "heed/model/body/attention.h"
#include "heed/model/input/audio.h"
#include "heed/model/input/image.h"
#include "heed/model/model.h"
#include "heed/model/output/label.h"
#include "tests/support/pictures.h"

namespace heed::test {
namespace {

// Two pictures with labels, for a small model of them.
struct MixedPictures {
  explicit MixedPictures(std::vector<float> class_weights = {}) {
    for (const std::uint64_t key : {1u, 2u}) {
      data.records.push_back(make_record(
          Picture{.pixels = std::make_shared<const Pixels>(random_pixels(8, 8, 1, key))}));
      data.records.back().answer = Label{key == 1 ? "a" : "b"};
    }
    config.width = 8;
    config.body->apply({"test", 8, 2, 12, 1, 0.0f});
    config.input = Choice<Input>("image");
    ImageOptions& image = config.input.as<ImageInput>()->options();
    image.augmentation.mixup = 0.4f;
    config.input->survey(data);
    config.input->fit(data);
    config.output->fit(data, false);
    config.output.as<LabelOutput>()->options().classes.class_weights = std::move(class_weights);
  }

  Dataset data;
  Config config;
};

std::vector<std::uint8_t> pixels_of(const Batch& batch) {
  const auto numbers = batch.input.integers(ImageInput::kPixels).values();
  std::vector<std::uint8_t> bytes(4 * numbers.size());
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

double loss_of_batch(const Model& model, Batch batch) {
  batch.whole_weight = model.config().output->weight(batch);
  Context context;
  context.begin(Mode::kEvaluate);
  return static_cast<double>(model.loss(context, batch).value[0]);
}

TEST(Mixup, PicturesAreMixedByTheirShares) {
  const MixedPictures made;
  Batch first, second;
  made.config.input->prepare(made.data[0].content, first);
  made.config.input->prepare(made.data[1].content, second);
  Batch mixed = first;
  made.config.input->mix(mixed, second, 0.25f);
  const auto a = pixels_of(first), b = pixels_of(second), m = pixels_of(mixed);
  ASSERT_EQ(m.size(), 64u);
  for (std::size_t i = 0; i < m.size(); ++i) {
    EXPECT_NEAR(m[i], 0.75 * a[i] + 0.25 * b[i], 0.5 + 1e-3);
  }
}

TEST(Mixup, FramesThatBothRecordingsHaveAreMixed) {
  const AudioInput input;
  Batch batch, other;
  batch.input.numbers(0).add(std::vector<float>{1.0f, 2.0f, 3.0f, 4.0f});
  other.input.numbers(0).add(std::vector<float>{5.0f, -2.0f});
  batch.lengths = {2};
  other.lengths = {1};
  input.mix(batch, other, 0.25f);
  const auto values = batch.input.numbers(0).values();
  EXPECT_EQ(std::vector<float>(values.begin(), values.end()),
            (std::vector<float>{2.0f, 1.0f, 3.0f, 4.0f}));
}

// The loss is linear in the answer: of the same picture, the loss of a mixed answer lies between
// those of the two answers, by their shares and class weights.
TEST(Mixup, TheLossIsThatOfBothAnswersByTheirShares) {
  for (const bool weighted : {false, true}) {
    const MixedPictures made(weighted ? std::vector<float>{0.5f, 3.0f} : std::vector<float>{});
    const Model model(made.config);
    const auto& output = *made.config.output;
    Batch a, b;
    for (const char* name : {"a", "b"}) {
      Batch& batch = name[0] == 'a' ? a : b;
      made.config.input->prepare(made.data[0].content, batch);
      output.prepare(Label{name}, batch);
    }
    Batch mixed = a;
    output.mix(mixed, b, 0.3f);
    const double own = weighted ? 0.5 * 0.7 : 0.7, others = weighted ? 3.0 * 0.3 : 0.3;
    EXPECT_NEAR(output.weight(mixed), own + others, 1e-6);
    const double expected =
        (own * loss_of_batch(model, a) + others * loss_of_batch(model, b)) / (own + others);
    EXPECT_NEAR(loss_of_batch(model, mixed), expected, 1e-5);
  }
}

TEST(Mixup, MostOfAnExampleStaysItsOwn) {
  const MixedPictures made;
  const Model model(made.config);
  ASSERT_TRUE(model.mixes());
  Batch batch, other;
  model.prepare(made.data[1], other);
  Random random(5);
  for (int i = 0; i < 100; ++i) {
    model.prepare(made.data[0], batch);
    model.mix(batch, other, random);
  }
  const auto shares = batch.answer.numbers(LabelOutput::kShare).values();
  ASSERT_EQ(shares.size(), 100u);
  EXPECT_LE(*std::max_element(shares.begin(), shares.end()), 0.5f);
  EXPECT_GT(*std::max_element(shares.begin(), shares.end()), 0.3f);
  for (const std::int32_t label : batch.answer.integers(LabelOutput::kOtherLabel).values()) {
    EXPECT_EQ(label, 1);
  }
}

}  // namespace
}  // namespace heed::test
