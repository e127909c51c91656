#pragma once

#include <gtest/gtest.h>

#include <string>

#include "heed/base/error.h"

// What errors say.
namespace heed::test {

// The message of the E that `action` throws. Another exception, or none, fails the test.
template <typename E = Error, typename Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

inline void expect_in(const std::string& part, const std::string& text) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

inline bool starts_with(const std::string& text, const std::string& beginning) {
  return text.starts_with(beginning);
}

}  // namespace heed::test
