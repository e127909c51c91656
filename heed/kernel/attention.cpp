#include "heed/kernel/attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "heed/kernel/attention_tile.h"
#include "heed/kernel/rows.h"

namespace heed::kernel {
namespace {

constexpr float kLog2E = std::numbers::log2e_v<float>;
constexpr float kLn2 = std::numbers::ln2_v<float>;

// Tiles of 64 queries by up to 512 keys stay in the second cache together with their operands.
constexpr Index kQueryTile = 64;
constexpr Index kKeyTile = 512;
// Up to so many queries look at keys and values as they lie: decoding, one row at a time. Packing
// would read and write all of them for a product that reads them once.
constexpr Index kFewQueries = 4;
// Products are made for their exact shape: round sizes keep the number of different ones small.
constexpr Index kQueryStep = 4;
constexpr Index kKeyStep = 16;

Index round_to(Index value, Index step) { return (value + step - 1) / step * step; }

// Rows a multiple of 256 bytes apart would compete for the same few cache sets.
Index spread(Index stride) { return stride % 64 == 0 ? stride + kKeyStep : stride; }

struct Span {
  Index begin, end;
};

// The keys that queries first … first + count − 1 may see: the memory slots, and one range.
class VisibleKeys {
 public:
  VisibleKeys(const AttentionHead& head, Index first, Index count) {
    const AttentionMask& mask = head.mask;
    const Index lowest = mask.first_query + first - mask.before;
    const Index highest = mask.first_query + first + count - 1 + mask.after;
    const Index begin = mask.slots + std::clamp<Index>(lowest, 0, head.keys - mask.slots);
    const Index end = mask.slots + std::clamp<Index>(highest + 1, 0, head.keys - mask.slots);
    const Index aligned = begin / kDropoutBlock * kDropoutBlock;
    if (mask.slots > 0 && aligned > mask.slots) add({0, mask.slots});
    if (end > begin || mask.slots > 0) {
      add({mask.slots > 0 && aligned <= mask.slots ? 0 : aligned, std::max(end, mask.slots)});
    }
  }
  const Span* begin() const { return spans_.data(); }
  const Span* end() const { return spans_.data() + count_; }

 private:
  void add(Span span) {
    if (span.end > span.begin) spans_[static_cast<std::size_t>(count_++)] = span;
  }
  std::array<Span, 2> spans_{};
  Index count_ = 0;
};

// Calls body(tile) for each tile of keys that the queries may see.
template <typename Body>
void for_each_key_tile(const AttentionHead& head, Index first_query, Index queries, Body body) {
  for (const Span& span : VisibleKeys(head, first_query, queries)) {
    for (Index key = span.begin; key < span.end; key += kKeyTile) {
      const Index keys = round_to(std::min(kKeyTile, span.end - key), kKeyStep);
      body(Tile{first_query, queries, key, keys, spread(keys)});
    }
  }
}

// Queries are dealt into tiles of nearly equal size, so that 65 rows are 33 + 32 and not 64 + 1.
template <typename Body>
void for_each_query_tile(Index queries, Body body) {
  if (queries == 0) return;
  const Index tiles = (queries + kQueryTile - 1) / kQueryTile;
  const Index size = round_to((queries + tiles - 1) / tiles, kQueryStep);
  for (Index first = 0; first < queries; first += size) {
    body(first, std::min(size, queries - first));
  }
}

// The products with a tile of weights, scores or their gradients:
//   tile (rows, keys) = a (rows, inner) · b (inner, keys), b a part of rows `b_stride` long
void fill_tile(const Tile& tile, const float* a, Index inner, const float* b, Index b_stride,
               float* to) {
  const TileProduct multiply({.rows = round_to(tile.queries, kQueryStep),
                              .columns = tile.keys,
                              .inner = inner,
                              .a_stride = inner,
                              .b_stride = b_stride,
                              .c_stride = tile.stride});
  multiply(a, b, to);
}

//   c (rows, columns) = tile (rows, keys) · b (keys, columns)
void apply_tile(const Tile& tile, const float* numbers, const float* b, Index columns, float* c,
                Store store) {
  const TileProduct multiply({.rows = round_to(tile.queries, kQueryStep),
                              .columns = columns,
                              .inner = tile.keys,
                              .a_stride = tile.stride,
                              .b_stride = columns,
                              .c_stride = columns,
                              .store = store});
  multiply(numbers, b, c);
}

//   c (keys, columns) += tileᵀ · b (rows, columns)
void add_tile_transposed(const Tile& tile, const float* numbers, const float* b, Index columns,
                         float* c) {
  const TileProduct multiply({.rows = tile.keys,
                              .columns = columns,
                              .inner = round_to(tile.queries, kQueryStep),
                              .a_stride = tile.stride,
                              .b_stride = columns,
                              .c_stride = columns,
                              .transpose_left = true,
                              .store = Store::kAdd});
  multiply(numbers, b, c);
}

// Scores in log₂ units: the queries were packed with scale · log₂ e in them.
class ScoreTiles {
 public:
  ScoreTiles(const AttentionHead& head, Arena& scratch)
      : head_(head),
        padded_keys_(padded(head)),
        keys_transposed_(scratch.array<float>(head.depth * padded_keys_).data()),
        q_(scratch.array<float>(kQueryTile * head.depth).data()) {
    pack_transposed(head.k, head.keys, head.depth, keys_transposed_, padded_keys_);
  }

  static Index padded(const AttentionHead& head) { return spread(round_to(head.keys, kKeyStep)); }

  void load_queries(Index first, Index count) {
    const float scale = head_.additive != nullptr ? 1.0f : head_.scale * kLog2E;
    pack_rows({head_.q.data + first * head_.q.stride, head_.q.stride}, count, head_.depth, scale,
              q_, round_to(count, kQueryStep));
  }

  void operator()(const Tile& tile, float* scores) const {
    if (head_.additive != nullptr) {
      additive_tile(head_, tile, q_, keys_transposed_ + tile.first_key, padded_keys_, scores);
    } else {
      fill_tile(tile, q_, head_.depth, keys_transposed_ + tile.first_key, padded_keys_, scores);
    }
    mask_scores(head_, tile, scores);
  }

  const float* q() const { return q_; }
  const float* keys_transposed() const { return keys_transposed_; }
  Index padded_keys() const { return padded_keys_; }

 private:
  const AttentionHead& head_;
  Index padded_keys_;
  float* keys_transposed_;
  float* q_;
};

Rows row(Rows rows, Index index) { return {rows.data + index * rows.stride, rows.stride}; }

// What all tiles summed up to becomes the result of queries first … first + count − 1.
void finish_rows(const AttentionHead& head, Index first, Index count, const RunningSoftmax& running,
                 const float* sums, Rows out, float* log_sums) {
  const Index width = head.value_depth;
  for (Index i = 0; i < count; ++i) {
    float* to = row(out, first + i).data;
    if (running.sum[i] == 0.0f) {
      std::fill_n(to, width, 0.0f);
      log_sums[first + i] = kEmptyLogSum;
    } else {
      scale(width, head.dropout.keep_factor() / running.sum[i], sums + i * width, to,
            Store::kOverwrite);
      log_sums[first + i] = running.largest[i] + std::log2(running.sum[i]);
    }
  }
}

void rescale_sums(Index count, Index width, const RunningSoftmax& running, float* sums) {
  for (Index i = 0; i < count; ++i) {
    if (running.rescale[i] == 1.0f) continue;
    scale(width, running.rescale[i], sums + i * width, sums + i * width, Store::kOverwrite);
  }
}

// The same as attention_forward, with nothing packed but the queries.
void attention_of_few(const AttentionHead& head, Arena& scratch, Rows out, float* log_sums) {
  const Arena::Scope scope(scratch);
  const auto array = [&](Index count) { return scratch.array<float>(count).data(); };
  const Index count = head.queries, width = head.value_depth;
  float* q = array(count * head.depth);
  float* scores = array(count * spread(kKeyTile));
  float* sums = array(count * width);
  const RunningSoftmax running{array(count), array(count), array(count)};
  pack_rows(head.q, count, head.depth, head.scale * kLog2E, q, count);
  std::fill_n(running.largest, count, kHiddenScore);
  std::fill_n(running.sum, count, 0.0f);
  std::fill_n(sums, count * width, 0.0f);
  for_each_key_tile(head, 0, count, [&](const Tile& tile) {
    const Index keys = std::min(tile.keys, head.keys - tile.first_key);
    score_rows(q, count, head.depth, row(head.k, tile.first_key), keys, scores, tile.stride);
    mask_scores(head, tile, scores);
    softmax_tile(head, tile, scores, running);
    rescale_sums(count, width, running, sums);
    add_weighted_rows(scores, tile.stride, count, row(head.v, tile.first_key), keys, width, sums);
  });
  finish_rows(head, 0, count, running, sums, out, log_sums);
}

}  // namespace

void attention_forward(const AttentionHead& head, Arena& scratch, Rows out, float* log_sums) {
  if (head.queries <= kFewQueries && head.additive == nullptr) {
    attention_of_few(head, scratch, out, log_sums);
    return;
  }
  const Arena::Scope scope(scratch);
  const auto array = [&](Index count) { return scratch.array<float>(count).data(); };
  const Index width = head.value_depth;
  const Index padded_keys = ScoreTiles::padded(head);
  ScoreTiles score_tiles(head, scratch);
  float* values = array(padded_keys * width);
  float* scores = array(kQueryTile * spread(kKeyTile));
  float* sums = array(kQueryTile * width);
  const RunningSoftmax running{array(kQueryTile), array(kQueryTile), array(kQueryTile)};
  pack_rows(head.v, head.keys, width, 1.0f, values, padded_keys);

  for_each_query_tile(head.queries, [&](Index first, Index count) {
    const Index padded = round_to(count, kQueryStep);
    score_tiles.load_queries(first, count);
    std::fill_n(running.largest, padded, kHiddenScore);
    std::fill_n(running.sum, padded, 0.0f);
    bool begun = false;
    for_each_key_tile(head, first, count, [&](const Tile& tile) {
      score_tiles(tile, scores);
      softmax_tile(head, tile, scores, running);
      if (begun) rescale_sums(count, width, running, sums);
      apply_tile(tile, scores, values + tile.first_key * width, width, sums,
                 begun ? Store::kAdd : Store::kOverwrite);
      begun = true;
    });
    finish_rows(head, first, count, running, sums, out, log_sums);
  });
}

// With P the weights, F the dropout factors, O = (P ⊙ F) V and S the scores:
//   dV = (P ⊙ F)ᵀ dO      dP = (dO Vᵀ) ⊙ F
//   dS = P ⊙ (dP − δ), δ_i = Σ_j dP_ij P_ij = dO_i · O_i
//   dQ = scale · dS K     dK = scale · dSᵀ Q
// Packed Q holds scale · log₂ e, hence the ln 2.
void attention_backward(const AttentionHead& head, Arena& scratch, Rows out, Rows dout,
                        const float* log_sums, const AttentionGradients& gradients) {
  const Arena::Scope scope(scratch);
  const auto array = [&](Index count) { return scratch.array<float>(count).data(); };
  const Index depth = head.depth, width = head.value_depth;
  const Index padded_keys = ScoreTiles::padded(head);
  const bool dot_scores = head.additive == nullptr;
  ScoreTiles score_tiles(head, scratch);
  float* values_transposed = array(width * padded_keys);
  pack_transposed(head.v, head.keys, width, values_transposed, padded_keys);
  float* keys = nullptr;
  if (dot_scores) {
    keys = array(padded_keys * depth);
    pack_rows(head.k, head.keys, depth, 1.0f, keys, padded_keys);
  }
  float* dkeys = array(padded_keys * depth);  // transposed for additive scores
  float* dvalues = array(padded_keys * width);
  std::fill_n(dkeys, padded_keys * depth, 0.0f);
  std::fill_n(dvalues, padded_keys * width, 0.0f);
  float* scores = array(kQueryTile * spread(kKeyTile));
  float* dweights = array(kQueryTile * spread(kKeyTile));
  float* dout_tile = array(kQueryTile * width);
  float* dq = array(kQueryTile * depth);
  float* delta = array(kQueryTile);

  for_each_query_tile(head.queries, [&](Index first, Index count) {
    const Index padded = round_to(count, kQueryStep);
    score_tiles.load_queries(first, count);
    pack_rows(row(dout, first), count, width, 1.0f, dout_tile, padded);
    for (Index i = 0; i < count; ++i) {
      delta[i] = dot(width, dout_tile + i * width, row(out, first + i).data);
    }
    std::fill_n(dq, padded * depth, 0.0f);
    for_each_key_tile(head, first, count, [&](const Tile& tile) {
      score_tiles(tile, scores);
      fill_tile(tile, dout_tile, width, values_transposed + tile.first_key, padded_keys, dweights);
      // The rows that only round the tile up hold zeros in dout and stay out of the sums below.
      std::fill_n(scores + count * tile.stride, (padded - count) * tile.stride, 0.0f);
      std::fill_n(dweights + count * tile.stride, (padded - count) * tile.stride, 0.0f);
      score_gradient_tile(head, tile, log_sums + first, delta, scores, dweights);
      add_tile_transposed(tile, scores, dout_tile, width, dvalues + tile.first_key * width);
      if (gradients.drelative != nullptr) {
        relative_gradient_tile(head, tile, dweights, gradients.drelative);
      }
      if (!dot_scores) {
        additive_gradient_tile(head, tile, score_tiles.q(),
                               score_tiles.keys_transposed() + tile.first_key, padded_keys,
                               dweights, dq, dkeys + tile.first_key, gradients.dadditive);
        return;
      }
      apply_tile(tile, dweights, keys + tile.first_key * depth, depth, dq, Store::kAdd);
      add_tile_transposed(tile, dweights, score_tiles.q(), depth, dkeys + tile.first_key * depth);
    });
    if (gradients.dq.data != nullptr) {
      unpack_rows(dq, count, depth, dot_scores ? head.scale : 1.0f, row(gradients.dq, first),
                  gradients.dq_store);
    }
  });
  if (gradients.dv.data != nullptr) {
    unpack_rows(dvalues, head.keys, width, head.dropout.keep_factor(), gradients.dv,
                gradients.dv_store);
  }
  if (gradients.dk.data == nullptr) return;
  if (dot_scores) {
    unpack_rows(dkeys, head.keys, depth, kLn2, gradients.dk, gradients.dk_store);
    return;
  }
  for (Index key = 0; key < head.keys; ++key) {
    float* to = row(gradients.dk, key).data;
    for (Index d = 0; d < depth; ++d) {
      const float value = dkeys[d * padded_keys + key];
      to[d] = gradients.dk_store == Store::kAdd ? to[d] + value : value;
    }
  }
}

void attention_weights(const AttentionHead& head, Arena& scratch, const float* log_sums,
                       Index first_row, Index rows, float* weights) {
  const Arena::Scope scope(scratch);
  ScoreTiles score_tiles(head, scratch);
  float* scores = scratch.array<float>(kQueryTile * spread(kKeyTile)).data();
  std::fill_n(weights, rows * head.keys, 0.0f);
  for_each_query_tile(rows, [&](Index begin, Index count) {
    const Index first = first_row + begin;
    score_tiles.load_queries(first, count);
    for_each_key_tile(head, first, count, [&](const Tile& tile) {
      score_tiles(tile, scores);
      weights_tile(tile, log_sums + first, scores);
      const Index keys = std::min(tile.keys, head.keys - tile.first_key);
      for (Index i = 0; i < count; ++i) {
        std::copy_n(scores + i * tile.stride, keys,
                    weights + (begin + i) * head.keys + tile.first_key);
      }
    });
  });
}

}  // namespace heed::kernel
