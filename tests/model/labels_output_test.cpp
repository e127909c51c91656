#include "heed/model/output/labels.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/model/config.h"
#include "heed/model/folder.h"
#include "heed/model/predictor.h"
#include "tests/support/temporary_folder.h"

namespace heed {
namespace {

Dataset texts_with_labels() {
  Dataset data;
  const auto add = [&](const char* text, std::vector<std::string> labels) {
    data.records.push_back(make_record(Text{text}, Labels{std::move(labels)}));
  };
  add("a b", {"x", "y"});
  add("b c", {"y"});
  add("c", {});
  add("a a", {"x", "y", "z"});
  return data;
}

Config fitted_config(Index networks = 1) {
  Config config;
  config.output = Choice<Output>("labels");
  apply_preset("tiny", config);
  config.ensemble.size = networks;
  const Dataset data = texts_with_labels();
  config.input->fit(data);
  config.output->fit(data, false);
  config.output->learn(data);
  return config;
}

TEST(LabelsOutput, LearnsNamesAndBeginsAtTheirFrequencies) {
  Model model(fitted_config());
  EXPECT_EQ(model.config().output->classes(), 3);
  EXPECT_EQ(model.config().output->summary(), "3 labels");
  const StoredExamples none{Batch()};
  model.initialize({[](const std::string& path) { return path; }, [](const std::string&) {}, none});
  const Parameter* bias = model.parameters().find("output.last.bias");
  ASSERT_NE(bias, nullptr);
  const float expected[] = {3.0f / 6.0f, 4.0f / 6.0f, 2.0f / 6.0f};  // (count + 1) / (4 + 2)
  for (Index i = 0; i < 3; ++i) {
    EXPECT_NEAR(1.0f / (1.0f + std::exp(-bias->value.data[i])), expected[i], 1e-6f);
  }
}

// The loss is the sum over labels, the mean over texts: at scores of 0, labels times log 2.
TEST(LabelsOutput, TheLossIsBinaryCrossEntropy) {
  Model model(fitted_config());
  for (const char* name : {"output.last.weight", "output.last.bias"}) {
    const Tensor& value = model.parameters().find(name)->value;
    std::fill_n(value.data, value.count(), 0.0f);
  }
  Batch batch;
  for (const Record& record : texts_with_labels().records) model.prepare(record, batch);
  batch.whole_weight = model.config().output->weight(batch);
  EXPECT_EQ(batch.whole_weight, 4.0);
  Context context;
  context.begin(Mode::kTrain);
  EXPECT_NEAR(model.loss(context, batch).value[0], 3.0 * std::log(2.0), 1e-5);
  // With a bias of 2 for y, which three of four texts have.
  model.parameters().find("output.last.bias")->value.data[1] = 2.0f;
  const double y = (3.0 * std::log1p(std::exp(-2.0)) + std::log1p(std::exp(2.0))) / 4.0;
  context.begin(Mode::kTrain);
  EXPECT_NEAR(model.loss(context, batch).value[0], 2.0 * std::log(2.0) + y, 1e-5);
}

// Asked for one answer: all labels that reach their thresholds. For more: the likeliest.
TEST(LabelsOutput, AnswersAreThoseThatReachTheirThresholds) {
  for (const Index networks : {1, 2}) {
    Model model(fitted_config(networks));
    const float scores[] = {1.0f, -1.0f, 0.2f};  // 0.731, 0.269, 0.550
    for (const Parameter& parameter : model.parameters()) {
      if (parameter.name.ends_with("output.last.weight")) {
        std::fill_n(parameter.value.data, parameter.value.count(), 0.0f);
      }
      if (parameter.name.ends_with("output.last.bias")) {
        std::copy_n(scores, 3, parameter.value.data);
      }
    }
    auto& output = dynamic_cast<LabelsOutput&>(model.output());
    const Predictor predictor(model, 1);
    const Record record = make_record(Text{"a"});
    const auto names = [&](Index top) {
      return std::get<Labels>(output.answer(record, predictor(record, top))).names;
    };
    EXPECT_EQ(names(1), (std::vector<std::string>{"x", "z"}));  // 0.5 until they are chosen
    output.options().thresholds = {0.8f, 0.2f, 0.5f};
    EXPECT_EQ(names(1), (std::vector<std::string>{"z", "y"}));
    output.options().thresholds = {0.9f, 0.9f, 0.9f};
    EXPECT_TRUE(names(1).empty());
    EXPECT_EQ(output.answer_text(record, predictor(record, 1)), "\n");
    EXPECT_EQ(names(2), (std::vector<std::string>{"x", "z"}));
    output.options().threshold = 0.25f;  // said by hand: for all of them
    EXPECT_EQ(names(1), (std::vector<std::string>{"x", "z", "y"}));
  }
}

TEST(LabelsOutput, ThresholdsAreSavedWithTheModel) {
  const test::TemporaryFolder folder;
  Model model(fitted_config());
  dynamic_cast<LabelsOutput&>(model.output()).options().thresholds = {0.25f, 0.5f, 0.75f};
  save_model(folder.path() + "/M", model);
  const Model loaded = load_model(folder.path() + "/M");
  EXPECT_EQ(loaded.config().output.as<LabelsOutput>()->options().thresholds,
            (std::vector<float>{0.25f, 0.5f, 0.75f}));
}

TEST(LabelsOutput, UnseenLabelsCountAsMissed) {
  const Config config = fitted_config();
  const std::unique_ptr<Measures> measures = config.output->measures();
  measures->add(Labels{{"x", "new"}}, {.rows = {{{0, 0.9f}, {1, 0.1f}}}});
  EXPECT_DOUBLE_EQ(measures->score(), 2.0 / 3.0);
  EXPECT_NE(measures->report().find("new"), std::string::npos);
  EXPECT_EQ(measures->scores().front().name, "micro F1");
}

TEST(LabelsOutput, DataWithoutASingleLabelIsRefused) {
  Config config;
  config.output = Choice<Output>("labels");
  Dataset data;
  data.records.push_back(make_record(Text{"a"}, Labels{}));
  EXPECT_THROW(config.output->fit(data, true), FormatError);
  data.records.push_back(make_record(Text{"a"}, Label{"x"}));
  EXPECT_THROW(config.output->fit(data, true), FormatError);
}

}  // namespace
}  // namespace heed
