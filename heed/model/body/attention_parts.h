#pragma once

#include <optional>
#include <string>

#include "heed/nn/attention.h"

// What all bodies with attention in them have in common.
namespace heed {

// Truncated attention where rows are stretches of time: the most seconds before and after a row
// that it attends to, in place of the mask's rows.
struct SecondsOptions {
  std::optional<double> before, after;
};
template <class Archive>
void describe(Archive& archive, SecondsOptions& options);

// What a body with attention is given besides its own options.
struct AttentionSetting {
  Index width = 0;           // of the model
  double row_seconds = 0.0;  // that a row stands for; 0: rows are not time
};

// The options at the model's width, with positions that work inside attention, and with a window in
// rows for one in seconds.
nn::AttentionOptions attention_options(const nn::AttentionOptions& options, nn::Position position,
                                       const SecondsOptions& seconds,
                                       const AttentionSetting& setting);

// Body::timeless_problem() of such a window.
std::string seconds_problem(const SecondsOptions& seconds);

// Body::problem() and Body::longest() of attention and its positions.
std::string attention_problem(const nn::AttentionOptions& options, nn::Position position,
                              Index width);
Index longest_read(const nn::AttentionOptions& options, const nn::PositionOptions& position);

// "4 heads × 32, scaled-dot, rotary, 20 before, residual"
std::string attention_note(const nn::AttentionOptions& options);

}  // namespace heed
