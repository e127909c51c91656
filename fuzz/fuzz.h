#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "heed/base/error.h"

// A fuzzer is one file: seeds, inputs that show what the format is made of, and the entry that
// libFuzzer and our driver both call. An Error is a reader's answer to bad bytes; whatever else
// comes out of one is a bug, and ends the program.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace heed::fuzz {

// Each fuzzer defines its own.
std::span<const std::string_view> seeds();

template <typename Action>
int run(const std::uint8_t* data, std::size_t size, Action action) {
  try {
    action(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const Error&) {
  }
  return 0;
}

// Throws what no reader may, unless what must hold of every input does.
inline void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(std::string("does not hold: ") + what);
}

}  // namespace heed::fuzz
