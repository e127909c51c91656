#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace heed {

// What a linear tagger looks at in each word of a sentence: the word, those around it and pairs of
// them, its beginnings and ends, how it is written, and the same of its neighbours.
//
// A feature is a text, such as "w0 the" or "w-1 w0 of|the". Words are in lower case with all digits
// 0, except where capitals and digits are the feature. Calls take(row, feature), rows in order; the
// feature is valid during the call.
using TakeFeature = std::function<void(std::size_t row, std::string_view feature)>;
void each_word_feature(std::span<const std::string> words, const TakeFeature& take);

}  // namespace heed
