#include "cli/bench.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/bench/decode.h"
#include "cli/bench/decode_model.h"
#include "cli/bench/log_mel.h"
#include "cli/bench/workloads.h"
#include "cli/flag_values.h"
#include "heed/base/buffer.h"
#include "heed/kernel/matmul.h"
#include "heed/train/step.h"

namespace heed::cli {
namespace {

struct BenchOptions {
  std::vector<std::string> workloads;
  std::string mode = "train";
  int workers = 1;
  double seconds = 2.0;
  ModelDecodingOptions model;  // to decode with, in place of a workload, where it is named
  bool json = false;
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The best time of one call: machines are shared, and the best is the least disturbed. At least
// `least` calls, then until `seconds` are over.
template <typename Body>
double best_seconds(double seconds, Body body, int least = 3) {
  body();  // warm
  double best = 1e30;
  const double start = now();
  for (int calls = 0; calls < least || now() - start < seconds; ++calls) {
    const double begin = now();
    body();
    best = std::min(best, now() - begin);
  }
  return best;
}

// GFLOP/s of dense products (4096, 512) · (512, 512), every worker on its own.
double peak_gflops(Workers& workers, double seconds) {
  constexpr Index kRows = 4096, kWidth = 512;
  struct Operands {
    Buffer a{kRows * kWidth * sizeof(float)};
    Buffer b{kWidth * kWidth * sizeof(float)};
    Buffer c{kRows * kWidth * sizeof(float)};
  };
  std::vector<std::unique_ptr<Operands>> operands;
  for (int worker = 0; worker < workers.count(); ++worker) {
    operands.push_back(std::make_unique<Operands>());
    std::fill_n(operands.back()->a.floats(), kRows * kWidth, 0.5f);
    std::fill_n(operands.back()->b.floats(), kWidth * kWidth, 0.25f);
  }
  const double best = best_seconds(seconds, [&] {
    workers.run([&](int worker) {
      Operands& o = *operands[static_cast<std::size_t>(worker)];
      kernel::product({o.a.floats(), kRows, kWidth}, {o.b.floats(), kWidth, kWidth},
                      {o.c.floats(), kRows, kWidth}, kernel::Store::kOverwrite);
    });
  });
  return 2.0 * kRows * kWidth * kWidth * workers.count() / best * 1e-9;
}

struct Measurement {
  std::string workload, mode;
  int workers;
  double seconds, tokens_per_second = 0.0, gflops = 0.0, peak = 0.0;
  long memory = 0;
};

Measurement measure(const std::string& name, const BenchOptions& options) {
  const std::unique_ptr<Workload> workload = workload_maker(name)();
  Workers workers(options.workers);
  workload->deal_to(options.workers);
  const bool training = options.mode == "train";
  const double before = peak_gflops(workers, 0.3);
  double best = 0.0;
  if (training) {
    AdamW optimizer(workload->parameters());
    TrainingStep step(workload->parameters(), optimizer, workers);
    best = best_seconds(options.seconds, [&] {
      step([&](Context& context, int worker) { return workload->loss(context, worker); }, 1e-4f);
    });
  } else {
    std::vector<std::unique_ptr<Context>> contexts;
    contexts.reserve(static_cast<std::size_t>(options.workers));
    for (int w = 0; w < options.workers; ++w) contexts.push_back(std::make_unique<Context>());
    best = best_seconds(options.seconds, [&] {
      workers.run([&](int worker) {
        Context& context = *contexts[static_cast<std::size_t>(worker)];
        context.begin(Mode::kEvaluate);
        workload->loss(context, worker);
      });
    });
  }
  const double peak = std::max(before, peak_gflops(workers, 0.3));
  const double passes = training ? 3.0 * workload->training_passes() : 1.0;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {name,
          options.mode,
          options.workers,
          best,
          static_cast<double>(workload->tokens()) / best,
          workload->forward_flops() * passes / best * 1e-9,
          peak,
          usage.ru_maxrss * 1024};
}

Measurement decoded(Measurement measured, Index tokens) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  measured.tokens_per_second = static_cast<double>(tokens) / measured.seconds;
  measured.memory = usage.ru_maxrss * 1024;
  return measured;
}

// Tokens that are written in a second.
Measurement measure_decoding(const BenchOptions& options, const std::string& name, Index beam) {
  Decoding decoding;
  Workers workers(options.workers);
  const double best = best_seconds(
      options.seconds, [&] { decoding.write(workers, beam); }, options.seconds > 0.0 ? 3 : 1);
  return decoded({"translate", name, options.workers, best}, decoding.tokens());
}

// The same of a trained model and a file of texts.
Measurement measure_model(const BenchOptions& options, const std::string& name, Index beam) {
  ModelDecodingOptions asked = options.model;
  asked.beam = beam;
  ModelDecoding decoding(asked);
  Workers workers(options.workers);
  const double best = best_seconds(
      options.seconds, [&] { decoding.write(workers); }, options.seconds > 0.0 ? 3 : 1);
  if (!asked.written_to.empty()) decoding.save(fmt::format("{}.{}", asked.written_to, beam));
  return decoded({asked.model, name, options.workers, best}, decoding.tokens());
}

void print_decoding(const Measurement& m, bool json) {
  if (json) {
    const nlohmann::ordered_json line = {{"workload", m.workload},
                                         {"mode", m.mode},
                                         {"workers", m.workers},
                                         {"seconds", m.seconds},
                                         {"tokens_per_second", m.tokens_per_second},
                                         {"peak_memory_bytes", m.memory}};
    fmt::print("{}\n", line.dump());
  } else {
    fmt::print("{:<10} {:<6} {:>7} {:>11.2f} {:>12.0f} {:>35.0f}\n", m.workload, m.mode, m.workers,
               m.seconds * 1e3, m.tokens_per_second, static_cast<double>(m.memory) / 1048576.0);
  }
  std::fflush(stdout);
}

// Features of recordings: no network, so no steps.
constexpr const char* kLogMel = "log-mel";

void measure_log_mel(const BenchOptions& options, const char* mode, LogMelWork::From from) {
  const LogMelWork work(from, options.workers);
  Workers workers(options.workers);
  const double best = best_seconds(
      options.seconds, [&] { work.run(workers); }, 1);
  const double times = work.sound_seconds() / best / options.workers;
  if (options.json) {
    const nlohmann::ordered_json line = {{"workload", kLogMel},
                                         {"mode", mode},
                                         {"workers", options.workers},
                                         {"seconds", best},
                                         {"frames_per_second", work.frames() / best},
                                         {"times_real_time_per_core", times}};
    fmt::print("{}\n", line.dump());
  } else {
    fmt::print("{:<10} {:<6} {:>7} {:>11.2f} {:>12.0f}  {:.0f} times real time on each core\n",
               kLogMel, mode, options.workers, best * 1e3, work.frames() / best, times);
  }
  std::fflush(stdout);
}

void print(const Measurement& m, bool json) {
  if (json) {
    const nlohmann::ordered_json line = {{"workload", m.workload},
                                         {"mode", m.mode},
                                         {"workers", m.workers},
                                         {"seconds_per_step", m.seconds},
                                         {"tokens_per_second", m.tokens_per_second},
                                         {"gflops", m.gflops},
                                         {"peak_gflops", m.peak},
                                         {"share_of_peak", m.gflops / m.peak},
                                         {"peak_memory_bytes", m.memory}};
    fmt::print("{}\n", line.dump());
  } else {
    fmt::print("{:<10} {:<6} {:>7} {:>11.2f} {:>12.0f} {:>9.1f} {:>9.1f} {:>7.2f} {:>8.0f}\n",
               m.workload, m.mode, m.workers, m.seconds * 1e3, m.tokens_per_second, m.gflops,
               m.peak, m.gflops / m.peak, static_cast<double>(m.memory) / 1048576.0);
  }
  std::fflush(stdout);
}

// In a process of its own, since the system counts the most memory of a process and not of a part
// of its life.
template <typename Measure>
void measure_apart(const std::string& name, const Measure& measured) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) throw IoError(fmt::format("bench: cannot begin a process: {}", strerror(errno)));
  if (child == 0) {
    int status = 0;
    try {
      measured();
    } catch (const std::exception& error) {
      fmt::print(stderr, "heed: {}\n", error.what());
      status = 1;
    }
    _exit(status);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status)) {
    throw IoError(fmt::format("bench: {} was ended by signal {}", name, WTERMSIG(status)));
  }
  if (WEXITSTATUS(status) != 0) throw IoError(fmt::format("bench: {} was not measured", name));
}

void run(const BenchOptions& options) {
  const auto names = options.workloads.empty() ? workload_names() : options.workloads;
  for (const std::string& name : names) {
    if (name != kLogMel) workload_maker(name);  // a wrong name fails before the work
  }
  if (!options.json) {
    fmt::print("{:<10} {:<6} {:>7} {:>11} {:>12} {:>9} {:>9} {:>7} {:>8}\n", "workload", "mode",
               "workers", "ms/step", "tokens/s", "GFLOP/s", "peak", "share", "MiB");
  }
  for (const std::string& name : names) {
    if (name == kLogMel) {
      measure_log_mel(options, "sound", LogMelWork::From::kSamples);
      measure_log_mel(options, "file", LogMelWork::From::kFile);
    } else if (options.mode == "decode") {
      for (const auto& [mode, beam] : {std::pair("greedy", 1), std::pair("beam 5", 5)}) {
        measure_apart(name, [&, mode = mode, beam = beam] {
          const bool trained = !options.model.model.empty();
          print_decoding(
              trained ? measure_model(options, mode, beam) : measure_decoding(options, mode, beam),
              options.json);
        });
      }
    } else {
      measure_apart(name, [&] { print(measure(name, options), options.json); });
    }
  }
}

// "translate decode" is short for "translate --mode decode".
void settle(BenchOptions& options) {
  std::vector<std::string>& names = options.workloads;
  if (std::erase(names, "decode") > 0) options.mode = "decode";
  const ModelDecodingOptions& model = options.model;
  if (model.model.empty() != model.texts.empty()) {
    throw UsageError("--model and --texts: expected both, or neither");
  }
  if (!model.model.empty() && options.mode != "decode") {
    throw UsageError("--model: only with --mode decode");
  }
  if (model.model.empty() && !model.written_to.empty()) {
    throw UsageError("--written: only with --model");
  }
  if (options.mode != "decode") return;
  if (names.empty()) names = {"translate"};
  for (const std::string& name : names) {
    if (name == "translate") continue;
    throw UsageError(fmt::format("--mode decode: {} writes nothing, expected translate", name));
  }
}

}  // namespace

void add_bench(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* bench = app.add_subcommand(
      "bench", "Measure how fast this machine trains and runs the standard workloads");
  bench
      ->add_option("WORKLOAD", options->workloads,
                   fmt::format("Which: {}; all of these when none is named. Also text-rnn, "
                               "text-cnn and so on: text with another body; longest: 32,768 "
                               "tokens at once; and log-mel: features of recordings",
                               fmt::join(workload_names(), ", ")))
      ->type_name(fmt::format("{}", fmt::join(workload_names(), "|")));
  bench
      ->add_option("--mode", options->mode,
                   "train: a step with its update; infer: forward only; decode: sentences that are "
                   "written, greedily and with a beam of 5 (translate)")
      ->type_name("train|infer|decode")
      ->check(one_of({"train", "infer", "decode"}))
      ->capture_default_str();
  bench->add_option("--workers", options->workers, "Threads, each with its own part of the batch")
      ->check(whole_number(between(1, 1024)))
      ->capture_default_str();
  bench->add_option("--seconds", options->seconds, "How long to measure each workload")
      ->check(number(between(0, 3600)))
      ->capture_default_str();
  CLI::Option_group* trained = bench->add_option_group("Decoding with a trained model");
  trained
      ->add_option("--model", options->model.model,
                   "Decode with this model, which writes texts for texts")
      ->type_name("FOLDER");
  trained->add_option("--texts", options->model.texts, "What it reads, a text in each line")
      ->type_name("FILE");
  trained->add_option("--batch", options->model.together, "Texts that are decoded together")
      ->check(whole_number(between(1, 100000)))
      ->capture_default_str();
  trained
      ->add_option("--written", options->model.written_to,
                   "Keep the tokens of sources and results as JSON lines: FILE.1 those of "
                   "greedy search, FILE.5 those of the beam")
      ->type_name("FILE");
  bench->add_flag("--json", options->json, "One JSON object per line");
  bench->footer(
      "Share is the model's own floating-point work per second (three forward passes\n"
      "for a step) as a part of what dense matrix products reach on the same workers,\n"
      "measured in the same run.\n"
      "\n"
      "heed bench translate decode writes 1,024 sentences; its tokens per second are\n"
      "those of the sentences that come out.\n"
      "\n"
      "heed bench log-mel makes features of a minute of sound at 16 kHz, and of a file\n"
      "of 44.1 kHz in stereo; its tokens are frames.");
  bench->callback([options] {
    settle(*options);
    run(*options);
  });
}

}  // namespace heed::cli
