#include "heed/model/model.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "heed/model/config_json.h"
#include "heed/model/predict.h"
#include "heed/train/step.h"
#include "tests/support/made_examples.h"

namespace heed {
namespace {

using test::made_batch;
using test::made_config;
using test::made_examples;

struct Named {
  std::string name;
  Config config;
};

// Every body with every output and pooling.
std::vector<Named> all_models(float dropout = 0.0f) {
  std::vector<Named> models;
  for (const auto& body : Names<BodyKind>::kTable) {
    const auto add = [&](OutputKind kind, std::string_view detail) -> Config& {
      models.push_back(
          {fmt::format("{}, {}", body.name, detail), made_config(kind, body.value, dropout)});
      return models.back().config;
    };
    for (const auto& pooling : Names<nn::Pool>::kTable) {
      add(OutputKind::kLabel, pooling.name).output.pooling = pooling.value;
    }
    add(OutputKind::kTags, "tags");
    add(OutputKind::kTags, "crf").output.crf = true;
    add(OutputKind::kLabel, "letters").text.letters.buckets = 20;
    add(OutputKind::kTags, "spelling").text.spelling.filters = 8;
    add(OutputKind::kLabel, "clues").text.clues = {.kind = ClueKind::kWords, .entries = 40};
    add(OutputKind::kLabel, "members").members = 3;
    add(OutputKind::kTags, "tags, members").members = 2;
    Config& unlike = add(OutputKind::kLabel, "a bag and a window besides");
    unlike.members = 3;
    unlike.body.others = {BodyKind::kBag, BodyKind::kWindow};
    add(OutputKind::kLabel, "counted clues").text.clues = {
        .kind = ClueKind::kWords, .entries = 40, .counted = 0.5f};
    for (const OutputKind kind : {OutputKind::kLabel, OutputKind::kTags}) {
      Config& config = add(kind, kind == OutputKind::kLabel ? "segments" : "tags, segments");
      config.text.beyond = Beyond::kSegments;
      config.text.longest = 5;  // of up to 12
      config.body.memory = 3;
    }
  }
  return models;
}

std::vector<Example> examples_for(const Config& config, Index count, std::uint64_t seed) {
  return made_examples(count, seed, config.text.letters.buckets, config.text.clues.entries,
                       config.text.spelling.filters > 0);
}

double loss_of(const Model& model, const BatchPart& part) {
  Context context;
  context.begin(Mode::kEvaluate);
  return static_cast<double>(model.loss(context, part).value[0]);
}

TEST(Model, ABatchIsItsExamplesOneByOne) {
  for (const Named& named : all_models()) {
    const Model model(named.config);
    const std::vector<Example> examples = examples_for(named.config, 9, 3);
    const Batch batch = made_batch(examples);
    Context together;
    together.begin(Mode::kEvaluate);
    const std::vector<Prediction> all = model.predict(together, BatchPart(batch), 3);
    ASSERT_EQ(all.size(), examples.size());
    double loss = 0.0, weights = 0.0;
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const Batch single = made_batch({examples[i]});
      const bool tags = named.config.output.kind == OutputKind::kTags;
      const double weight = tags ? static_cast<double>(single.rows()) : 1.0;
      loss += weight * loss_of(model, BatchPart(single));
      weights += weight;
      Context alone;
      alone.begin(Mode::kEvaluate);
      const Prediction one = model.predict(alone, BatchPart(single), 3).front();
      ASSERT_EQ(one.answers.size(), all[i].answers.size()) << named.name;
      ASSERT_EQ(one.answers.size(), tags ? examples[i].tokens.size() : 1u) << named.name;
      for (std::size_t row = 0; row < one.answers.size(); ++row) {
        ASSERT_EQ(one.answers[row].size(), 3u);
        for (std::size_t k = 0; k < 3; ++k) {
          EXPECT_EQ(one.answers[row][k].index, all[i].answers[row][k].index) << named.name;
          EXPECT_NEAR(one.answers[row][k].probability, all[i].answers[row][k].probability, 1e-5)
              << named.name;
        }
      }
    }
    EXPECT_NEAR(loss_of(model, BatchPart(batch)), loss / weights, 1e-5) << named.name;
  }
}

TEST(Model, TheLossesOfPartsAddUpToThatOfTheBatch) {
  for (const Named& named : all_models()) {
    const Model model(named.config);
    const Batch batch = made_batch(examples_for(named.config, 8, 4));
    double sum = 0.0;
    for (const auto& [first, count] : {std::pair<Index, Index>{0, 3}, {3, 1}, {4, 4}}) {
      sum += loss_of(model, BatchPart(batch, first, count));
    }
    EXPECT_NEAR(sum, loss_of(model, BatchPart(batch)), 1e-5) << named.name;
  }
}

TEST(Model, AnswersAreProbabilitiesTheMostLikelyFirst) {
  for (const Named& named : all_models()) {
    if (named.config.output.crf) continue;  // there the whole sequence chooses
    const Model model(named.config);
    const Batch batch = made_batch(examples_for(named.config, 5, 5));
    Context context;
    context.begin(Mode::kEvaluate);
    for (const Prediction& prediction : model.predict(context, BatchPart(batch), 100)) {
      for (const std::vector<Answer>& answers : prediction.answers) {
        ASSERT_EQ(answers.size(), 3u) << named.name;
        float sum = 0.0f;
        for (std::size_t k = 0; k < 3; ++k) {
          sum += answers[k].probability;
          if (k > 0) {
            EXPECT_LE(answers[k].probability, answers[k - 1].probability) << named.name;
          }
        }
        EXPECT_NEAR(sum, 1.0f, 1e-5f) << named.name;
      }
    }
  }
}

TEST(Model, EveryCombinationLearns) {
  for (const Named& named : all_models(0.05f)) {
    Model model(named.config);
    const Batch batch = made_batch(examples_for(named.config, 60, 6));
    const double before = loss_of(model, BatchPart(batch));
    Workers workers(2);
    AdamW optimizer(model.parameters());
    TrainingStep step(model.parameters(), optimizer, workers, {.clip = 1.0f});
    const std::vector<Index> bounds = deal(batch.lengths, 2);
    for (int i = 0; i < 40; ++i) {
      step(
          [&](Context& context, int worker) {
            const auto w = static_cast<std::size_t>(worker);
            return model.loss(context, BatchPart(batch, bounds[w], bounds[w + 1] - bounds[w]));
          },
          0.01f);
    }
    optimizer.settle();
    const double after = loss_of(model, BatchPart(batch));
    EXPECT_LT(after, 0.5 * before) << named.name;
  }
}

TEST(Model, MembersAnswerWithTheMeanOfTheirProbabilities) {
  Config config = made_config(OutputKind::kLabel);
  Model one(config), two(config);
  config.members = 2;
  const Model both(config);
  const auto first = both.in_each_member("output.last.weight");
  ASSERT_EQ(first.size(), 2u);
  EXPECT_FALSE(std::equal(first[0]->value.data, first[0]->value.data + first[0]->value.count(),
                          first[1]->value.data))
      << "both begin alike";
  for (const Parameter& parameter : one.parameters()) {
    const auto members = both.in_each_member(parameter.name);
    ASSERT_EQ(members.size(), 2u) << parameter.name;
    const Tensor& other = two.parameters().find(parameter.name)->value;
    std::copy_n(members[0]->value.data, other.count(), parameter.value.data);
    std::copy_n(members[1]->value.data, other.count(), other.data);
  }
  const Batch batch = made_batch(made_examples(6, 9));
  const BatchPart part(batch);
  EXPECT_NEAR(loss_of(both, part), 0.5 * (loss_of(one, part) + loss_of(two, part)), 1e-6);
  const auto probabilities = [&](const Model& model) {
    Context context;
    context.begin(Mode::kEvaluate);
    std::vector<std::array<float, 3>> all;
    for (const Prediction& prediction : model.predict(context, part, 3)) {
      all.emplace_back();
      for (const Answer& answer : prediction.answers.front()) {
        all.back()[static_cast<std::size_t>(answer.index)] = answer.probability;
      }
    }
    return all;
  };
  const auto joined = probabilities(both), left = probabilities(one), right = probabilities(two);
  for (std::size_t s = 0; s < joined.size(); ++s) {
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(joined[s][c], 0.5f * (left[s][c] + right[s][c]), 1e-6f);
    }
  }
}

// However many there are, what was counted is there once.
TEST(Model, MembersShareWhatIsCounted) {
  Config config = made_config(OutputKind::kLabel);
  config.text.clues = {.kind = ClueKind::kWords, .entries = 40, .counted = 0.5f};
  config.members = 3;
  const Model model(config);
  EXPECT_NE(model.parameters().find("output.clues.idf"), nullptr);
  EXPECT_EQ(model.in_each_member("output.clues.counts").size(), 1u);
  EXPECT_EQ(model.in_each_member("output.clues.weight").size(), 3u);
  EXPECT_EQ(model.in_each_member("output.clues.loudness").size(), 3u);
}

TEST(Model, MembersMayHaveBodiesOfTheirOwn) {
  Config config = made_config(OutputKind::kLabel, BodyKind::kRecurrent);
  config.members = 3;
  config.body.others = {BodyKind::kBag, BodyKind::kAttention};
  const Model model(config);
  EXPECT_EQ(model.in_each_member("output.last.weight").size(), 3u);
  std::set<std::string> with_body;
  for (const Parameter& parameter : model.parameters()) {
    if (in_member(parameter.name).second.starts_with("body.")) {
      with_body.insert(parameter.name.substr(0, parameter.name.find(".body.")));
    }
  }
  EXPECT_EQ(with_body, (std::set<std::string>{"members.0", "members.2"})) << "a bag learns nothing";
  EXPECT_EQ(in_member("members.2.body.norm.weight"),
            (std::pair<Index, std::string_view>{2, "body.norm.weight"}));
  EXPECT_EQ(member_config(config, 1).body.kind, BodyKind::kBag);
  EXPECT_EQ(member_config(config, 2).body.kind, BodyKind::kAttention);
}

TEST(Model, TheSameSeedBuildsTheSameModelAndAnotherSeedAnother) {
  Config config = made_config(OutputKind::kLabel);
  const Model one(config), two(config);
  config.seed = 2;
  const Model other(config);
  const Batch batch = made_batch(made_examples(4, 7));
  EXPECT_EQ(loss_of(one, BatchPart(batch)), loss_of(two, BatchPart(batch)));
  EXPECT_NE(loss_of(one, BatchPart(batch)), loss_of(other, BatchPart(batch)));
}

TEST(Model, PredictionsOfManyComeInTheirOrderHoweverManyWork) {
  const Model model(made_config(OutputKind::kLabel));
  const std::vector<Example> examples = made_examples(700, 8);  // several batches
  Workers one(1), three(3);
  const std::vector<Prediction> all = predict_all(model, examples, one, 2);
  const std::vector<Prediction> shared = predict_all(model, examples, three, 2);
  ASSERT_EQ(all.size(), examples.size());
  ASSERT_EQ(shared.size(), examples.size());
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const Batch single = made_batch({examples[i]});
    Context context;
    context.begin(Mode::kEvaluate);
    const Answer expected = model.predict(context, BatchPart(single), 2).front().answers[0][0];
    EXPECT_EQ(all[i].answers[0][0].index, expected.index);
    EXPECT_NEAR(all[i].answers[0][0].probability, expected.probability, 1e-5);
    EXPECT_EQ(all[i].answers[0][0].probability, shared[i].answers[0][0].probability);
  }
  EXPECT_TRUE(predict_all(model, {}, three).empty());
}

}  // namespace
}  // namespace heed
