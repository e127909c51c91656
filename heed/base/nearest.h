#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heed {

// The known word that somebody probably meant: the one with the fewest letters to insert, leave
// out, replace or swap with their neighbour, large and small letters being the same. Empty when
// none is near: when more than a third of the letters (or, of short words, more than one) differ.
//
//   nearest("epoch", {"epochs", "seed"})  →  "epochs"
std::string nearest(std::string_view word, std::span<const std::string> known);

// The end of a message about an unknown word: with the nearest known one, or nothing.
//
//   did_you_mean("epoch", {"epochs", "seed"}, "--")  →  "; did you mean --epochs?"
std::string did_you_mean(std::string_view word, std::span<const std::string> known,
                         std::string_view before = "", std::string_view after = "");

}  // namespace heed
