#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>

namespace heed {

// What ends a request. Every message is one sentence (or two) for the person who made the request:
// where it happened, what was expected, what was found, and what to do where that is not plain.
// heed throws nothing else on purpose; asserts are for mistakes of heed's own.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Tensors whose shapes do not fit an operation, or an index outside what it points into.
class ShapeError : public Error {
 public:
  using Error::Error;
};

// Bytes from outside that are not what their format promises.
class FormatError : public Error {
 public:
  using Error::Error;
};

// The operating system refused: no such file, disk full, no permission.
class IoError : public Error {
 public:
  using Error::Error;
};

// An option or argument that does not exist or does not make sense.
class UsageError : public Error {
 public:
  using Error::Error;
};

// NaN or infinity where a number was needed.
class NumericError : public Error {
 public:
  using Error::Error;
};

namespace detail {
// "[operation] " and the formatted text. Here only types are erased: what fmt does with them is
// compiled once, in error.cpp, not in every file that can fail.
std::string failure(const char* operation, fmt::string_view format, fmt::format_args arguments);
}  // namespace detail

// fail<ShapeError>("linear", "expected {} columns, got {}", 3, 4)
//   throws ShapeError("[linear] expected 3 columns, got 4")
template <typename E, typename... Arguments>
[[noreturn]] void fail(const char* operation, fmt::format_string<Arguments...> format,
                       Arguments&&... arguments) {
  throw E(detail::failure(operation, format, fmt::make_format_args(arguments...)));
}

}  // namespace heed
