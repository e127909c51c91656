#pragma once

namespace heed::cli {

// 0 done, 1 failed, 2 wrong use, 130 interrupted.
inline constexpr int kFailed = 1;
inline constexpr int kWrongUse = 2;
inline constexpr int kInterrupted = 130;

// Ends the program with a code and nothing more to say.
struct Exit {
  int code;
};

}  // namespace heed::cli
