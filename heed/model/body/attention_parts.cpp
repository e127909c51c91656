#include "heed/model/body/attention_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "heed/model/options.h"

namespace heed {

template <class Archive>
void describe(Archive& archive, SecondsOptions& options) {
  archive.field("before", options.before, between(0, 1e6));
  archive.field("after", options.after, between(0, 1e6));
}

template void describe(JsonReader&, SecondsOptions&);
template void describe(JsonWriter&, SecondsOptions&);

nn::AttentionOptions attention_options(const nn::AttentionOptions& options, nn::Position position,
                                       const SecondsOptions& seconds,
                                       const AttentionSetting& setting) {
  nn::AttentionOptions result = options;
  result.width = setting.width;
  const auto set_rows = [&](const std::optional<double>& time, std::optional<Index>& rows) {
    if (!time) return;
    if (setting.row_seconds <= 0.0) throw UsageError("body." + seconds_problem(seconds));
    rows = std::llround(*time / setting.row_seconds);
  };
  set_rows(seconds.before, result.mask.before);
  set_rows(seconds.after, result.mask.after);
  if (position != nn::Position::kNone && !nn::added_to_input(position)) result.position = position;
  return result;
}

std::string seconds_problem(const SecondsOptions& seconds) {
  const std::optional<double>& first = seconds.before ? seconds.before : seconds.after;
  if (!first) return {};
  return fmt::format(
      "seconds.{} {:g}: rows of this input are not time, expected null; attention.mask has a "
      "window in rows",
      seconds.before ? "before" : "after", *first);
}

std::string attention_problem(const nn::AttentionOptions& options, nn::Position position,
                              Index width) {
  if (width % options.heads != 0) {
    return fmt::format("attention.heads {}: expected a divisor of the width {}", options.heads,
                       width);
  }
  const bool rotary =
      position == nn::Position::kRotary || options.position == nn::Position::kRotary;
  if (rotary && width / options.heads % 2 != 0) {
    return fmt::format(
        "position.kind rotary: {} heads of width {} in all have an odd depth of {}; choose another "
        "number of heads, or other positions",
        options.heads, width, width / options.heads);
  }
  return {};
}

Index longest_read(const nn::AttentionOptions& options, const nn::PositionOptions& position) {
  constexpr Index kAny = std::numeric_limits<Index>::max();
  Index longest = nn::added_to_input(position.kind) ? position.longest : kAny;
  if (nn::is_limited(options)) longest = std::min(longest, options.longest);
  return longest == kAny ? 0 : longest;
}

std::string attention_note(const nn::AttentionOptions& options) {
  std::string note = fmt::format("{} head{} × {}, {}", options.heads, options.heads == 1 ? "" : "s",
                                 options.width / options.heads, name_of(options.score));
  const auto add = [&](std::string_view part) { note += fmt::format(", {}", part); };
  if (options.position != nn::Position::kNone) add(name_of(options.position));
  const nn::Mask& mask = options.mask;
  if (mask.causal) add("causal");
  if (mask.before) add(fmt::format("{} before", *mask.before));
  if (mask.after && !mask.causal) add(fmt::format("{} after", *mask.after));
  if (mask.not_self) add("not itself");
  if (!options.windows.empty()) {
    std::vector<std::string> windows;
    for (const Index window : nn::head_windows(options)) {
      const bool any = window == kernel::AttentionMask::kUnlimited;
      windows.push_back(any ? "all" : fmt::to_string(window));
    }
    add(fmt::format("windows {}", fmt::join(windows, " ")));
  }
  if (options.memory_slots > 0) add(fmt::format("{} slots", options.memory_slots));
  if (options.join == nn::HeadJoin::kAverage) add("heads averaged");
  add("residual");
  return note;
}

}  // namespace heed
