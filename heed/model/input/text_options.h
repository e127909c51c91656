#pragma once

#include <string>

#include "heed/data/text/tokenizer.h"
#include "heed/model/options.h"

namespace heed {

// Character n-grams of each word, its ends marked, hashed into `buckets` vectors whose mean is
// added to the word's own (fastText's subwords). They tell what an unknown word looks like.
struct CharNgramOptions {
  Index buckets = 0;  // 0: none
  Index shortest = 2, longest = 5;
  bool lowercase = false;  // of words that are given as words: as if they had no capitals
};

// A convolution over the characters of each word, max-pooled, added to the word's vector. It learns
// endings and beginnings, for which n-grams are too coarse.
struct CharCnnOptions {
  Index filters = 0;  // 0: none
  Index taps = 3;     // characters that a filter sees
  Index width = 32;   // of a character's vector
};

// Masked words (Devlin et al. 2019): in training some words are hidden, with their characters, and
// a softmax over the body's vectors predicts which they were, beside the answers. The body learns
// more of the language than the answers alone would teach it (Rei 2017).
struct MaskedWordOptions {
  float share = 0.0f;   // of all words; 0: none is masked
  float weight = 1.0f;  // of the loss of a masked word, that of an answer being 1
  Index words = 3000;   // the most frequent, which are predicted; others are only hidden
};

// What the vectors of words are before training.
enum class FirstVectors {
  kRandom,
  kLsa,  // by the texts that words occur in (latent_vectors.h)
};
template <>
struct Names<FirstVectors> {
  static constexpr Name<FirstVectors> kTable[] = {{FirstVectors::kRandom, "random"},
                                                  {FirstVectors::kLsa, "lsa"}};
};

struct TextOptions {
  TokenizerOptions tokenizer{};
  bool targets = false;  // the tokenizer learns from texts that are to be written, too
  CharNgramOptions char_ngrams{};
  CharCnnOptions char_cnn{};
  Index entries = 0;       // of the tokenizer, once it is trained
  bool pairs = false;      // each example is two texts; found out from the data
  Index truncation = 512;  // tokens of a text that are read; 0: all
  Index crop = 0;          // tokens of a random part that is learned from; 0: all that is read
  // For language models: texts begin with a row of their own, and the table of vectors, which has
  // one more entry for it, also scores the next token.
  bool tied = false;
  MaskedWordOptions masked_words{};
  float word_dropout = 0.0f;  // the chance that a word is replaced by the unknown one in training
  float dropout = 0.1f;       // on the vectors
  FirstVectors first_vectors = FirstVectors::kRandom;
  float deviation = 0.1f;  // standard deviation of the vectors at the beginning
  std::string vectors;     // a file of pre-trained vectors, used when training begins
  bool freeze_vectors = false;
};

template <class Archive>
void describe(Archive& archive, TextOptions& options);

}  // namespace heed
