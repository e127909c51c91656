// Gives libFuzzer a fuzzer's seeds to begin with: they are written to the first folder that its
// command line names, before it reads what is there.

#include <filesystem>
#include <fstream>

#include "fuzz/fuzz.h"

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  for (int i = 1; i < *count; ++i) {
    const std::filesystem::path folder = (*arguments)[i];
    if (!std::filesystem::is_directory(folder)) continue;
    int number = 0;
    for (const std::string_view seed : heed::fuzz::seeds()) {
      std::ofstream(folder / ("seed" + std::to_string(number++)), std::ios::binary) << seed;
    }
    break;
  }
  return 0;
}
