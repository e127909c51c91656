#pragma once

#include <span>
#include <string>

#include "heed/data/text/vocabulary.h"
#include "heed/tensor/shape.h"

namespace heed {

// Vectors of words that were trained elsewhere, as word2vec (text), GloVe and fastText (.vec) write
// them, plain or .gz: in each line a word and its numbers with spaces between; perhaps a first line
// with the number of words and of numbers. A word itself may hold spaces, as some of GloVe's do.

// The width of the vectors in a file: how many numbers follow each word.
Index vectors_width(const std::string& path);

// Writes the vectors of those words of `vocabulary` that the file has into their rows of `table`,
// (vocabulary size, width); the other rows, the unknown word's too, stay as they are. Gives the
// number of rows written. Of a word that the file has twice, the first counts.
//
// Every line is checked: one that is not as above is a FormatError with the file and the line, as
// is a file of another width. `table` is then partly written.
Index read_vectors(const std::string& path, const Vocabulary& vocabulary, Index width,
                   std::span<float> table);

}  // namespace heed
