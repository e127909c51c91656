#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace heed::cli {

// One sentence about a command line that could not be read: what was wrong, the flag or command
// that was probably meant, and where help is.
std::string explain(const CLI::App& app, const CLI::ParseError& error);

}  // namespace heed::cli
