#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/bench.h"
#include "cli/completion.h"
#include "cli/describe.h"
#include "cli/evaluate.h"
#include "cli/exit.h"
#include "cli/help.h"
#include "cli/predict.h"
#include "cli/train.h"
#include "heed/base/error.h"

int main(int argc, char** argv) {
  using namespace heed::cli;
  CLI::App app{"self-attention networks on ordinary CPUs, straight from files", "heed"};
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "Say what there is and how to use it");
  app.set_version_flag("--version", "heed " HEED_VERSION, "Say which heed this is");
  app.require_subcommand(1);
  add_train(app);
  add_evaluate(app);
  add_predict(app);
  add_describe(app);
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
    app.parse(argc, argv);
    return 0;
  } catch (const Exit& exit) {
    return exit.code;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUse;
  } catch (const heed::UsageError& error) {
    fmt::print(stderr, "heed: {}\n", error.what());
    return kWrongUse;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "heed: there is not enough memory for this\n");
    return kFailed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "heed: {}\n", error.what());
    return kFailed;
  }
}
