#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/train_options.h"
#include "heed/train/compare.h"

namespace heed::cli {

// What was said on the command line of heed compare.
struct CompareFlags {
  TrainFlags common{};  // flags of heed train, for all variants
  std::string folder, bodies, match = "parameters", amounts = "100%",
                              lengths = "16,64,256,1024,4096";
  std::vector<std::string> variants;
  Index seeds = 3;
  bool wide = false, force = false;
};

// What was given to a command: flags with their values as they would be typed, positional arguments
// last. With `groups_only`, of its groups alone.
std::vector<std::string> given(const CLI::App& app, bool groups_only);

// The variants, each with the options that heed train would have with its flags. `app` is the
// parsed command of `flags`.
std::vector<CompareVariant> make_variants(const CLI::App& app, const CompareFlags& flags);

// "1%,3%,0.1" → 0.01, 0.03, 0.1
std::vector<double> parse_amounts(const std::string& text);
// "16,64" → 16, 64; "0": none
std::vector<Index> parse_lengths(const std::string& text);

}  // namespace heed::cli
