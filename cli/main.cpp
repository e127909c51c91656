#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/bench.h"
#include "heed/base/error.h"

namespace {

// Exit codes: 0 done, 1 failed, 2 wrong use.
constexpr int kFailed = 1;
constexpr int kWrongUse = 2;

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"heed: self-attention networks on ordinary CPUs, straight from files", "heed"};
  app.set_version_flag("--version", "heed " HEED_VERSION);
  app.require_subcommand(1);
  heed::cli::add_bench(app);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUse;
  } catch (const heed::UsageError& error) {
    fmt::print(stderr, "heed: {}\n", error.what());
    return kWrongUse;
  } catch (const std::exception& error) {
    fmt::print(stderr, "heed: {}\n", error.what());
    return kFailed;
  }
}
