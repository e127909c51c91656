#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

namespace heed {

// A well-mixed 64-bit hash (the finaliser of SplitMix64).
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return mix(a ^ mix(b)); }

// Counter-based random numbers (Philox 4×32-10, Salmon et al. 2011): the n-th number is a function
// of the key and n alone, so who computes it, and when, does not matter.
class Random {
 public:
  explicit Random(std::uint64_t key) : key_(key) {}

  std::uint32_t next() {
    if (used_ == 4) {
      block_ = philox(counter_++, key_);
      used_ = 0;
    }
    return block_[used_++];
  }

  // Uniform in [0, 1), 24 bits.
  float uniform() { return static_cast<float>(next() >> 8) * 0x1p-24f; }

  // Standard normal (Box–Muller).
  float normal() {
    const double u = (static_cast<double>(next()) + 1.0) * 0x1p-32;
    const double v = static_cast<double>(next()) * 0x1p-32;
    return static_cast<float>(std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v));
  }

  // Of Beta(a, a), a above 0 and best at most 1 (Jöhnk's method): 0 to 1, around the ends where a
  // is small.
  float beta(double a) {
    while (true) {
      const double u = uniform(), v = uniform();
      const double x = std::pow(u, 1.0 / a), y = std::pow(v, 1.0 / a);
      if (x + y > 1.0) continue;
      // Both powers may be too small for a double: the larger one is then all of the sum.
      return x + y > 0.0 ? static_cast<float>(x / (x + y)) : u > v ? 1.0f : 0.0f;
    }
  }

  // Uniform in 0 … bound − 1, without bias (Lemire's method).
  std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = static_cast<std::uint64_t>(next()) * bound;
    const std::uint32_t threshold = (0u - bound) % bound;
    while (static_cast<std::uint32_t>(product) < threshold) {
      product = static_cast<std::uint64_t>(next()) * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  static std::array<std::uint32_t, 4> philox(std::uint64_t counter, std::uint64_t key) {
    std::array<std::uint32_t, 4> x{static_cast<std::uint32_t>(counter),
                                   static_cast<std::uint32_t>(counter >> 32), 0, 0};
    auto k0 = static_cast<std::uint32_t>(key);
    auto k1 = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * x[0];
      const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * x[2];
      x = {static_cast<std::uint32_t>(p1 >> 32) ^ x[1] ^ k0, static_cast<std::uint32_t>(p1),
           static_cast<std::uint32_t>(p0 >> 32) ^ x[3] ^ k1, static_cast<std::uint32_t>(p0)};
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    return x;
  }

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;
};

// Fisher and Yates.
template <typename Items>
void shuffle(Items& items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[random.below(static_cast<std::uint32_t>(i))]);
  }
}

}  // namespace heed
