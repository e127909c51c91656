#include "heed/model/input/latent_vectors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "heed/base/random.h"

namespace heed {
namespace {

constexpr float kDeviation = 0.1f;

using Texts = std::vector<std::vector<std::int32_t>>;

std::vector<float> vectors_of(const Texts& texts, Index words, Index width, int workers = 1,
                              std::uint64_t seed = 3) {
  LatentVectors latent(words);
  for (const auto& text : texts) latent.add(text);
  std::vector<float> vectors(static_cast<std::size_t>(words * width), 7.0f);
  Workers team(workers);
  latent.compute(vectors, width, kDeviation, seed, team);
  return vectors;
}

double dot(const std::vector<float>& vectors, Index width, Index i, Index j) {
  return std::inner_product(vectors.begin() + i * width, vectors.begin() + (i + 1) * width,
                            vectors.begin() + j * width, 0.0);
}

double cosine(const std::vector<float>& vectors, Index width, Index i, Index j) {
  return dot(vectors, width, i, j) /
         std::sqrt(dot(vectors, width, i, i) * dot(vectors, width, j, j));
}

using Square = std::vector<std::vector<double>>;

Square identity(std::size_t n) {
  Square m(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) m[i][i] = 1.0;
  return m;
}

// By Gauss–Jordan, of a matrix that needs no pivots: a positive definite one.
Square inverse(Square m) {
  const std::size_t n = m.size();
  Square result = identity(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double pivot = m[i][i];
    for (std::size_t k = 0; k < n; ++k) m[i][k] /= pivot, result[i][k] /= pivot;
    for (std::size_t j = 0; j < n; ++j) {
      const double factor = m[j][i];
      if (j == i) continue;
      for (std::size_t k = 0; k < n; ++k) {
        m[j][k] -= factor * m[i][k];
        result[j][k] -= factor * result[i][k];
      }
    }
  }
  return result;
}

// The square root of a positive definite matrix (Denman and Beavers 1976).
Square root_of(Square y) {
  const std::size_t n = y.size();
  Square z = identity(n);
  for (int step = 0; step < 40; ++step) {
    const Square inverse_y = inverse(y), inverse_z = inverse(z);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        y[i][j] = (y[i][j] + inverse_z[i][j]) / 2.0;
        z[i][j] = (z[i][j] + inverse_y[i][j]) / 2.0;
      }
    }
  }
  return y;
}

// TF-IDF of the texts, written once more: AᵀA.
Square products_of(const Texts& texts, std::size_t words) {
  std::vector<double> have(words, 0.0);
  std::vector<std::vector<double>> a;
  for (const auto& text : texts) {
    std::vector<double> counts(words, 0.0);
    for (const std::int32_t word : text) ++counts[static_cast<std::size_t>(word)];
    for (std::size_t w = 0; w < words; ++w) have[w] += counts[w] > 0.0 ? 1.0 : 0.0;
    a.push_back(counts);
  }
  for (auto& row : a) {
    double squares = 0.0;
    for (std::size_t w = 0; w < words; ++w) {
      if (row[w] == 0.0) continue;
      const auto all = static_cast<double>(texts.size());
      row[w] = (1.0 + std::log(row[w])) * (1.0 + std::log((1.0 + all) / (1.0 + have[w])));
      squares += row[w] * row[w];
    }
    for (double& value : row) value /= std::sqrt(squares);
  }
  Square m(words, std::vector<double>(words, 0.0));
  for (const auto& row : a) {
    for (std::size_t i = 0; i < words; ++i) {
      for (std::size_t j = 0; j < words; ++j) m[i][j] += row[i] * row[j];
    }
  }
  return m;
}

Texts random_texts(Index count, Index words) {
  Texts texts(static_cast<std::size_t>(count));
  Random random(11);
  for (auto& text : texts) {
    for (int i = 0; i < 6; ++i) {
      text.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(words))));
    }
  }
  return texts;
}

TEST(LatentVectors, CosinesAreThoseOfTheSquareRootOfAllProducts) {
  constexpr Index kWords = 12, kWidth = 16;
  const Texts texts = random_texts(60, kWords);
  const Square root = root_of(products_of(texts, kWords));
  const std::vector<float> vectors = vectors_of(texts, kWords, kWidth);
  for (Index i = 0; i < kWords; ++i) {
    for (Index j = 0; j < kWords; ++j) {
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      const double expected = root[a][b] / std::sqrt(root[a][a] * root[b][b]);
      EXPECT_NEAR(cosine(vectors, kWidth, i, j), expected, 1e-4) << i << ' ' << j;
    }
  }
}

// Two topics; each text has four words of five of one of them.
Texts texts_of_two_topics() {
  Texts texts;
  for (int text = 0; text < 40; ++text) {
    const int first = text % 2 == 0 ? 0 : 5;
    texts.emplace_back();
    for (int i = 0; i < 4; ++i) texts.back().push_back(first + (text / 2 + i) % 5);
  }
  return texts;
}

// With any seed: a few random turns of the space in a thousand are nearly singular, and would put
// both topics on one line.
TEST(LatentVectors, FewDimensionsKeepWordsOfTheSameTextsTogether) {
  const Texts texts = texts_of_two_topics();
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const std::vector<float> vectors = vectors_of(texts, 10, 2, 1, seed);
    for (Index i = 0; i < 10; ++i) {
      for (Index j = 0; j < 10; ++j) {
        ASSERT_NEAR(cosine(vectors, 2, i, j), i / 5 == j / 5 ? 1.0 : 0.0, 1e-3)
            << i << ' ' << j << ", seed " << seed;
      }
    }
  }
}

TEST(LatentVectors, AreAsLongAsRandomOnesAndLeaveOthersAlone) {
  constexpr Index kWidth = 8;
  const std::vector<float> vectors = vectors_of({{1, 2}, {2, 3, 3}}, 5, kWidth);
  for (const Index word : {1, 2, 3}) {
    EXPECT_NEAR(std::sqrt(dot(vectors, kWidth, word, word)), 0.1 * std::sqrt(8.0), 1e-5);
  }
  for (const Index word : {0, 4}) {  // of no text
    for (Index i = 0; i < kWidth; ++i) EXPECT_EQ(vectors[word * kWidth + i], 7.0f);
  }
  for (const float value : vectors_of({{}, {}}, 2, 4)) EXPECT_EQ(value, 7.0f);
}

TEST(LatentVectors, DoNotDependOnTheNumberOfWorkers) {
  const Texts texts = random_texts(50, 30);
  EXPECT_EQ(vectors_of(texts, 30, 8, 1), vectors_of(texts, 30, 8, 3));
}

}  // namespace
}  // namespace heed
