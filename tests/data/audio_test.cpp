#include <gtest/gtest.h>
#include <sndfile.h>

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/data/audio/audio_reader.h"
#include "heed/data/audio/feature_cache.h"
#include "heed/data/dataset.h"
#include "heed/data/open.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wave.h"

namespace heed::test {
namespace {

constexpr Index kAll = 1 << 24;

std::vector<float> read_samples(const Recording& recording, double rate = 0.0) {
  return AudioReader(recording, rate).read_all(kAll);
}

double mean_power(const std::vector<float>& samples) {
  double sum = 0.0;
  for (const float sample : samples)
    sum += static_cast<double>(sample) * static_cast<double>(sample);
  return sum / static_cast<double>(samples.size());
}

// How much of the power is at a frequency.
double share_at(const std::vector<float>& samples, double hertz, double rate) {
  double real = 0.0, imaginary = 0.0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double angle = 2.0 * std::numbers::pi * hertz * static_cast<double>(i) / rate;
    real += static_cast<double>(samples[i]) * std::cos(angle);
    imaginary += static_cast<double>(samples[i]) * std::sin(angle);
  }
  const double n = static_cast<double>(samples.size());
  return 2.0 * (real * real + imaginary * imaginary) / (n * n) / mean_power(samples);
}

// Through libsndfile, for formats that are not written by hand.
void write_sound(const std::string& path, int format, const std::vector<float>& samples, int rate) {
  SF_INFO info{};
  info.samplerate = rate;
  info.channels = 1;
  info.format = format;
  SNDFILE* file = sf_open(path.c_str(), SFM_WRITE, &info);
  ASSERT_NE(file, nullptr) << sf_strerror(nullptr);
  ASSERT_EQ(sf_writef_float(file, samples.data(), std::ssize(samples)), std::ssize(samples));
  sf_close(file);
}

TEST(AudioReader, ReadsAWaveFileSampleBySample) {
  const TemporaryFolder folder;
  const std::vector<float> samples = tone(440.0, 1.3);
  const std::string path = folder.write("a.wav", wave(samples));
  const AudioReader reader{Recording{.file = path}};
  EXPECT_EQ(reader.rate(), 16000.0);
  EXPECT_NEAR(reader.seconds(), 1.3, 1e-9);
  const std::vector<float> found = read_samples(Recording{.file = path});
  ASSERT_EQ(found.size(), samples.size());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], samples[i], 1e-4) << i;
}

TEST(AudioReader, ReadsFlacOggAndMp3) {
  const TemporaryFolder folder;
  const std::vector<float> samples = tone(440.0, 1.0);
  struct Format {
    const char* name;
    int format;
  };
  for (const Format& format : {Format{"a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16},
                               Format{"a.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS},
                               Format{"a.mp3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III}}) {
    SCOPED_TRACE(format.name);
    write_sound(folder.path(format.name), format.format, samples, 16000);
    const std::vector<float> found = read_samples(Recording{.file = folder.path(format.name)});
    EXPECT_NEAR(static_cast<double>(found.size()), 16000.0, 3000.0);  // MP3 has whole frames
    EXPECT_GT(share_at(found, 440.0, 16000.0), 0.8);
  }
}

TEST(AudioReader, ChannelsAreMixedIntoOne) {
  const TemporaryFolder folder;
  std::vector<float> both;
  for (const float sample : tone(300.0, 0.2)) {
    both.push_back(sample);
    both.push_back(0.5f * sample);
  }
  const auto found =
      read_samples(Recording{.file = folder.write("a.wav", wave(both, {.channels = 2}))});
  ASSERT_EQ(found.size(), both.size() / 2);
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], 0.75f * both[2 * i], 1e-4);
}

TEST(AudioReader, AnotherRateKeepsTheTone) {
  const TemporaryFolder folder;
  for (const std::uint32_t rate : {8000u, 11025u, 44100u, 48000u}) {
    SCOPED_TRACE(rate);
    const std::string path = folder.write("a.wav", wave(tone(700.0, 1.0, rate), {.rate = rate}));
    const std::vector<float> found = read_samples(Recording{.file = path}, 16000.0);
    EXPECT_NEAR(static_cast<double>(found.size()), 16000.0, 2.0);
    EXPECT_GT(share_at(found, 700.0, 16000.0), 0.99);
    EXPECT_NEAR(mean_power(found), 0.125, 0.01);
  }
}

TEST(AudioReader, APartIsWhatTheWholeHasThere) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.wav", wave(tone(250.0, 2.0)));
  const std::vector<float> whole = read_samples(Recording{.file = path});
  const std::vector<float> part = read_samples(Recording{.file = path, .begin = 0.5, .end = 0.75});
  ASSERT_EQ(part.size(), 4000u);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 8000));
  EXPECT_EQ(read_samples(Recording{.file = path, .begin = 1.9, .end = 9.0}).size(), 1600u);
  EXPECT_EQ(message_of<FormatError>([&] { read_samples(Recording{.file = path, .begin = 3.0}); }),
            path + ": has 2.000 seconds, and the part begins at 3.000");
}

TEST(AudioReader, BadFilesAreNamed) {
  const TemporaryFolder folder;
  const auto message = [](const std::string& path) {
    const std::string said =
        message_of<FormatError>([&] { read_samples(Recording{.file = path}); });
    EXPECT_TRUE(said.starts_with(path + ": ")) << said;
    return said.substr(path.size() + 2);
  };
  const std::string good = wave(tone(440.0, 1.0));
  EXPECT_EQ(message(folder.write("empty.wav", "")), "is empty, expected a recording");
  EXPECT_TRUE(message(folder.write("text.wav", std::string(2000, 'a')))
                  .starts_with("is not a recording that can be read: "));
  EXPECT_EQ(message(folder.write("cut.wav", good.substr(0, good.size() / 2))),
            "is cut short: it has fewer samples than its header says");
  EXPECT_EQ(message(folder.write("none.wav", wave({}))), "has no samples");
  message(folder.write("zero.wav", wave(tone(440.0, 0.1), {.rate = 0})));
  write_sound(folder.path("whole.flac"), SF_FORMAT_FLAC | SF_FORMAT_PCM_16, tone(440.0, 3.0),
              16000);
  const std::string flac = read_file(folder.path("whole.flac"));
  message(folder.write("cut.flac", flac.substr(0, flac.size() / 2)));
  EXPECT_TRUE(message_of<IoError>([&] {
                read_samples(Recording{.file = folder.path("missing.wav")});
              }).ends_with("missing.wav: cannot read: No such file or directory"));
  message_of<IoError>([&] { read_samples(Recording{.file = folder.path()}); });
}

// A header that a program wrote into a pipe, before it knew how long the sound would be.
TEST(AudioReader, AStreamedHeaderIsRead) {
  const TemporaryFolder folder;
  std::string bytes = wave(tone(440.0, 0.5));
  for (std::size_t i = 0; i < 4; ++i) bytes[40 + i] = static_cast<char>(0xFF);
  EXPECT_EQ(read_samples(Recording{.file = folder.write("a.wav", bytes)}).size(), 8000u);
}

TEST(LogMel, CountsFramesForAnyLength) {
  const LogMelSettings settings;
  for (const std::size_t count : {1u, 2u, 159u, 160u, 256u, 257u, 600u, 16000u}) {
    auto sound = std::make_shared<Waveform>();
    sound->samples.assign(count, 0.1f);
    const std::vector<float> frames = log_mel(Recording{.sound = sound}, settings);
    const std::size_t padded = std::max<std::size_t>(count, 257);
    EXPECT_EQ(frames.size(), 40 * (1 + padded / 160)) << count;
    for (const float value : frames) ASSERT_TRUE(std::isfinite(value));
  }
}

TEST(LogMel, ALimitKeepsTheFirstFrames) {
  auto sound = std::make_shared<Waveform>();
  sound->samples = tone(440.0, 3.0);
  const Recording recording{.sound = sound};
  const std::vector<float> all = log_mel(recording, {}), some = log_mel(recording, {}, 50);
  ASSERT_EQ(some.size(), 50u * 40u);
  EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin()));
}

class FeatureCacheTest : public testing::Test {
 protected:
  std::vector<std::string> entries() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path("cache"))) {
      if (entry.is_regular_file()) found.push_back(entry.path().string());
    }
    return found;
  }
  std::vector<float> features(const std::string& path, const LogMelSettings& settings = {}) const {
    return cache_.features(Recording{.file = path}, settings, 0, true);
  }

  TemporaryFolder folder_;
  FeatureCache cache_{folder_.path("cache")};
};

TEST_F(FeatureCacheTest, AnEntryIsForTheBytesAndTheSettings) {
  const std::string one = folder_.write("1.wav", wave(tone(440.0, 0.5)));
  const std::string same = folder_.write("2.wav", wave(tone(440.0, 0.5)));
  const std::vector<float> fresh = features(one);
  EXPECT_EQ(fresh, log_mel(Recording{.file = one}, {}));
  EXPECT_EQ(features(one), fresh);
  EXPECT_EQ(features(same), fresh);
  EXPECT_EQ(entries().size(), 1u);
  features(one, {.bands = 20});
  EXPECT_EQ(entries().size(), 2u);
  const std::string other = folder_.write("2.wav", wave(tone(880.0, 0.7)));
  EXPECT_EQ(features(other), log_mel(Recording{.file = other}, {}));
  EXPECT_EQ(entries().size(), 3u);
}

TEST_F(FeatureCacheTest, ADamagedEntryIsMadeAgain) {
  const std::string path = folder_.write("1.wav", wave(tone(440.0, 0.5)));
  const std::vector<float> fresh = features(path);
  const std::string entry = entries().front();
  const std::string whole = read_file(entry);
  std::string flipped = whole;
  flipped[whole.size() / 2] = static_cast<char>(flipped[whole.size() / 2] ^ 1);
  for (const std::string& bytes :
       {std::string(), whole.substr(0, 20), whole.substr(0, 500), flipped}) {
    write_file(entry, bytes);
    EXPECT_EQ(features(path), fresh);
    EXPECT_EQ(read_file(entry), whole);
  }
}

TEST_F(FeatureCacheTest, AFolderThatCannotBeWrittenIsNoError) {
  const std::string path = folder_.write("1.wav", wave(tone(440.0, 0.5)));
  const FeatureCache nowhere(path + "/below-a-file");
  EXPECT_EQ(nowhere.features(Recording{.file = path}, {}, 0, true), features(path));
}

TEST(AudioRecords, AFolderForEachClass) {
  const TemporaryFolder folder;
  folder.write("data/ann/1.wav", "");
  folder.write("data/bob/2.flac", "");
  folder.write("data/bob/notes.txt", "");
  const Dataset data = read_dataset({folder.path("data")}, {});
  ASSERT_EQ(data.size(), 2);
  EXPECT_EQ(*std::get<Recording>(data[1].content).file, folder.path("data/bob/2.flac"));
  EXPECT_EQ(std::get<Label>(data[1].answer).name, "bob");
}

TEST(AudioRecords, ATableOfPartsWithLabels) {
  const TemporaryFolder folder;
  folder.write("a.wav", "");
  for (const auto& [name, text] :
       {std::pair("t.csv", "path,start,end,label\na.wav,0.5,1.5,x\na.wav,,,y\n"),
        std::pair("t.jsonl",
                  "{\"path\": \"a.wav\", \"start\": 0.5, \"end\": \"1.5\", \"label\": \"x\"}\n"
                  "{\"path\": \"a.wav\", \"start\": null, \"label\": \"y\"}\n")}) {
    SCOPED_TRACE(name);
    const Dataset data = read_dataset({folder.write(name, text)}, {});
    ASSERT_EQ(data.size(), 2);
    EXPECT_EQ(std::get<Recording>(data[0].content).begin, 0.5);
    EXPECT_EQ(std::get<Recording>(data[0].content).end, 1.5);
    EXPECT_EQ(std::get<Recording>(data[1].content).end, 0.0);
    EXPECT_EQ(std::get<Label>(data[1].answer).name, "y");
  }
}

TEST(AudioRecords, RowsOfAFileAreSpansOfOneRecording) {
  const TemporaryFolder folder;
  folder.write("a.wav", "");
  folder.write("b.wav", "");
  const std::string path =
      folder.write("t.csv", "path,start,end,label\na.wav,0,1,x\nb.wav,2,3,x\na.wav,1.5,2.5,y\n");
  ReadOptions options;
  options.answer = AnswerKind::kTags;
  const Dataset data = read_dataset({path}, options);
  ASSERT_EQ(data.size(), 2);
  const Spans& spans = std::get<Spans>(data[0].answer);
  ASSERT_EQ(spans.spans.size(), 2u);
  EXPECT_EQ(spans.spans[1].begin, 1.5);
  EXPECT_EQ(spans.spans[1].name, "y");
}

TEST(AudioRecords, MistakesInATableHaveTheirLine) {
  const TemporaryFolder folder;
  folder.write("a.wav", "");
  const auto message = [&](const std::string& text, AnswerKind answer = AnswerKind::kLabel) {
    const std::string path = folder.write("t.csv", "path,start,end,label\n" + text);
    ReadOptions options;
    options.answer = answer;
    options.content = ContentKind::kAudio;
    const std::string said = message_of<FormatError>([&] { read_dataset({path}, options); });
    EXPECT_TRUE(said.starts_with(path + ":2: ")) << said;
    return said.substr(path.size() + 4);
  };
  EXPECT_EQ(message("a.wav,soon,2,x\n"), "start is \"soon\", expected a time in seconds");
  EXPECT_EQ(message("a.wav,-1,2,x\n"), "start is \"-1\", expected a time in seconds");
  EXPECT_EQ(message("a.wav,3,2,x\n"), "the part from 3 to 2 seconds ends before it begins");
  EXPECT_EQ(message("b.wav,1,2,x\n"), "there is no file " + folder.path("b.wav"));
  EXPECT_EQ(message("a.wav,1,,x\n", AnswerKind::kTags),
            "a span without an end; expected columns start, end and label");
}

}  // namespace
}  // namespace heed::test
