#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "heed/data/record.h"

namespace heed {

// Whether training data had a word; empty: nothing is known of it.
using KnowsWord = std::function<bool(std::string_view)>;

// The words of a raw text, with their places in it, for a model that tags words.
//
//   - White space parts words. Marks at the ends of what is left stand apart (Berlin, → Berlin
//     and ,), a run of the same mark as one (...). Brackets, quotes, dashes and ; ! ? … stand apart
//     wherever they are, , and : unless digits are on both sides. Every Han ideograph and every
//     other symbol is a word.
//   - Inside a word stay - ' . / & @ _ and the like: well-known, don't, 3.5, U.S., a@b.org,
//     http://a.org/?b=c.
//   - Where the training data says otherwise, it is followed: Mr. stays whole if it had that word;
//     don't becomes do and n't, Ann's becomes Ann and 's, l'eau becomes l' and eau if it had n't,
//     's or l' and not the whole; well-known becomes three words if it had these three alone.
Sentence split_words(std::string text, const KnowsWord& knows = {});

// The words between spaces and tabs, as they are.
Sentence split_at_spaces(std::string text);

}  // namespace heed
