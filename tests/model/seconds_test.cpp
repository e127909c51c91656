#include <gtest/gtest.h>

#include "heed/model/body/attention.h"
#include "heed/model/body/conformer.h"
#include "heed/model/model.h"
#include "tests/support/bodies.h"
#include "tests/support/layers.h"
#include "tests/support/messages.h"

// Truncated attention whose window is given in seconds.
namespace heed::test {
namespace {

// A window of so much time before and after, where a row is 20 ms, hides what a window of two rows
// before and one after hides.
template <class TimedBody>
void expect_seconds_in_rows(TimedBody body) {
  body.apply({"test", kBodyWidth, 2, 24, 1, 0.0f});
  body.options().seconds = {.before = 0.04, .after = 0.016};
  body.expect_row_seconds(0.02);
  const BodyReader reader(body);
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, {9}, kBodyWidth);
  const Tensor before = reader(context, x).rows.value;
  x.rows.value.row(4)[3] += 1.0f;
  const Tensor after = reader(context, x).rows.value;
  for (Index row = 0; row < 9; ++row) {
    const bool same = std::equal(before.row(row), before.row(row) + kBodyWidth, after.row(row));
    EXPECT_EQ(same, row < 3 || row > 6) << "row " << row;
  }
}

TEST(Seconds, AWindowInSecondsIsOneInRows) {
  AttentionBody attention;
  expect_seconds_in_rows(attention);
  ConformerBody conformer;
  conformer.options().conformer.taps = 1;
  expect_seconds_in_rows(conformer);
}

// A stride of 2 frames of 10 ms: half a second is 25 rows.
TEST(Seconds, TheInputSaysHowLongARowIs) {
  const std::string text = R"({"width": 16, "input": {"kind": "audio", "stride": 2},
    "body": {"feed_forward": {"hidden": 24}, "seconds": {"before": 0.5}}, "output": {"names": ["a", "b"]}})";
  const Model model(parse_config(text, "c.json"));
  Plan plan = model.plan(0, 60);
  std::string notes;
  for (const PlanStep& step : plan.steps()) notes += step.note + "\n";
  EXPECT_NE(notes.find("25 before"), std::string::npos) << notes;
}

TEST(Seconds, AreRefusedWhereRowsAreNotTime) {
  for (const char* kind : {"attention", "conformer"}) {
    const std::string text =
        std::string(R"({"body": {"kind": ")") + kind + R"(", "seconds": {"after": 2}}})";
    EXPECT_EQ(message_of<FormatError>([&] { parse_config(text, "c.json"); }),
              "c.json: body.seconds.after 2: rows of this input are not time, expected null; "
              "attention.mask has a window in rows");
  }
}

}  // namespace
}  // namespace heed::test
