#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/decode/sample.h"
#include "heed/model/output.h"

namespace heed {

inline constexpr Index kMostHypotheses = 1000;  // of a beam, and so of the texts of one record

// How sequences are searched for, when a model answers.
struct SequenceSearch {
  Index beam = 5;               // hypotheses that are followed at a time; 1: greedy
  float length_penalty = 0.7f;  // see decode::BeamOptions
  Index longest = 256;          // the most tokens that are written
  // At most so many tokens for each row of the input, and 20 more; 0: `longest` alone counts.
  float ratio = 3.0f;
  // Above 0 tokens are drawn, not searched for: see decode::SampleOptions.
  float temperature = 0.0f;
  Index top_k = 0;
  float top_p = 1.0f;
  std::uint64_t seed = 1;
};

template <class Archive>
void describe(Archive& archive, SequenceSearch& search);

// What a search needs besides its options.
struct SearchRequest {
  decode::SearchOptions asked;
  Index top = 1;                            // how many results; kQuickly: one, greedily
  std::vector<std::uint64_t> streams = {};  // see decode::SampleOptions
  TokenWritten written = {};                // see below; may be empty
};

// Searches for sequences, or draws them: then there is one result each, whatever `top` is. Tokens
// are told of (`written`) as soon as they are certain: at once where they are drawn or the beam is
// 1, else when no hypothesis has another one there.
decode::Hypotheses search_for(decode::Steps& steps, const SequenceSearch& search,
                              SearchRequest request);

// The texts of one record, best first, as JSON: `text` and `score` of the best one, and all of them
// in `answers` where there are several.
void write_texts(const JsonPlace& place, std::span<const Written> texts,
                 const std::function<std::string(const Written&)>& text_of);

// The name of the file that a record is the whole of, such as a recording; else nothing.
std::string whole_file(const Record& record);

// A text as one line of an answer: what would break it, or look like the next column, shows as a
// space.
std::string in_a_line(std::string text);

}  // namespace heed
