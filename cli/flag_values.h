#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "heed/base/json.h"

// What may follow a flag. Where it is something else, the message says what was expected and what
// was found, as those about options in files do.
namespace heed::cli {

CLI::Validator whole_number(const Limits& limits = {});
CLI::Validator number(const Limits& limits = {});
// Any of the numbers that random ones begin with: 0 … 2⁶⁴ − 1.
CLI::Validator seed_number();
CLI::Validator one_of(const std::vector<std::string>& choices);

}  // namespace heed::cli
