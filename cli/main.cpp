#include <execinfo.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>

#include "cli/bench.h"
#include "cli/check.h"
#include "cli/compare.h"
#include "cli/completion.h"
#include "cli/describe.h"
#include "cli/evaluate.h"
#include "cli/exit.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/predict.h"
#include "cli/train.h"
#include "cli/wrong_use.h"
#include "heed/base/error.h"

namespace heed::cli {
namespace {

// One line on standard error. Messages quote files and arguments, so what would move the cursor or
// end the line is written out.
void say(std::string_view message) {
  std::string line;
  for (const char letter : message) {
    const auto code = static_cast<unsigned char>(letter);
    line += code < 0x20 || code == 0x7F ? fmt::format("\\x{:02x}", code) : std::string(1, letter);
  }
  // Not fmt::print, which throws where nobody can be told: the exit code still says it.
  std::fputs(fmt::format("heed: {}\n", line).c_str(), stderr);
}

// Does what the arguments say; --help and --version, too, print and come back.
void parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& shown) {
    app.exit(shown);
  }
}

// So that a failed allocation is an exception wherever it happens. One that is thrown through the C
// library (oneDNN allocates in a pthread_once) is unwound with the help of libgcc, which is loaded
// at the first need: too late when memory has run out. The first need is here.
void be_ready_to_unwind() {
  void* frame = nullptr;
  backtrace(&frame, 1);
}

int run(int argc, char** argv) {
  be_ready_to_unwind();
  // A limit on the size of files is told as a full disk is, not by the end of the program.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app{"self-attention networks on ordinary CPUs, straight from files", "heed"};
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "Say what there is and how to use it");
  app.set_version_flag("--version", "heed " HEED_VERSION, "Say which heed this is");
  app.require_subcommand(1);
  // A flag that stands twice is a mistake; which one was meant nobody knows.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  add_check(app);
  add_train(app);
  add_evaluate(app);
  add_predict(app);
  add_describe(app);
  add_compare(app);
  add_bench(app);
  add_completion(app);
  app.footer(
      "Start with a file of labelled text, such as a CSV with columns text and label:\n"
      "  heed train classify reviews.csv -o reviews.heed\n"
      "  echo 'a quiet, moving film' | heed predict reviews.heed\n"
      "\n"
      "heed COMMAND --help says more about each, heed train classify --help the most.");
  try {
    check_command(app, argc, argv);
    parse(app, argc, argv);
    flush_output();
    return 0;
  } catch (const Exit& exit) {
    return exit.code;
  } catch (const CLI::ParseError& error) {
    say(explain(app, error));
    return kWrongUse;
  } catch (const UsageError& error) {
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

}  // namespace
}  // namespace heed::cli

int main(int argc, char** argv) {
  try {
    return heed::cli::run(argc, argv);
  } catch (...) {
    std::fputs("heed: there is not enough memory to say what is wrong\n", stderr);
    return heed::cli::kFailed;
  }
}
