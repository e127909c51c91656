#pragma once

#include <chrono>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>

namespace heed {

// Where some work stands, in whatever it is counted (steps, seconds, bytes).
struct ProgressState {
  double first = 0.0;  // where this run began: not 0 when it resumed
  double done = 0.0;
  double total = 0.0;
  double seconds = 0.0;  // since `first`
  // Seconds, from whoever knows better than the pace so far; NaN: nobody does.
  double left = std::numeric_limits<double>::quiet_NaN();
  std::string text{};  // the caller's: loss, rate, best score
};

// "0:07", "12:34", "1:02:03", "2 d 3 h"; nothing for what is no duration.
std::string duration_text(double seconds);

// Seconds until the work is done: those that were said, or at the pace so far; NaN while there is
// no pace to go by.
double seconds_left(const ProgressState& state);

// One line of at most `width` columns: percent, bar, text, time left. The bar takes the room that
// the text leaves, up to 40 columns, and goes when there are not 10; then the text is cut.
std::string progress_line(const ProgressState& state, std::size_t width, bool colour);

struct ProgressOptions {
  int descriptor = 2;           // standard error
  double first = 0.0;           // how much was already done when this run began
  double redraw_seconds = 0.1;  // at least this between two redraws
};

// Shows progress on standard error. A terminal has one line, redrawn in place (in colour unless
// NO_COLOR is set); anything else (a file, a pipe, TERM=dumb) gets what is logged and no progress.
// May be called from several threads.
class Progress {
 public:
  explicit Progress(double total, const ProgressOptions& options = {});
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap when it is not yet time to draw. `left`: see ProgressState.
  void update(double done, std::string_view text,
              double left = std::numeric_limits<double>::quiet_NaN());

  // Prints a line above the bar.
  void log(std::string_view line);

  // Wipes the bar, so that what follows begins on a clean line. The destructor does it too.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void draw();
  void write(std::string_view bytes);
  std::size_t width() const;

  std::mutex mutex_;
  ProgressOptions options_;
  ProgressState state_;
  bool terminal_ = false;
  bool colour_ = false;
  bool drawn_ = false;  // there is a bar on the line of the cursor
  Clock::time_point start_;
  Clock::time_point next_;  // draw no earlier
};

}  // namespace heed
