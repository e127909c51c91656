#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/train/text_run.h"

namespace heed::cli {

// What was said on the command line of heed train.
struct TrainFlags {
  TextRunOptions run{};
  std::string folder, preset, config_file, time, pooling, body, tokenizer, beyond;
  std::vector<std::string> settings;
  std::optional<Index> epochs, width, layers, heads, longest, vocabulary, patience;
  std::optional<float> rate, dropout, word_dropout, smoothing;
  bool crf = false, force = false;
  int workers = Workers::available();
  std::optional<std::uint64_t> seed;
};

// Fills in flags.run: defaults, then the preset, then the file, then flags, then --set, of which
// the later wins. Whether it all fits together is asked once, in the end.
void settle_options(TrainFlags& flags);

}  // namespace heed::cli
