#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace heed::cli {

// The manual page of the whole program, heed(1), in roff with the macros of man(7).
std::string manual(const CLI::App& app);

}  // namespace heed::cli
