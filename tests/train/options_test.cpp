#include "heed/train/options.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed {
namespace {

TEST(TrainingOptions, AreReadAndWrittenBackAsTheyWere) {
  AdamWOptions adamw;
  const std::string adamw_text =
      "{\n  \"beta1\": 0.8,\n  \"beta2\": 0.98,\n  \"epsilon\": 1e-09,\n  \"decay\": 0.1,\n  "
      "\"table_rate\": 4.0\n}\n";
  from_json(adamw_text, "config.json", adamw);
  EXPECT_EQ(adamw.beta2, 0.98f);
  EXPECT_EQ(to_json(adamw), adamw_text);

  SgdOptions sgd;
  const std::string sgd_text =
      "{\n  \"momentum\": 0.9,\n  \"decay\": 0.01,\n  \"nesterov\": true\n}\n";
  from_json(sgd_text, "config.json", sgd);
  EXPECT_TRUE(sgd.nesterov);
  EXPECT_EQ(to_json(sgd), sgd_text);

  ScheduleOptions schedule;
  const std::string schedule_text =
      "{\n  \"kind\": \"inverse-square-root\",\n  \"rate\": 0.002,\n  \"floor\": 1e-05,\n"
      "  \"warmup\": 40,\n  \"steps\": 4000\n}\n";
  from_json(schedule_text, "config.json", schedule);
  EXPECT_EQ(schedule.kind, Schedule::kInverseSquareRoot);
  EXPECT_EQ(to_json(schedule), schedule_text);

  StepOptions step;
  const std::string step_text = "{\n  \"seed\": 18446744073709551615,\n  \"clip\": 1.0\n}\n";
  from_json(step_text, "config.json", step);
  EXPECT_EQ(step.seed, 18446744073709551615u);
  EXPECT_EQ(to_json(step), step_text);
}

TEST(TrainingOptions, SchedulesHaveTheirNames) {
  EXPECT_EQ(all_names<Schedule>(),
            (std::vector<std::string>{"constant", "cosine", "linear", "inverse-square-root"}));
}

TEST(TrainingOptions, MistakesAreToldWithTheirKey) {
  const auto message = [](const std::string& text) -> std::string {
    ScheduleOptions schedule;
    try {
      from_json(text, "config.json", schedule);
    } catch (const FormatError& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_EQ(message(R"({"rate": 0})"), "config.json: rate: expected a number above 0, got 0");
  EXPECT_EQ(message(R"({"warmup": 11, "steps": 10})"),
            "config.json: warmup: expected at most the 10 steps of the whole run, got 11");
  EXPECT_EQ(message(R"({"steps": 10, "warm_up": 1})"),
            "config.json: there is no key \"warm_up\"; did you mean \"warmup\"?");
  EXPECT_EQ(message(R"({"kind": "cosin"})"),
            "config.json: kind: expected one of \"constant\", \"cosine\", \"linear\", "
            "\"inverse-square-root\", got \"cosin\"; did you mean \"cosine\"?");
}

}  // namespace
}  // namespace heed
