#pragma once

#include <string>

#include "heed/nn/attention.h"

// What all bodies with attention in them have in common.
namespace heed {

// The options at the model's width, with positions that work inside attention.
nn::AttentionOptions attention_options(const nn::AttentionOptions& options, nn::Position position,
                                       Index width);

// Body::problem() and Body::longest() of attention and its positions.
std::string attention_problem(const nn::AttentionOptions& options, nn::Position position,
                              Index width);
Index longest_read(const nn::AttentionOptions& options, const nn::PositionOptions& position);

// "4 heads × 32, scaled-dot, rotary, 20 before, residual"
std::string attention_note(const nn::AttentionOptions& options);

}  // namespace heed
