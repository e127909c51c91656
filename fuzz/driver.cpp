// Runs a fuzzer without libFuzzer: first its seeds, then inputs mutated from them and random ones,
// the same in every run; at most kInputs of them and kSeconds long. With arguments it runs the
// files they name, to see again what a fuzzer found.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzz.h"
#include "heed/base/file.h"
#include "heed/base/random.h"

namespace {

using heed::Random;
using namespace std::string_view_literals;

constexpr int kInputs = 20'000;
constexpr double kSeconds = 3.0;
constexpr std::uint64_t kSeed = 20;
constexpr std::size_t kMaxSize = 4096;

std::uint32_t below(Random& random, std::size_t bound) {
  return random.below(static_cast<std::uint32_t>(bound));
}

// A few edits: bytes altered, taken out or doubled, pieces of other seeds spliced in.
std::string mutated(std::string bytes, const std::vector<std::string>& seeds, Random& random) {
  static constexpr std::string_view kTelling =
      "\n\r\t ,;\"'{}[]:_#-.0129aZ\\\0\xC3\xE9\xFF\x1F\x8B"sv;
  for (std::uint32_t edit = 0, edits = 1 + random.below(6); edit < edits; ++edit) {
    const std::size_t place = below(random, bytes.size() + 1);
    const std::size_t count = 1 + below(random, 12);
    switch (random.below(6)) {
      case 0:
        bytes.insert(place, 1, kTelling[below(random, kTelling.size())]);
        break;
      case 1:
        bytes.insert(place, 1, static_cast<char>(random.below(256)));
        break;
      case 2:
        if (place < bytes.size()) bytes[place] = kTelling[below(random, kTelling.size())];
        break;
      case 3:
        bytes.erase(place, count);
        break;
      case 4:
        bytes.insert(place, bytes.substr(place, count));
        break;
      default: {
        const std::string& other = seeds[below(random, seeds.size())];
        bytes.insert(place, other.substr(below(random, other.size() + 1), 4 * count));
      }
    }
  }
  bytes.resize(std::min(bytes.size(), kMaxSize));
  return bytes;
}

std::string drawn(Random& random) {
  std::string bytes(random.below(256), '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.below(256));
  return bytes;
}

void feed(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

int drive(int count, char** paths) {
  for (int i = 0; i < count; ++i) feed(heed::read_file(paths[i]));
  if (count > 0) return 0;
  std::vector<std::string> seeds = {""};
  for (const std::string_view seed : heed::fuzz::seeds()) seeds.emplace_back(seed);
  for (const std::string& seed : seeds) feed(seed);
  Random random(kSeed);
  const auto begin = std::chrono::steady_clock::now();
  int input = 0;
  for (; input < kInputs; ++input) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    if (passed.count() > kSeconds) break;
    const std::string& seed = seeds[below(random, seeds.size())];
    const std::string bytes = random.below(8) == 0 ? drawn(random) : mutated(seed, seeds, random);
    try {
      feed(bytes);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "seed %d, input %d: %s\n", static_cast<int>(kSeed), input, error.what());
      std::fwrite(bytes.data(), 1, bytes.size(), stderr);
      return 1;
    }
  }
  std::printf("%d inputs\n", input);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return drive(count - 1, arguments + 1);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
