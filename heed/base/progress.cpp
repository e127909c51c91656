#include "heed/base/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "heed/base/display.h"

namespace heed {
namespace {

constexpr std::size_t kShortestBar = 10, kLongestBar = 40;
constexpr std::string_view kWipe = "\r\x1b[K";

double share_done(const ProgressState& state) {
  if (!(state.total > 0.0)) return 0.0;
  return std::clamp(state.done / state.total, 0.0, 1.0);
}

// 100 % is kept for what is done.
std::string percent_text(const ProgressState& state) {
  return fmt::format("{:>3.0f} %", std::floor(100.0 * share_done(state)));
}

std::string left_text(const ProgressState& state) {
  const std::string left = duration_text(seconds_left(state));
  return left.empty() ? "" : left + " left";
}

std::string bar(double share, std::size_t length, bool colour) {
  const auto full = static_cast<std::size_t>(share * static_cast<double>(length));
  std::string text = colour ? "\x1b[36m" : "";
  for (std::size_t i = 0; i < full; ++i) text += "━";
  if (colour) text += "\x1b[0m\x1b[2m";
  for (std::size_t i = full; i < length; ++i) text += colour ? "━" : "─";
  return text + (colour ? "\x1b[0m" : "");
}

std::string joined(std::string_view front, std::string_view part) {
  return std::string(front) + (front.empty() || part.empty() ? "" : "  ") + std::string(part);
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

std::string duration_text(double seconds) {
  if (!(seconds >= 0.0) || seconds > 1e10) return "";
  const auto whole = static_cast<long long>(seconds + 0.5);
  const long long days = whole / 86400, hours = whole / 3600 % 24, minutes = whole / 60 % 60;
  if (days > 0) return fmt::format("{} d {} h", days, hours);
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
  return fmt::format("{}:{:02}", minutes, whole % 60);
}

double seconds_left(const ProgressState& state) {
  if (!std::isnan(state.left)) return state.left;
  const double covered = state.done - state.first;
  if (!(covered > 0.0) || !(state.total > 0.0)) return std::numeric_limits<double>::quiet_NaN();
  return std::max(0.0, state.total - state.done) * state.seconds / covered;
}

std::string progress_line(const ProgressState& state, std::size_t width, bool colour) {
  const std::string percent = percent_text(state);
  const std::string left = left_text(state);
  const std::size_t fixed = columns(percent) + (left.empty() ? 0 : columns(left) + 2);
  if (width < fixed) return shorten(percent, width);
  const std::size_t room = width - fixed;  // for the text and the bar, each with two spaces before
  std::string text = shorten(state.text, room < 2 ? 0 : room - 2);
  const std::size_t text_columns = text.empty() ? 0 : columns(text) + 2;
  std::string front = percent;
  if (room >= text_columns + 2 + kShortestBar) {
    const std::size_t length = std::min(kLongestBar, room - text_columns - 2);
    front += "  " + bar(share_done(state), length, colour);
  }
  return joined(joined(front, text), left);
}

Progress::Progress(double total, const ProgressOptions& options) : options_(options) {
  state_.first = state_.done = options.first;
  state_.total = total;
  const char* kind = std::getenv("TERM");
  const bool dumb = kind != nullptr && std::string_view(kind) == "dumb";
  terminal_ = isatty(options.descriptor) == 1 && !dumb;
  colour_ = terminal_ && !is_set("NO_COLOR");
  start_ = Clock::now();
  next_ = start_;
}

Progress::~Progress() { finish(); }

void Progress::update(double done, std::string_view text, double left) {
  const std::lock_guard lock(mutex_);
  state_.done = done;
  state_.left = left;
  const Clock::time_point now = Clock::now();
  if (now < next_) {
    if (state_.text != text) state_.text = text;
    return;
  }
  state_.text = text;
  next_ = now + std::chrono::duration_cast<Clock::duration>(
                    std::chrono::duration<double>(options_.redraw_seconds));
  draw();
}

void Progress::log(std::string_view line) {
  const std::lock_guard lock(mutex_);
  const bool redraw = drawn_;
  std::string bytes(drawn_ ? kWipe : "");
  bytes += line;
  write(bytes + "\n");
  drawn_ = false;
  if (redraw) draw();
}

void Progress::finish() {
  const std::lock_guard lock(mutex_);
  if (drawn_) write(kWipe);
  drawn_ = false;
}

void Progress::draw() {
  if (!terminal_) return;
  state_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  // The last column stays free: writing to it makes some terminals begin a new line.
  write(fmt::format("\r{}\x1b[K", progress_line(state_, width() - 1, colour_)));
  drawn_ = true;
}

// Progress that cannot be shown is no reason to stop the work.
void Progress::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(options_.descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Asked anew each time: windows change their size.
std::size_t Progress::width() const {
  winsize size{};
  if (ioctl(options_.descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace heed
