#include "heed/model/input/text_options.h"

#include "heed/model/options.h"

namespace heed {

template <class Archive>
void describe(Archive& archive, CharNgramOptions& options) {
  archive.field("buckets", options.buckets, between(0, kMostEntries));
  archive.field("shortest", options.shortest, at_least(1));
  archive.field("longest", options.longest, at_least(1));
  archive.field("lowercase", options.lowercase);
  archive.check("longest", options.longest >= options.shortest, "at least `shortest`");
}

template <class Archive>
void describe(Archive& archive, CharCnnOptions& options) {
  archive.field("filters", options.filters, between(0, kMostWidth));
  archive.field("taps", options.taps, between(1, kMostRows));
  archive.field("width", options.width, between(1, kMostWidth));
  archive.check("taps", options.taps % 2 == 1, "an odd number");
}

template <class Archive>
void describe(Archive& archive, MaskedWordOptions& options) {
  archive.field("share", options.share, part_of_one());
  archive.field("weight", options.weight, at_least(0));
  archive.field("words", options.words, between(1, kMostEntries));
}

template <class Archive>
void describe(Archive& archive, TextOptions& options) {
  archive.field("tokenizer", options.tokenizer);
  archive.field("targets", options.targets);
  archive.field("entries", options.entries, between(0, 2 * kMostEntries));
  archive.field("char_ngrams", options.char_ngrams);
  archive.field("char_cnn", options.char_cnn);
  archive.field("pairs", options.pairs);
  archive.field("truncation", options.truncation, between(0, kMostRows));
  archive.field("crop", options.crop, between(0, kMostRows));
  archive.field("tied", options.tied);
  archive.field("masked_words", options.masked_words);
  archive.field("word_dropout", options.word_dropout, part_of_one());
  archive.field("dropout", options.dropout, part_of_one());
  archive.field("first_vectors", options.first_vectors);
  archive.field("deviation", options.deviation, above(0));
  archive.field("vectors", options.vectors);
  archive.field("freeze_vectors", options.freeze_vectors);
  using Kind = TokenizerOptions::Kind;
  const bool words = options.tokenizer.kind == Kind::kWord;
  archive.check("char_ngrams", options.char_ngrams.buckets == 0 || words,
                "none (buckets 0) unless the tokenizer is \"word\"");
  archive.check("char_cnn", options.char_cnn.filters == 0 || words,
                "none (filters 0) unless the tokenizer is \"word\"");
  archive.check("vectors",
                options.vectors.empty() || words || options.tokenizer.kind == Kind::kCharacter,
                "none unless the tokenizer is \"word\" (or \"character\"): a file has vectors of "
                "words, not of subwords that are learned from the data");
  archive.check(
      "tied",
      !options.tied || (options.char_ngrams.buckets == 0 && options.char_cnn.filters == 0 &&
                        options.vectors.empty()),
      "false with char_ngrams, char_cnn or vectors: the next token is scored by one vector");
  archive.check("masked_words", !options.tied || options.masked_words.share == 0.0f,
                "none (share 0) with tied: the next token is predicted from those before it");
}

template void describe(JsonReader&, TextOptions&);
template void describe(JsonWriter&, TextOptions&);

}  // namespace heed
