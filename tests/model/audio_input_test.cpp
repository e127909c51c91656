#include "heed/model/input/audio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "heed/base/error.h"
#include "heed/model/output/tags.h"
#include "heed/model/predictor.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wave.h"

namespace heed::test {
namespace {

Content sound(double hertz, double seconds, double rate = 16000.0) {
  auto waveform = std::make_shared<Waveform>();
  waveform->samples = tone(hertz, seconds, rate);
  waveform->rate = rate;
  return Recording{.sound = std::move(waveform)};
}

Dataset sounds(double rate = 16000.0) {
  Dataset data;
  for (const double hertz : {200.0, 400.0, 800.0, 1600.0}) {
    data.records.push_back(make_record(sound(hertz, 0.5 + hertz / 1600.0, rate)));
  }
  return data;
}

AudioInput fitted_audio(const AudioOptions& options, double rate = 16000.0) {
  AudioInput input;
  input.options() = options;
  input.fit(sounds(rate));
  return input;
}

Batch prepared(const AudioInput& input, const Content& content) {
  Batch batch;
  input.prepare(content, batch);
  return batch;
}

std::vector<float> numbers(const Batch& batch) {
  const auto values = batch.input.numbers(0).values();
  return {values.begin(), values.end()};
}

TEST(AudioInput, TheTrainingRecordingsHaveMeanZeroAndDeviationOne) {
  const AudioInput input = fitted_audio({});
  Batch batch;
  for (const Record& record : sounds().records) input.prepare(record.content, batch);
  const std::vector<float> values = numbers(batch);
  for (std::size_t band = 0; band < 40; ++band) {
    double sum = 0.0, square = 0.0, count = 0.0;
    for (std::size_t i = band; i < values.size(); i += 40, ++count) {
      sum += static_cast<double>(values[i]);
      square += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    }
    EXPECT_NEAR(sum / count, 0.0, 1e-3);
    EXPECT_NEAR(square / count, 1.0, 1e-2);
  }
}

TEST(AudioInput, ItsOwnMeanIsTakenOffARecording) {
  const AudioInput input = fitted_audio({.norm = AudioNorm::kRecording});
  const std::vector<float> values = numbers(prepared(input, sound(700.0, 1.0)));
  for (std::size_t band = 0; band < 40; ++band) {
    double sum = 0.0;
    for (std::size_t i = band; i < values.size(); i += 40) sum += static_cast<double>(values[i]);
    // The deviation divides, and the mean of all recordings, taken off too, is nearly 0.
    EXPECT_NEAR(sum / static_cast<double>(values.size() / 40), 0.0, 1e-3);
  }
}

TEST(AudioInput, TheRateIsThatOfTheRecordings) {
  EXPECT_EQ(fitted_audio({}, 8000.0).options().rate, 8000.0);
  EXPECT_EQ(fitted_audio({}, 11025.0).options().rate, 16000.0);
  EXPECT_EQ(fitted_audio({}, 48000.0).options().rate, 16000.0);
  EXPECT_EQ(fitted_audio({.rate = 22050.0}, 8000.0).options().rate, 22050.0);
}

TEST(AudioInput, RowsAreFramesOrSeveralOfThem) {
  for (const Index stride : {1, 2, 4}) {
    const AudioInput input = fitted_audio({.stride = stride});
    const Batch batch = prepared(input, sound(300.0, 1.0));  // 101 frames
    EXPECT_EQ(batch.lengths.back(), (101 + stride - 1) / stride);
    EXPECT_EQ(std::ssize(numbers(batch)), batch.lengths.back() * stride * 40);
    EXPECT_NEAR(input.row_seconds(), 0.01 * static_cast<double>(stride), 1e-12);
  }
  EXPECT_EQ(prepared(fitted_audio({.truncation = 30}), sound(300.0, 1.0)).lengths.back(), 30);
}

TEST(AudioInput, ASegmentIsAPartOfTheRecording) {
  const AudioInput input = fitted_audio({.segment = 32, .stride = 2});
  const Batch whole = prepared(input, sound(300.0, 1.0));
  EXPECT_EQ(input.varied_length(51), 16);
  EXPECT_EQ(input.varied_length(7), 7);
  std::set<Index> begins;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Batch batch = whole;
    Random random(seed);
    const Input::Rows kept = input.vary(batch, random);
    begins.insert(kept.first);
    ASSERT_EQ(kept.count, 16);
    ASSERT_EQ(batch.lengths.back(), 16);
    const std::vector<float> all = numbers(whole), part = numbers(batch);
    ASSERT_EQ(part.size(), 16u * 2u * 40u);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + kept.first * 80));
  }
  EXPECT_GT(begins.size(), 15u);
}

TEST(AudioInput, MasksCoverTimeAndBands) {
  AudioOptions options;
  options.segment = 0;
  options.augment = {.time_masks = 2, .time_width = 0.2f, .band_masks = 1, .band_width = 8};
  const AudioInput input = fitted_audio(options);
  const Batch whole = prepared(input, sound(300.0, 1.0));
  double zeros = 0.0, count = 0.0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Batch batch = whole;
    Random random(seed);
    input.vary(batch, random);
    for (const float value : numbers(batch)) {
      zeros += value == 0.0f ? 1.0 : 0.0;
      ++count;
    }
  }
  // Two masks of 0 to 20 % of the time and one of 0 to 8 bands of 40: about 10 + 10 + 10 %.
  EXPECT_NEAR(zeros / count, 0.27, 0.06);
}

TEST(AudioInput, GainAddsTheSameToEveryBand) {
  AudioOptions options;
  options.segment = 0;
  options.augment.gain = 10.0f;
  const AudioInput input = fitted_audio(options);
  const Batch whole = prepared(input, sound(300.0, 0.5));
  Batch batch = whole;
  Random random(3);
  input.vary(batch, random);
  const std::vector<float> before = numbers(whole), after = numbers(batch);
  const auto change = [&](std::size_t i) {
    return (after[i] - before[i]) * input.options().deviation[i % 40];
  };
  EXPECT_NE(change(0), 0.0f);
  EXPECT_LE(std::abs(change(0)), std::log(10.0f));
  for (std::size_t i = 0; i < after.size(); ++i) ASSERT_NEAR(change(i), change(0), 1e-4);
}

// Played faster, a recording is as one that was made of a higher and shorter tone.
TEST(AudioInput, SpeedMovesTimeAndPitch) {
  AudioOptions options;
  options.segment = 0;
  options.norm = AudioNorm::kNone;
  options.augment.speed = 0.2f;
  const AudioInput input = fitted_audio(options);
  const auto loudest = [](const std::vector<float>& values) {
    const auto row = values.begin() + static_cast<Index>(values.size() / 80) * 40;
    return std::max_element(row, row + 40) - row;
  };
  Index faster = 0, slower = 0;
  const Batch whole = prepared(input, sound(1500.0, 1.0));
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Batch batch = whole;
    Random random(seed);
    input.vary(batch, random);
    const Index rows = batch.lengths.back();
    EXPECT_NEAR(static_cast<double>(rows), 105.0, 25.0);
    if (rows < 90) {
      ++faster;
      EXPECT_GT(loudest(numbers(batch)), loudest(numbers(whole)));
    }
    if (rows > 112) {
      ++slower;
      EXPECT_LT(loudest(numbers(batch)), loudest(numbers(whole)));
    }
  }
  EXPECT_GT(faster, 0);
  EXPECT_GT(slower, 0);
  EXPECT_NE(input.row_problem(), "");
}

TEST(AudioInput, SpansBecomeATagForEachRow) {
  AudioOptions options;
  options.stride = 2;
  const AudioInput input = fitted_audio(options);
  Record record = make_record(sound(300.0, 1.0), Spans{{{0.1, 0.3, "a"}, {0.5, 9.0, "b"}}});
  input.align(record);
  const auto& names = std::get<Tags>(record.answer).names;
  ASSERT_EQ(std::ssize(names), prepared(input, record.content).lengths.back());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double middle = 0.02 * (static_cast<double>(i) + 0.5);
    const char* expected = middle > 0.5 ? "b" : middle > 0.1 && middle < 0.3 ? "a" : kNoSpan;
    EXPECT_EQ(names[i], expected) << middle;
  }
}

TEST(AudioInput, PredictedRowsBecomeSpans) {
  TagsOutput output;
  Dataset data;
  data.records.push_back(make_record(sound(300.0, 1.0), Tags{{"a", "b", kNoSpan}}));
  output.fit(data, false);
  Prediction prediction;
  prediction.row_seconds = 0.02;
  for (const std::int32_t tag : {0, 0, 2, 1, 1, 1}) prediction.rows.push_back({{tag, 0.5f}});
  Record record = make_record(Recording{.file = "x.wav", .begin = 1.0});
  record.place.file = std::make_shared<const std::string>("x.wav");
  EXPECT_EQ(output.answer_text(record, prediction), "x.wav\t1.00\t1.04\ta\nx.wav\t1.06\t1.12\tb\n");
  const auto spans = std::get<Spans>(output.answer(record, prediction));
  ASSERT_EQ(spans.spans.size(), 2u);
  EXPECT_NEAR(spans.spans[1].end, 1.12, 1e-9);
}

TEST(AudioInput, BothPrenetsGiveARowForEachStride) {
  for (const Prenet prenet : {Prenet::kLinear, Prenet::kConvolution}) {
    for (const Index stride : {1, 2, 4}) {
      const AudioInput input = fitted_audio({.prenet = prenet, .stride = stride});
      Batch batch;
      for (const double seconds : {0.01, 0.333, 1.0}) input.prepare(sound(300.0, seconds), batch);
      Parameters parameters;
      const auto network = input.network(Scope(parameters), 16);
      Context context;
      context.begin(Mode::kEvaluate);
      const Sequences x = (*network)(context, batch);
      Index rows = 0;
      for (const Index length : batch.lengths) rows += length;
      EXPECT_EQ(x.rows.rows(), rows);
      EXPECT_EQ(x.width(), 16);
      Plan plan(8);
      network->describe(plan);
      EXPECT_EQ(plan.shape(), (Shape{8, 16}));
    }
  }
}

TEST(AudioInput, ALongRecordingWithoutALimitIsRefused) {
  const TemporaryFolder folder;
  AudioOptions options;
  options.truncation = 0;
  options.hop = 0.00025;  // a short recording has many frames
  options.window = 0.001;
  options.bands = 2;
  options.cache = false;
  const AudioInput input = fitted_audio(options);
  const std::string path = folder.write("long.wav", wave(std::vector<float>(4'000'100, 0.0f)));
  const std::string said =
      message_of<FormatError>([&] { prepared(input, Recording{.file = path}); });
  EXPECT_TRUE(said.starts_with(path + ": longer than 1,000,000 frames")) << said;
}

}  // namespace
}  // namespace heed::test
