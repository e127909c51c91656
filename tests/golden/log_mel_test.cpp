#include "heed/data/audio/log_mel.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/golden.h"

namespace heed::test {
namespace {

// What the logarithm of a band may be off by: a transform of 512 float numbers has an error of some
// 1e-6 of its largest bin, which counts where a band is 60 dB below that.
constexpr float kLogMelTolerance = 2e-3f;

class GoldenLogMel : public testing::TestWithParam<const char*> {
 protected:
  GoldenLogMel() : golden_("log_mel") {
    const std::string name = GetParam();
    settings_.rate = golden_.number(name + ".rate");
    settings_.window = golden_.number(name + ".window") / settings_.rate;
    settings_.hop = golden_.number(name + ".hop") / settings_.rate;
    settings_.bands = golden_.size(name + ".bands");
    samples_ = golden_.floats("input." + name);
    expected_ = golden_.floats("output." + name);
  }

  void expect(const std::vector<float>& frames) const {
    ASSERT_EQ(frames.size(), expected_.size());
    std::size_t worst = 0;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (std::abs(frames[i] - expected_[i]) > std::abs(frames[worst] - expected_[worst]))
        worst = i;
    }
    EXPECT_NEAR(frames[worst], expected_[worst], kLogMelTolerance)
        << "frame " << worst / static_cast<std::size_t>(settings_.bands) << ", band "
        << worst % static_cast<std::size_t>(settings_.bands);
  }

  Golden golden_;
  LogMelSettings settings_;
  std::span<const float> samples_, expected_;
};

TEST_P(GoldenLogMel, AgreesWithLibrosa) {
  auto sound = std::make_shared<Waveform>();
  sound->samples.assign(samples_.begin(), samples_.end());
  sound->rate = settings_.rate;
  expect(log_mel(Recording{.sound = sound}, settings_));
}

TEST_P(GoldenLogMel, BlocksOfAnySizeGiveTheSame) {
  for (const std::size_t size : {1u, 7u, 160u, 1000u}) {
    SCOPED_TRACE(size);
    LogMel mel(settings_);
    std::vector<float> frames;
    for (std::size_t at = 0; at < samples_.size(); at += size) {
      mel.push(samples_.subspan(at, std::min(size, samples_.size() - at)), frames);
    }
    mel.finish(frames);
    expect(frames);
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, GoldenLogMel, testing::Values("speech", "telephone", "wide"));

}  // namespace
}  // namespace heed::test
