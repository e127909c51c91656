#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <system_error>

#include "cli/bench.h"
#include "cli/evaluate.h"
#include "cli/exit.h"
#include "cli/output.h"
#include "cli/predict.h"
#include "cli/train.h"
#include "cli/wrong_use.h"
#include "heed/base/error.h"

int main(int argc, char** argv) {
  using namespace heed::cli;
  // A limit on the size of files is told as a full disk is, not by the end of the program.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app{"heed: self-attention networks on ordinary CPUs, straight from files", "heed"};
  app.set_version_flag("--version", "heed " HEED_VERSION);
  app.require_subcommand(1);
  add_train(app);
  add_evaluate(app);
  add_predict(app);
  add_bench(app);
  try {
    app.parse(argc, argv);
    flush_output();
    return 0;
  } catch (const Exit& exit) {
    return exit.code;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    fmt::print(stderr, "heed: {}\n", explain(app, error));
    return kWrongUse;
  } catch (const heed::UsageError& error) {
    fmt::print(stderr, "heed: {}\n", error.what());
    return kWrongUse;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "heed: there is not enough memory for this\n");
    return kFailed;
  } catch (const std::system_error& error) {
    const char* where = std::ferror(stdout) != 0 ? "standard output: cannot write: " : "";
    fmt::print(stderr, "heed: {}{}\n", where, error.code().message());
    return kFailed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "heed: {}\n", error.what());
    return kFailed;
  }
}
