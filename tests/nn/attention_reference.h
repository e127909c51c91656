#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/nn/attention.h"
#include "tests/reference/matrix.h"

namespace heed::test {

// What nn::MultiHeadAttention promises, from the definitions in its header, in double and one
// sequence at a time: the judge of every way through the layer.
class SlowAttention {
 public:
  using Matrix = reference::Matrix<double>;

  // Reads the layer's parameters whenever it is called.
  SlowAttention(const Parameters& parameters, const nn::AttentionOptions& options);

  // Row p of the memory has position p, row i of the queries first_query + i.
  struct Places {
    int first_query = 0;
    std::vector<std::uint8_t> hidden{};  // by row of the memory, or empty
  };
  // queries (rows, width) and memory (memory rows, memory_width) → (rows, width)
  Matrix operator()(const Matrix& queries, const Matrix& memory, const Places& places) const;

 private:
  Matrix parameter(const std::string& name) const;
  Matrix projected(const std::string& name, const Matrix& x) const;
  Matrix head_of(const Matrix& x, int head) const;
  Matrix with_positions(Matrix x, int first, const std::string& table) const;
  Matrix placed(Matrix x, int first) const;
  Matrix weights(const Matrix& q, const Matrix& k, int head, const Places& places) const;

  const Parameters& parameters_;
  nn::AttentionOptions options_;
  int heads_, slots_;
};

}  // namespace heed::test
