#include "heed/base/progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "heed/base/display.h"

namespace heed {
namespace {

TEST(Progress, Durations) {
  EXPECT_EQ(duration_text(0.0), "0:00");
  EXPECT_EQ(duration_text(7.4), "0:07");
  EXPECT_EQ(duration_text(59.6), "1:00");
  EXPECT_EQ(duration_text(754.0), "12:34");
  EXPECT_EQ(duration_text(3723.0), "1:02:03");
  EXPECT_EQ(duration_text(2 * 86400.0 + 3 * 3600.0), "2 d 3 h");
  EXPECT_EQ(duration_text(-1.0), "");
  EXPECT_EQ(duration_text(std::nan("")), "");
  EXPECT_EQ(duration_text(INFINITY), "");
}

TEST(Progress, TimeLeftGoesByThePaceOfThisRun) {
  EXPECT_DOUBLE_EQ(seconds_left({.done = 25, .total = 100, .seconds = 10}), 30.0);
  // Resumed at 50: the 10 seconds brought 25, not 75.
  EXPECT_DOUBLE_EQ(seconds_left({.first = 50, .done = 75, .total = 100, .seconds = 10}), 10.0);
  EXPECT_DOUBLE_EQ(seconds_left({.done = 120, .total = 100, .seconds = 10}), 0.0);
  EXPECT_TRUE(std::isnan(seconds_left({.done = 0, .total = 100, .seconds = 10})));
  EXPECT_TRUE(std::isnan(seconds_left({.done = 5, .total = 0, .seconds = 10})));
}

TEST(Progress, LineHasPercentBarTextAndTime) {
  const ProgressState state{.done = 25, .total = 100, .seconds = 10, .text = "loss 1.25"};
  EXPECT_EQ(progress_line(state, 42, false), " 25 %  ━━━──────────  loss 1.25  0:30 left");
  // No room for a bar of 10; then none for the text.
  EXPECT_EQ(progress_line(state, 38, false), " 25 %  loss 1.25  0:30 left");
  EXPECT_EQ(progress_line(state, 23, false), " 25 %  loss…  0:30 left");
  EXPECT_EQ(progress_line(state, 6, false), " 25 %");
  EXPECT_EQ(progress_line({.done = 1, .total = 4, .seconds = 10, .left = 90}, 20, false),
            " 25 %  1:30 left");
  EXPECT_EQ(progress_line({.first = 99.9, .done = 99.9, .total = 100}, 20, false),
            " 99 %  ━━━━━━━━━━━━─");
  EXPECT_EQ(progress_line({.first = 100, .done = 100, .total = 100}, 20, false),
            "100 %  ━━━━━━━━━━━━━");
}

TEST(Progress, LineNeverExceedsItsWidth) {
  for (std::size_t width = 0; width < 120; ++width) {
    for (const char* text : {"", "loss 1.25", "日本語 日本語 日本語 日本語", "two\nlines\x1b[1m"}) {
      const ProgressState state{.done = 40, .total = 90, .seconds = 5000, .text = text};
      EXPECT_LE(columns(progress_line(state, width, false)), width) << text;
      EXPECT_EQ(progress_line(state, width, false).find('\x1b'), std::string::npos);
    }
  }
}

TEST(Progress, ColourAddsOnlyColour) {
  const ProgressState state{.done = 40, .total = 90, .seconds = 50, .text = "loss 1.25"};
  std::string coloured = progress_line(state, 80, true);
  EXPECT_NE(coloured.find("\x1b[36m"), std::string::npos);
  for (const std::string escape : {"\x1b[36m", "\x1b[2m", "\x1b[0m"}) {
    for (std::size_t at; (at = coloured.find(escape)) != std::string::npos;) {
      coloured.erase(at, escape.size());
    }
  }
  EXPECT_EQ(columns(coloured), columns(progress_line(state, 80, false)));
}

// What stands in a pipe or on the other side of a terminal, without waiting for more.
std::string all_from(int descriptor) {
  fcntl(descriptor, F_SETFL, O_NONBLOCK);
  std::string bytes;
  char buffer[4096];
  for (ssize_t got; (got = read(descriptor, buffer, sizeof buffer)) > 0;) {
    bytes.append(buffer, static_cast<std::size_t>(got));
  }
  return bytes;
}

TEST(Progress, AFileGetsWhatIsLoggedAndNothingElse) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    Progress progress(10, {.descriptor = ends[1], .redraw_seconds = 0});
    progress.update(1, "loss 2");
    progress.log("epoch 1");
    progress.update(10, "loss 1");
  }
  EXPECT_EQ(all_from(ends[0]), "epoch 1\n");
  close(ends[0]);
  close(ends[1]);
}

class Terminal : public testing::Test {
 protected:
  void SetUp() override {
    setenv("TERM", "xterm", 1);
    setenv("NO_COLOR", "1", 1);
    outside_ = posix_openpt(O_RDWR | O_NOCTTY);
    if (outside_ < 0 || grantpt(outside_) != 0 || unlockpt(outside_) != 0) {
      GTEST_FAIL() << "no pseudo-terminal";
    }
    inside_ = open(ptsname(outside_), O_RDWR | O_NOCTTY);
    const winsize size{24, 30, 0, 0};
    ASSERT_EQ(ioctl(inside_, TIOCSWINSZ, &size), 0);
  }
  void TearDown() override {
    close(inside_);
    close(outside_);
    unsetenv("NO_COLOR");
  }

  int outside_ = -1, inside_ = -1;
};

TEST_F(Terminal, HasOneLineThatIsRedrawnBelowWhatIsLogged) {
  {
    Progress progress(4, {.descriptor = inside_, .redraw_seconds = 0});
    progress.update(0, "loss 2");
    progress.log("epoch 1");
  }
  const std::string bar = "\r  0 %  ──────────────  loss 2\x1b[K";
  EXPECT_EQ(all_from(outside_), bar + "\r\x1b[Kepoch 1\r\n" + bar + "\r\x1b[K");
}

TEST_F(Terminal, IsNotRedrawnMoreOftenThanAskedFor) {
  Progress progress(1000, {.descriptor = inside_, .redraw_seconds = 3600});
  for (int i = 0; i < 1000; ++i) progress.update(i, "x");
  const std::string shown = all_from(outside_);
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '\r'), 1);
}

TEST_F(Terminal, HasColourUnlessNoColorIsSetAndNoBarWhenDumb) {
  unsetenv("NO_COLOR");
  { Progress(4, {.descriptor = inside_, .first = 2}).update(2, "x"); }
  EXPECT_NE(all_from(outside_).find("\x1b[36m"), std::string::npos);
  setenv("TERM", "dumb", 1);
  { Progress(4, {.descriptor = inside_}).update(2, "x"); }
  EXPECT_EQ(all_from(outside_), "");
}

}  // namespace
}  // namespace heed
