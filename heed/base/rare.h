#pragma once

#include <memory>
#include <utility>

namespace heed {

// A value that few of its owners have: a pointer where there is none, the value on the heap where
// there is one. Read without a value it is a default T, so readers need not ask. Copies are deep.
template <typename T>
class Rare {
 public:
  Rare() = default;
  template <typename From>
  requires std::is_constructible_v<T, From&&> &&
      (!std::is_same_v<std::remove_cvref_t<From>, Rare>)Rare(From&& from)
      : value_(std::make_unique<T>(std::forward<From>(from))) {}
  Rare(const Rare& other) : value_(copy_of(other)) {}
  Rare(Rare&&) noexcept = default;
  Rare& operator=(const Rare& other) {
    value_ = copy_of(other);
    return *this;
  }
  Rare& operator=(Rare&&) noexcept = default;
  ~Rare() = default;

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  const T& operator*() const { return value_ == nullptr ? none() : *value_; }
  const T* operator->() const { return &**this; }
  // The value to be changed; made where there is none.
  T& edit() {
    if (value_ == nullptr) value_ = std::make_unique<T>();
    return *value_;
  }
  void reset() { value_.reset(); }

 private:
  static const T& none() {
    static const T value{};
    return value;
  }
  static std::unique_ptr<T> copy_of(const Rare& other) {
    return other.value_ == nullptr ? nullptr : std::make_unique<T>(*other.value_);
  }

  std::unique_ptr<T> value_;
};

}  // namespace heed
