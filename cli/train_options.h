#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "heed/train/run.h"

namespace heed::cli {

// A flag that sets an option of the config by its path: --layers 4 is --set body.layers=4.
struct PathFlag {
  std::string flag, path, value;
};

// What was said on the command line of heed train.
struct TrainFlags {
  RunOptions run{};
  std::string output;             // the kind that the task learns
  std::vector<std::string> task;  // settings of the task, below all that was said
  std::string folder, preset, config_file, time, body, select;
  std::optional<double> held_out;
  std::deque<PathFlag> paths;  // those with a value were given
  std::vector<std::string> settings;
  std::optional<Index> epochs, patience;
  std::optional<float> rate, dropout;
  bool crf = false, no_crf = false, no_wide = false, force = false;
  bool shared_vocabulary = false;
  int workers = Workers::available();
  std::optional<std::uint64_t> seed;
};

// Fills in flags.run: defaults, then the preset, then the file, then flags, then --set, of which
// the later wins. Whether it all fits together is asked once, in the end.
void settle_options(TrainFlags& flags);

// "90", "90s", "5m", "1h" in seconds.
double parse_time(const std::string& text);
// Throws that only one of two flags can be given.
[[noreturn]] void refuse_both(const std::string& one, const std::string& other);

// An option of a config by its path, as --set would give it: "body.layers" → "2".
std::string option_text(const Config& config, const std::string& path);

}  // namespace heed::cli
