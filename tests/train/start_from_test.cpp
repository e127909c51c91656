#include "heed/train/start_from.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/model/folder.h"
#include "heed/train/defaults.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace heed {
namespace {

Dataset tagged_words(std::vector<std::string> tags) {
  Dataset data;
  for (const std::string& tag : tags) {
    data.records.push_back(make_record(Sentence{{"word", tag}}, Tags{{"none", tag}}));
  }
  return data;
}

Config tagger(const Dataset& data) {
  Config config = default_config("tags");
  apply_preset("tiny", config);
  config.input->fit(data);
  config.output->fit(data, false);
  return config;
}

// Rows of classes are taken by their names; a CRF's columns too; new classes keep first values.
TEST(StartFrom, ClassesAreTakenByTheirNames) {
  const test::TemporaryFolder folder;
  const Dataset old = tagged_words({"b", "d"});
  Config before = tagger(old);
  Model trained(before);
  for (const Parameter& parameter : trained.parameters()) {
    for (Index i = 0; i < parameter.value.count(); ++i) {
      parameter.value.data[i] = static_cast<float>(i % 1000);
    }
  }
  save_parameters(trained.parameters(), folder.path("w.safetensors"));
  const SafetensorsFile file = SafetensorsFile::open(folder.path("w.safetensors"));

  Config after = before;
  after.output->fit_more(tagged_words({"a", "c", "d"}));
  ASSERT_EQ(after.output->classes(), 5);  // a, b, c, d, none
  Model model(after);
  const std::vector<float> first(
      model.parameters().find("output.last.weight")->value.span().begin(),
      model.parameters().find("output.last.weight")->value.span().end());
  const StartedFrom started = start_from(model, {file, before});
  EXPECT_EQ(started.new_classes, 2);

  const auto row = [](const Model& of, const char* name, Index number) {
    const Tensor& value = of.parameters().find(name)->value;
    return std::vector<float>(value.row(number), value.row(number) + value.columns());
  };
  EXPECT_EQ(row(model, "output.last.weight", 1), row(trained, "output.last.weight", 0));  // b
  EXPECT_EQ(row(model, "output.last.weight", 3), row(trained, "output.last.weight", 1));  // d
  EXPECT_EQ(row(model, "output.last.weight", 4), row(trained, "output.last.weight", 2));  // none
  EXPECT_TRUE(std::equal(first.begin(), first.begin() + 64,
                         row(model, "output.last.weight", 0).begin()));  // a: as it began
  const float* transitions = model.parameters().find("output.crf.transitions")->value.data;
  const float* known = trained.parameters().find("output.crf.transitions")->value.data;
  EXPECT_EQ(transitions[1 * 5 + 3], known[0 * 3 + 1]);  // b → d
  EXPECT_EQ(transitions[4 * 5 + 1], known[2 * 3 + 0]);  // none → b
  EXPECT_EQ(row(model, "input.words.weight", 1), row(trained, "input.words.weight", 1));
}

TEST(StartFrom, AnotherNetworkIsRefusedByName) {
  const test::TemporaryFolder folder;
  const Dataset data = tagged_words({"b", "d"});
  const Config before = tagger(data);
  save_parameters(Model(before).parameters(), folder.path("w.safetensors"));
  const SafetensorsFile file = SafetensorsFile::open(folder.path("w.safetensors"));
  Config wider = before;
  wider.width = 128;
  Model model(wider);
  const std::string message = test::message_of<UsageError>([&] {
    start_from(model, {file, before});
  });
  EXPECT_NE(message.find("input.words.weight is (2, 64) there and (2, 128) here"),
            std::string::npos)
      << message;
}

}  // namespace
}  // namespace heed
