#pragma once

#include <cmath>

namespace heed::reference {

// A number and its derivative in one direction, both double: an independent way to differentiate
// whatever is written with it (forward-mode differentiation).
struct Dual {
  double value = 0.0;
  double slope = 0.0;

  Dual() = default;
  Dual(double constant) : value(constant) {}  // NOLINT: numbers are constants
  Dual(double v, double d) : value(v), slope(d) {}

  Dual& operator+=(const Dual& other) { return *this = *this + other; }
  Dual& operator-=(const Dual& other) { return *this = *this - other; }
  Dual& operator*=(const Dual& other) { return *this = *this * other; }
  Dual& operator/=(const Dual& other) { return *this = *this / other; }

  friend Dual operator-(const Dual& a) { return {-a.value, -a.slope}; }
  friend Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.slope + b.slope};
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.slope - b.slope};
  }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    return {a.value / b.value, (a.slope * b.value - a.value * b.slope) / (b.value * b.value)};
  }
  friend bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
};

inline Dual exp(const Dual& a) { return {std::exp(a.value), a.slope * std::exp(a.value)}; }
inline Dual log(const Dual& a) { return {std::log(a.value), a.slope / a.value}; }
inline Dual sqrt(const Dual& a) {
  return {std::sqrt(a.value), a.slope / (2.0 * std::sqrt(a.value))};
}
inline Dual tanh(const Dual& a) {
  const double t = std::tanh(a.value);
  return {t, a.slope * (1.0 - t * t)};
}
inline Dual erf(const Dual& a) {
  return {std::erf(a.value),
          a.slope * 2.0 / std::sqrt(3.14159265358979323846) * std::exp(-a.value * a.value)};
}

inline double value_of(double x) { return x; }
inline double value_of(const Dual& x) { return x.value; }

}  // namespace heed::reference
