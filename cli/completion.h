#pragma once

#include <CLI/CLI.hpp>
#include <string>

// Scripts by which a shell completes heed's commands, options, choices and files.
namespace heed::cli {

std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);

// heed completion bash | zsh and heed man, which print these and the manual page; for installing,
// and so not shown in help.
void add_completion(CLI::App& app);

}  // namespace heed::cli
