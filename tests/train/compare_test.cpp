#include "heed/train/compare.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "heed/base/file.h"
#include "heed/base/json.h"
#include "heed/train/defaults.h"
#include "heed/train/match.h"
#include "heed/train/probe.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/training.h"

namespace heed {
namespace {

using test::kNever;

Config with_body(const std::string& kind) {
  Config said = default_config("label");
  said.body = Choice<Body>(kind);
  Config config = default_config(said);
  config.wide = Choice<Wide>("none");
  return config;
}

TEST(MatchParameters, EveryBodyComesWithinThreePercentOfAttention) {
  const Index target = body_parameters(with_body("attention"));
  for (const char* kind : {"cnn", "lstm", "gru", "rnn", "conformer", "window", "attention"}) {
    Config config = with_body(kind);
    const Index size = match_parameters(config, target);
    EXPECT_EQ(size, body_parameters(config));
    EXPECT_NEAR(static_cast<double>(size) / static_cast<double>(target), 1.0, 0.03) << kind;
  }
}

TEST(MatchParameters, WhatIsTooDeepLosesLayersAndABagStaysEmpty) {
  Config deep = with_body("conformer");
  const Index one_layer = 100000;
  match_parameters(deep, one_layer);
  EXPECT_LT(body_parameters(deep), 130000);
  Config bag = with_body("bag");
  EXPECT_EQ(match_parameters(bag, 1000), 0);
}

Dataset made_dataset(int count) {
  Dataset data;
  for (int i = 0; i < count; ++i) {
    // Nine of ten are common, the others rare.
    const bool rare = i % 10 == 9;
    data.records.push_back(
        make_record(Text{fmt::format("{} word{}", rare ? "left" : "right", i % 7)},
                    Label{rare ? "rare" : "common"}));
  }
  return data;
}

TEST(NestedOrder, PartsKeepTheShareOfEveryLabel) {
  const Dataset data = made_dataset(1000);
  const std::vector<Index> order = nested_order(data, 1);
  EXPECT_EQ(std::set<Index>(order.begin(), order.end()).size(), 1000u);
  const auto rare = [&](std::size_t count) {
    return std::count_if(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                         [&](Index i) { return i % 10 == 9; });
  };
  EXPECT_EQ(rare(2), 1);  // each label once
  EXPECT_NEAR(static_cast<double>(rare(100)), 10.0, 1.0);
  EXPECT_NEAR(static_cast<double>(rare(500)), 50.0, 1.0);
  EXPECT_NE(nested_order(data, 2), order);
}

TEST(MeasureLengths, EveryLengthHasSpeedAndMemory) {
  const std::vector<LengthSpeed> speeds = measure_lengths(with_body("cnn"), {4, 300});
  ASSERT_EQ(speeds.size(), 2u);
  for (const LengthSpeed& speed : speeds) {
    EXPECT_GT(speed.rows_per_second, 0.0);
    EXPECT_GT(speed.bytes, 0.0);
  }
}

class Compare : public testing::Test {
 protected:
  Compare() {
    std::string csv = "text,label\n";
    for (const Record& record : made_dataset(300).records) {
      csv += std::get<Text>(record.content).text + "," + std::get<Label>(record.answer).name + "\n";
    }
    write_file(folder_.path() + "/data.csv", csv);
    for (const char* kind : {"window", "bag"}) {
      CompareVariant variant;
      variant.name = kind;
      variant.run.train = {folder_.path() + "/data.csv"};
      variant.run.config = with_body(kind);
      variant.run.config.width = 8;
      variant.run.training.epochs = 2;
      options_.variants.push_back(variant);
    }
    options_.seeds = 2;
    options_.amounts = {0.5, 1.0};
    options_.lengths = {8};
  }

  std::string report() const { return folder_.path() + "/report"; }
  std::optional<std::vector<std::string>> run(const std::atomic<bool>& stop = kNever,
                                              std::atomic<bool>* after_one = nullptr) {
    finished_ = 0;
    CompareEvents events;
    events.finished = [&](const ComparedRun& done, const std::string&) {
      ++finished_;
      EXPECT_GT(done.seconds, 0.0);
      if (after_one != nullptr) *after_one = true;
    };
    return compare(report(), options_, events, stop);
  }

  test::TemporaryFolder folder_;
  CompareOptions options_;
  int finished_ = 0;
};

TEST_F(Compare, TrainsEachOnceAndWritesAReport) {
  ASSERT_TRUE(run().has_value());
  EXPECT_EQ(finished_, 8);  // two variants, two seeds, two amounts
  const Json json = Json::parse(read_file(report() + "/report.json"), "report.json");
  // About 30 of 300, and about 27 of the rest for dev: the same text twice stays on one side.
  EXPECT_NEAR(static_cast<double>(json["test_examples"].whole()), 30.0, 10.0);
  const std::vector<Json> amounts = json["amounts"].list();
  ASSERT_EQ(amounts.size(), 2u);
  const Index all = amounts[1]["variants"].list()[0]["examples"].whole();
  EXPECT_NEAR(static_cast<double>(all), 243.0, 30.0);
  EXPECT_EQ(amounts[0]["variants"].list()[0]["examples"].whole(), (all + 1) / 2);
  for (const char* name : {"report.html", "amount.svg", "time.svg", "speed.svg", "memory.svg"}) {
    EXPECT_TRUE(file_exists(report() + "/" + name)) << name;
  }
  EXPECT_TRUE(run().has_value());
  EXPECT_EQ(finished_, 0);  // all of it was there
}

// The amount of data says how wide a network is: the bodies are matched at that width, too.
TEST_F(Compare, BodiesAreMatchedAtTheWidthThatTheyWillHave) {
  Config wide = options_.variants[0].run.config;
  wide.width = default_width(wide, 243);
  ASSERT_NE(wide.width, options_.variants[0].run.config.width);
  for (CompareVariant& variant : options_.variants) {
    variant.run.width_by_data = true;
    variant.run.training.epochs = 1;
  }
  options_.seeds = 1;
  options_.amounts = {1.0};
  ASSERT_TRUE(run().has_value());
  const Json json = Json::parse(read_file(report() + "/report.json"), "report.json");
  EXPECT_EQ(json["variants"].list()[0]["body_parameters"].whole(), body_parameters(wide));
}

TEST_F(Compare, GoesOnWhereItWasStopped) {
  std::atomic<bool> stop = false;
  EXPECT_FALSE(run(stop, &stop).has_value());
  EXPECT_EQ(finished_, 1);
  EXPECT_FALSE(file_exists(report() + "/report.html"));
  EXPECT_TRUE(run().has_value());
  EXPECT_EQ(finished_, 7);
}

TEST_F(Compare, AnotherComparisonInTheFolderIsRefused) {
  ASSERT_TRUE(run().has_value());
  options_.variants[0].run.training.epochs = 3;
  try {
    run();
    FAIL() << "expected a UsageError";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("is of another comparison"), std::string::npos);
  }
}

}  // namespace
}  // namespace heed
