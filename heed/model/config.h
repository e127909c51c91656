#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/data/text/read_options.h"
#include "heed/data/text/tokenizer.h"
#include "heed/nn/encoder.h"
#include "heed/nn/pooling.h"
#include "heed/nn/recurrent.h"

namespace heed {

// Everything needed to rebuild a model: config.json in its folder. Three independent choices, and
// the answers that it gives.

enum class InputKind { kText };
enum class BodyKind { kAttention, kBag, kWindow, kRecurrent };
enum class OutputKind { kLabel, kTags };

// Words by their letters: each word also brings the pieces of a few letters that it is made of, its
// ends marked, hashed into `buckets` vectors whose mean is added to the word's own. Tells what an
// unknown word looks like.
struct LetterOptions {
  Index buckets = 0;  // 0: none
  Index shortest = 2, longest = 5;
};

// Words by their letters in order: a convolution over each word, the strongest answer of each of
// its filters. It learns endings and beginnings that pieces are too coarse for.
struct SpellingOptions {
  Index filters = 0;  // 0: none
  Index taps = 3;     // letters that a filter sees
  Index width = 32;   // of a letter's vector
};

// What of a text speaks for a label by itself, beside the body: see clues.h.
//   - words: each token and pair of words
//   - letters: also each piece of a few letters, as LetterOptions cuts them
enum class ClueKind { kNone, kWords, kLetters };

struct ClueOptions {
  ClueKind kind = ClueKind::kNone;
  Index entries = 0;     // of all kinds, once the tokenizer is trained
  float scale = 1.0f;    // the length of a text's weights
  float counted = 0.0f;  // how loudly counts speak at first, see counted_clues.h; 0: not at all
  float dropout = 0.0f;  // the chance that a clue is left out in training
};

// What happens to a text that has more than `longest` tokens.
//   - cut: the rest is not read
//   - segments: it is read in pieces of so many, see BodyOptions::memory
enum class Beyond { kCut, kSegments };

struct TextInputOptions {
  TokenizerOptions tokenizer{};
  LetterOptions letters{};
  SpellingOptions spelling{};
  ClueOptions clues{};
  Index entries = 0;    // of the tokenizer without pairs, once it is trained
  Index longest = 512;  // tokens of a text that are read at a time
  Beyond beyond = Beyond::kCut;
  float word_dropout = 0.0f;  // the chance that a word is replaced by the unknown one in training
  float dropout = 0.1f;       // on the vectors
  float deviation = 0.1f;     // of the vectors at the beginning
  std::string vectors;        // a file of pre-trained vectors, used when training begins
  bool freeze_vectors = false;
};

struct WindowOptions {
  Index neighbours = 2;  // that a vector is seen with, on each side
  Index hidden = 256;
};

struct BodyOptions {
  BodyKind kind = BodyKind::kAttention;
  std::vector<BodyKind> others;    // of the members after the first; empty: the same
  nn::PositionOptions position{};  // its width is the model's
  nn::EncoderOptions encoder{};    // attention
  std::optional<Index> memory;     // states of the pieces before that a piece sees; none: `longest`
  WindowOptions window{};
  nn::RecurrentOptions recurrent{};  // its width is the model's
};

struct OutputOptions {
  OutputKind kind = OutputKind::kLabel;
  std::vector<std::string> names;  // of the classes or tags
  nn::Pool pooling = nn::Pool::kMean;
  float dropout = 0.1f;              // before the last layer
  float smoothing = 0.0f;            // of the labels
  std::vector<float> class_weights;  // empty: 1 each
  bool crf = false;                  // tags that know their neighbours
};

struct Config {
  InputKind input = InputKind::kText;
  Index width = 128;
  Index members = 1;  // networks that learn side by side and answer together
  TextInputOptions text{};
  BodyOptions body{};
  OutputOptions output{};
  KnownColumns columns{};  // of the files that it was trained on
  std::uint64_t seed = 1;
};

// One of the members by itself.
Config member_config(const Config& config, Index member);

}  // namespace heed
