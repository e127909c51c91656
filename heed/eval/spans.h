#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/eval/bootstrap.h"
#include "heed/eval/score.h"

namespace heed {

// What tags say about spans: "B-PER" begins, "I-PER" goes on, "E-PER" ends a span of type PER,
// "S-PER" is one of a single token, "O" is outside of any. IOB1, IOB2 (BIO), IOBES (BIOES) and
// BILOU (L ends, U is single) are all read by the same rules, those of conlleval:
//
//   a span goes on with I or E of its own type; anything else closes it;
//   E and S close the span that they are in;
//   I or E where no span of that type is open begins one.
//
// A tag without a type ("B") is of type "_".
class TagScheme {
 public:
  static constexpr std::int32_t kOutside = -1;

  struct Tag {
    char part = 'O';               // one of B I E S O
    std::int32_t type = kOutside;  // index into types()
  };

  explicit TagScheme(std::span<const std::string> names);

  // Whether these tags mark spans at all: each is "O" or has one of the prefixes, and there is a
  // "B-" or an "I-". Parts of speech do not.
  bool has_spans() const { return has_spans_; }
  const std::vector<std::string>& types() const { return types_; }  // sorted by name
  Tag operator[](std::int32_t tag) const { return tags_[static_cast<std::size_t>(tag)]; }
  std::int32_t tags() const { return static_cast<std::int32_t>(tags_.size()); }

 private:
  std::vector<Tag> tags_;
  std::vector<std::string> types_;
  bool has_spans_ = false;
};

// Tokens begin … end − 1 of a sentence.
struct TagSpan {
  std::int32_t type = 0;
  Index begin = 0;
  Index end = 0;
  bool operator==(const TagSpan&) const = default;
};

// The spans that the tags of one sentence mark, in order.
std::vector<TagSpan> spans_of(const TagScheme& scheme, std::span<const std::int32_t> tags);

// How well tokens were tagged, and spans found. A span counts when its type, beginning and end are
// all right; micro averages over all spans, as seqeval does. Without spans in the scheme the parts
// about spans are empty.
struct Tagging {
  Index sentences = 0;
  Index tokens = 0;
  Measure token_accuracy;
  bool has_spans = false;
  std::vector<std::string> types;  // of those that occur in truth or prediction, by name
  std::vector<ClassScore> scores;  // (types)
  ClassScore all;
  Measure micro_f1;
};

using TagSentences = std::span<const std::vector<std::int32_t>>;

// A predicted kNoAnswer is never right, and outside of any span. Intervals are over sentences:
// tokens of one sentence are not independent.
Tagging score_tags(const TagScheme& scheme, TagSentences truth, TagSentences predicted,
                   const BootstrapOptions& options = {});

}  // namespace heed
