#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/workers.h"
#include "heed/tensor/shape.h"

namespace heed {

// Latent semantic analysis (Deerwester et al. 1990): vectors of words in which those that occur in
// the same texts are alike. They take seconds, and a network that begins with them need not first
// learn which words belong together.
//
// The texts are the rows of a sparse matrix A (texts, words) of TF-IDF values, (1 + log count) ·
// idf, each row of length 1. A word's vector is its row of V √s, where U s Vᵀ is A cut off after
// the largest `width` singular values. They are found by subspace iteration from a random begin
// (Halko et al. 2011).
class LatentVectors {
 public:
  explicit LatentVectors(Index words) : words_(words) {}

  // One text more.
  void add(std::span<const std::int32_t> tokens);

  // Overwrites the rows of `vectors` (words, width) of all words that a text has: each gets the
  // length deviation · √width, that of a random vector with this deviation. The space is turned at
  // random, so that no number of a vector means more than another. The same for any number of
  // workers.
  void compute(std::span<float> vectors, Index width, float deviation, std::uint64_t seed,
               Workers& workers) const;

 private:
  Index words_;
  std::vector<Index> begins_{0};  // of the texts in the two below
  std::vector<std::int32_t> which_;
  std::vector<float> counts_;
};

}  // namespace heed
