#include "heed/decode/steps.h"

#include "heed/base/error.h"

namespace heed::decode {

void read_beginnings(Steps& steps, const SearchOptions& options, const Steps::Take& take) {
  const std::size_t sequences = options.longest.size();
  if (!options.prompts.empty() && options.prompts.size() != sequences) {
    fail<UsageError>("decode", "expected a prompt for each of {} sequences, got {}", sequences,
                     options.prompts.size());
  }
  std::vector<std::int32_t> tokens;
  std::vector<Index> counts;
  for (std::size_t i = 0; i < sequences; ++i) {
    const std::size_t before = tokens.size();
    tokens.push_back(options.begin);
    if (!options.prompts.empty()) {
      tokens.insert(tokens.end(), options.prompts[i].begin(), options.prompts[i].end());
    }
    counts.push_back(static_cast<Index>(tokens.size() - before));
  }
  steps.next(tokens, counts, take);
}

void read_tokens(Steps& steps, std::span<const std::int32_t> tokens, const Steps::Take& take) {
  steps.next(tokens, std::vector<Index>(tokens.size(), 1), take);
}

}  // namespace heed::decode
