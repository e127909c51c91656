#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/bench.h"
#include "cli/evaluate.h"
#include "cli/exit.h"
#include "cli/predict.h"
#include "cli/train.h"
#include "heed/base/error.h"

int main(int argc, char** argv) {
  using namespace heed::cli;
  CLI::App app{"heed: self-attention networks on ordinary CPUs, straight from files", "heed"};
  app.set_version_flag("--version", "heed " HEED_VERSION);
  app.require_subcommand(1);
  add_train(app);
  add_evaluate(app);
  add_predict(app);
  add_bench(app);
  try {
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
