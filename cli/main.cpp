#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>

#include "cli/bench.h"
#include "cli/evaluate.h"
#include "cli/exit.h"
#include "cli/output.h"
#include "cli/predict.h"
#include "cli/train.h"
#include "cli/wrong_use.h"
#include "heed/base/error.h"

namespace {

// One line on standard error. Messages quote files and arguments, so what would move the cursor or
// end the line is written out.
void say(std::string_view message) {
  std::string line;
  for (const char letter : message) {
    const auto code = static_cast<unsigned char>(letter);
    line += code < 0x20 || code == 0x7F ? fmt::format("\\x{:02x}", code) : std::string(1, letter);
  }
  fmt::print(stderr, "heed: {}\n", line);
}

}  // namespace

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
    say(explain(app, error));
    return kWrongUse;
  } catch (const heed::UsageError& error) {
    say(error.what());
    return kWrongUse;
  } catch (const std::bad_alloc&) {
    say("there is not enough memory for this");
    return kFailed;
  } catch (const std::system_error& error) {
    const bool output = std::ferror(stdout) != 0;
    say(output ? "standard output: cannot write: " + error.code().message() : error.what());
    return kFailed;
  } catch (const std::exception& error) {
    say(error.what());
    return kFailed;
  }
}
