#include "heed/model/model.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "heed/model/options.h"
#include "heed/model/predictor.h"
#include "heed/train/step.h"
#include "tests/support/made_examples.h"

namespace heed {
namespace {

using test::add_tfidf;
using test::alone;
using test::attention_of;
using test::made_config;
using test::made_examples;
using test::part_of;

struct Named {
  std::string name;
  Config config;
};

// Every body with every output and pooling.
std::vector<Named> all_models(float dropout = 0.0f) {
  std::vector<Named> models;
  for (const std::string& body : Registry<Body>::instance().names()) {
    const auto add = [&](const char* output, std::string_view detail) -> Config& {
      models.push_back({fmt::format("{}, {}", body, detail), made_config(output, body, dropout)});
      return models.back().config;
    };
    for (const auto& pooling : Names<nn::PoolingKind>::kTable) {
      test::label_of(add("label", pooling.name)).pooling = pooling.value;
    }
    add("tags", "tags");
    test::tags_of(add("tags", "crf")).crf = true;
    test::text_of(add("label", "character n-grams")).char_ngrams.buckets = 20;
    test::text_of(add("tags", "character CNN")).char_cnn.filters = 8;
    for (const char* output : {"label", "tags"}) {
      Config& config = add(output, fmt::format("{}, masked words", output));
      test::text_of(config).masked_words = {.share = 0.3f, .weight = 0.1f, .words = 10};
    }
    test::label_of(add("label", "two passes")).consistency = 2.0f;
    add_tfidf(add("label", "TF-IDF"), 40);
    add("label", "ensemble").ensemble.size = 3;
    add("tags", "tags, ensemble").ensemble.size = 2;
    Config& unlike = add("label", "a bag and a window besides");
    unlike.ensemble.size = 3;
    unlike.ensemble.bodies = {Choice<Body>("bag"), Choice<Body>("window")};
    if (body != "attention") continue;
    for (const char* output : {"label", "tags"}) {
      Config& config = add(output, fmt::format("{}, segments", output));
      attention_of(config).segment = 5;  // of up to 12
      attention_of(config).memory = 3;
    }
  }
  return models;
}

double loss_of(const Model& model, const Batch& batch) {
  Context context;
  context.begin(Mode::kEvaluate);
  return static_cast<double>(model.loss(context, batch).value[0]);
}

// Of a training step, with dropout.
double training_loss(const Config& config, const Batch& batch) {
  const Model model(config);
  Context context;
  context.begin(Mode::kTrain);
  return static_cast<double>(model.loss(context, batch).value[0]);
}

std::vector<Prediction> predict(const Model& model, const Batch& batch, Index top) {
  Context context;
  context.begin(Mode::kEvaluate);
  return model.predict(context, batch, top);
}

// The parameters with this name, one of each network that has one.
std::vector<const Parameter*> in_each_network(const Model& model, std::string_view name) {
  std::vector<const Parameter*> found;
  for (const Parameter& parameter : model.parameters()) {
    if (in_network(parameter.name).second == name) found.push_back(&parameter);
  }
  return found;
}

TEST(Model, ABatchIsItsExamplesOneByOne) {
  for (const Named& named : all_models()) {
    const Config& config = named.config;
    const Model model(config);
    const Batch batch = made_examples(config, 9, 3);
    const std::vector<Prediction> all = predict(model, batch, 3);
    ASSERT_EQ(std::ssize(all), batch.sequences());
    double loss = 0.0;
    for (Index i = 0; i < batch.sequences(); ++i) {
      const Batch single = alone(batch, i, config);
      loss += single.whole_weight * loss_of(model, single);
      const Prediction one = predict(model, single, 3).front();
      const Prediction& other = all[static_cast<std::size_t>(i)];
      ASSERT_EQ(one.rows.size(), other.rows.size()) << named.name;
      ASSERT_EQ(std::ssize(one.rows), config.output.kind() == "tags" ? single.lengths[0] : 1)
          << named.name;
      for (std::size_t row = 0; row < one.rows.size(); ++row) {
        ASSERT_EQ(one.rows[row].size(), 3u);
        for (std::size_t k = 0; k < 3; ++k) {
          EXPECT_EQ(one.rows[row][k].index, other.rows[row][k].index) << named.name;
          EXPECT_NEAR(one.rows[row][k].probability, other.rows[row][k].probability, 1e-5)
              << named.name;
        }
      }
    }
    EXPECT_NEAR(loss_of(model, batch), loss / batch.whole_weight, 1e-5) << named.name;
  }
}

TEST(Model, TheLossesOfPartsAddUpToThatOfTheBatch) {
  for (const Named& named : all_models()) {
    const Model model(named.config);
    const Batch batch = made_examples(named.config, 8, 4);
    double sum = 0.0;
    for (const auto& [first, count] : {std::pair<Index, Index>{0, 3}, {3, 1}, {4, 4}}) {
      sum += loss_of(model, part_of(batch, first, count));
    }
    EXPECT_NEAR(sum, loss_of(model, batch), 1e-5) << named.name;
  }
}

TEST(Model, AnswersAreProbabilitiesTheMostLikelyFirst) {
  for (const Named& named : all_models()) {
    if (!named.config.output->can_average()) continue;  // there the whole sequence chooses
    const Model model(named.config);
    for (const Prediction& prediction : predict(model, made_examples(named.config, 5, 5), 100)) {
      for (const std::vector<Candidate>& candidates : prediction.rows) {
        ASSERT_EQ(candidates.size(), 3u) << named.name;
        float sum = 0.0f;
        for (std::size_t k = 0; k < 3; ++k) {
          sum += candidates[k].probability;
          if (k > 0) {
            EXPECT_LE(candidates[k].probability, candidates[k - 1].probability) << named.name;
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
    const Batch batch = made_examples(named.config, 60, 6);
    model.learn_wide(StoredExamples(batch), 1);
    const double before = loss_of(model, batch);
    Workers workers(2);
    AdamW optimizer(model.parameters());
    TrainingStep step(model.parameters(), optimizer, workers, {.clip = 1.0f});
    const std::vector<Index> bounds = deal(batch.lengths, 2);
    const Batch parts[] = {part_of(batch, bounds[0], bounds[1] - bounds[0]),
                           part_of(batch, bounds[1], bounds[2] - bounds[1])};
    for (int i = 0; i < 40; ++i) {
      step([&](Context& context, int worker) { return model.loss(context, parts[worker]); }, 0.01f);
    }
    optimizer.settle();
    EXPECT_LT(loss_of(model, batch), 0.5 * before) << named.name;
  }
}

TEST(Model, AnEnsembleAnswersWithTheMeanOfTheProbabilities) {
  Config config = made_config("label");
  Model one(config), two(config);
  config.ensemble.size = 2;
  const Model both(config);
  const auto first = in_each_network(both, "output.last.weight");
  ASSERT_EQ(first.size(), 2u);
  EXPECT_FALSE(std::equal(first[0]->value.data, first[0]->value.data + first[0]->value.count(),
                          first[1]->value.data))
      << "both begin alike";
  for (const Parameter& parameter : one.parameters()) {
    const auto each = in_each_network(both, parameter.name);
    ASSERT_EQ(each.size(), 2u) << parameter.name;
    const Tensor& other = two.parameters().find(parameter.name)->value;
    std::copy_n(each[0]->value.data, other.count(), parameter.value.data);
    std::copy_n(each[1]->value.data, other.count(), other.data);
  }
  const Batch batch = made_examples(config, 6, 9);
  EXPECT_NEAR(loss_of(both, batch), 0.5 * (loss_of(one, batch) + loss_of(two, batch)), 1e-6);
  const auto probabilities = [&](const Model& model) {
    std::vector<std::array<float, 3>> all;
    for (const Prediction& prediction : predict(model, batch, 3)) {
      all.emplace_back();
      for (const Candidate& candidate : prediction.rows.front()) {
        all.back()[static_cast<std::size_t>(candidate.index)] = candidate.probability;
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

TEST(Model, AnEnsembleHasOneWidePartForAll) {
  Config config = made_config("label");
  add_tfidf(config, 40);
  config.ensemble.size = 3;
  const Model model(config);
  for (const char* name : {"wide.idf", "wide.weight"}) {
    EXPECT_NE(model.parameters().find(name), nullptr) << name;
    EXPECT_EQ(in_each_network(model, name).size(), 1u) << name;
  }
  EXPECT_EQ(in_each_network(model, "output.last.weight").size(), 3u);
}

TEST(Model, NetworksOfAnEnsembleMayHaveBodiesOfTheirOwn) {
  Config config = made_config("label", "lstm");
  config.ensemble.size = 3;
  config.ensemble.bodies = {Choice<Body>("bag"), made_config("label").body};
  const Model model(config);
  EXPECT_EQ(in_each_network(model, "output.last.weight").size(), 3u);
  std::set<std::string> with_body;
  for (const Parameter& parameter : model.parameters()) {
    if (in_network(parameter.name).second.starts_with("body.")) {
      with_body.insert(parameter.name.substr(0, parameter.name.find(".body.")));
    }
  }
  EXPECT_EQ(with_body, (std::set<std::string>{"networks.0", "networks.2"}))
      << "a bag learns nothing";
  EXPECT_EQ(in_network("networks.2.body.norm.weight"),
            (std::pair<Index, std::string_view>{2, "body.norm.weight"}));
  EXPECT_EQ(config.body_of(0).kind(), "lstm");
  EXPECT_EQ(config.body_of(1).kind(), "bag");
  EXPECT_EQ(config.body_of(2).kind(), "attention");
}

TEST(Model, TheSameSeedBuildsTheSameModelAndAnotherSeedAnother) {
  Config config = made_config("label");
  const Model one(config), two(config);
  config.seed = 2;
  const Model other(config);
  const Batch batch = made_examples(config, 4, 7);
  EXPECT_EQ(loss_of(one, batch), loss_of(two, batch));
  EXPECT_NE(loss_of(one, batch), loss_of(other, batch));
}

// A config is a value: what is done to a copy is not done to it.
TEST(Model, CopiesOfAConfigShareNothing) {
  const Config config = made_config("label");
  Config copy = config;
  attention_of(copy).encoder.layers = 7;
  test::classes_of(copy).names.clear();
  EXPECT_EQ(config.body.as<AttentionBody>()->options().encoder.layers, 2);
  EXPECT_EQ(config.output->classes(), 3);
}

TEST(Model, ScoresOfTheNetworkAndOfTheWidePartAddUpToTheLogits) {
  for (const float weight : {0.0f, 0.3f, 1.0f, 5.0f}) {
    const bool wide = weight > 0.0f;
    Config config = made_config("label");
    if (wide) add_tfidf(config, 40);
    Model model(config);
    const Batch batch = made_examples(config, 6, 9);
    model.learn_wide(StoredExamples(batch), 1);
    if (wide) model.weigh_wide(weight);
    Context context;
    context.begin(Mode::kEvaluate);
    const Model::Scores scores = model.scores(context, batch);
    EXPECT_EQ(scores.network.shape(), (Shape{6, 3}));
    ASSERT_EQ(scores.wide.value.data != nullptr, wide);
    const std::vector<Prediction> expected = predict(model, batch, 3);
    for (Index s = 0; s < 6; ++s) {
      std::array<double, 3> exponents{};
      double sum = 0.0, largest = 0.0;
      for (std::size_t c = 0; c < 3; ++c) {
        double logit = static_cast<double>(scores.network.value.row(s)[c]);
        if (wide) {
          const auto more = static_cast<double>(scores.wide.value.row(s)[c]);
          largest = std::max(largest, std::abs(more));
          logit += more;
        }
        sum += exponents[c] = std::exp(logit);
      }
      EXPECT_EQ(largest > 0.01, wide) << "the wide part says nothing";
      for (const Candidate& candidate : expected[static_cast<std::size_t>(s)].rows[0]) {
        EXPECT_NEAR(candidate.probability,
                    exponents[static_cast<std::size_t>(candidate.index)] / sum, 1e-5);
      }
    }
  }
}

// Scores of hundreds would make all probabilities 0 or 1, and no temperature could part them again.
TEST(Model, AHeavyWidePartDoesNotMakeScoresLarge) {
  Config config = made_config("label");
  add_tfidf(config, 40);
  Model plain(config), heavy(config);
  const Batch batch = made_examples(config, 6, 9);
  for (Model* model : {&plain, &heavy}) model->learn_wide(StoredExamples(batch), 1);
  heavy.weigh_wide(50.0f);
  Context context;
  context.begin(Mode::kEvaluate);
  const Model::Scores before = plain.scores(context, batch), after = heavy.scores(context, batch);
  for (Index i = 0; i < 6 * 3; ++i) {
    EXPECT_EQ(after.wide.value.data[i], before.wide.value.data[i]);
    EXPECT_NEAR(after.network.value.data[i], before.network.value.data[i] / 50.0f, 1e-6);
  }
}

TEST(Model, AnEnsembleHasNoScoresThatAddUp) {
  Config config = made_config("label");
  config.ensemble.size = 2;
  const Model model(config);
  Context context;
  context.begin(Mode::kEvaluate);
  EXPECT_THROW(model.scores(context, made_examples(config, 2, 9)), UsageError);
}

TEST(Model, MeanScoresOfAnEnsembleAreThoseOfItsNetworks) {
  Config config = made_config("label");
  add_tfidf(config, 40);
  Config two = config;
  two.ensemble.size = 2;
  Model ensemble(two), one(config);
  const Batch batch = made_examples(config, 4, 9);
  Context context;
  context.begin(Mode::kEvaluate);
  std::vector<float> expected(4 * 3, 0.0f);
  for (const char* network : {"networks.0.", "networks.1."}) {
    for (const Parameter& parameter : one.parameters()) {
      const Parameter* own = ensemble.parameters().find(network + parameter.name);
      if (own != nullptr) std::ranges::copy(own->value.span(), parameter.value.span().begin());
    }
    const Model::Scores scores = one.scores(context, batch);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] += 0.5f * scores.network.value.data[i];
    }
  }
  ensemble.weigh_wide(2.0f);  // the networks count half
  const Model::Scores scores = ensemble.mean_scores(context, batch);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(scores.network.value.data[i], 0.5f * expected[i], 1e-6f);
  }
}

TEST(Model, ScoresOfTagsAreThoseOfEachRow) {
  Config config = made_config("tags");
  const Model model(config);
  const Batch batch = made_examples(config, 3, 9);
  Context context;
  context.begin(Mode::kEvaluate);
  const Model::Scores scores = model.scores(context, batch);
  EXPECT_EQ(scores.network.rows(), batch.lengths[0] + batch.lengths[1] + batch.lengths[2]);
  EXPECT_EQ(scores.wide.value.data, nullptr);
}

TEST(Model, TwoPassesAddWhatTheyDisagreeIn) {
  const auto loss_with = [](float dropout, float consistency) {
    Config config = made_config("label", "attention", dropout);
    test::label_of(config).consistency = consistency;
    return training_loss(config, made_examples(config, 6, 8));
  };
  // Without dropout both passes are the same.
  EXPECT_NEAR(loss_with(0.0f, 3.0f), loss_with(0.0f, 0.0f), 1e-6);
  const double one = loss_with(0.3f, 1.0f), two = loss_with(0.3f, 2.0f);
  EXPECT_GT(two, one + 1e-4);
  EXPECT_NEAR(loss_with(0.3f, 3.0f), 2.0 * two - one, 1e-5);
}

}  // namespace
}  // namespace heed
