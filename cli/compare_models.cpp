#include "cli/compare_models.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/display.h"
#include "heed/base/error.h"
#include "heed/eval/paired.h"

namespace heed::cli {
namespace {

constexpr double kCertain = 0.05;

struct Difference {
  PairedDifference paired;
  double corrected = 1.0;  // p with Holm's correction for several models
};

// Two or more with the same measure on as many examples.
void check_comparable(const std::vector<ComparedModel>& models) {
  const ComparedModel& first = models.front();
  for (const ComparedModel& model : models) {
    if (model.measures->sums().empty()) {
      throw UsageError(fmt::format("{}: its score, {}, cannot be compared example by example",
                                   model.folder, model.measures->score_name()));
    }
    if (model.measures->score_name() != first.measures->score_name() ||
        model.measures->sums().size() != first.measures->sums().size()) {
      throw UsageError(fmt::format("{} and {} cannot be compared: their scores are {} and {}",
                                   first.folder, model.folder, first.measures->score_name(),
                                   model.measures->score_name()));
    }
  }
}

BootstrapOptions resampling(std::size_t examples) {
  return {.resamples = examples <= 20000 ? 10000 : 1000};
}

std::vector<Difference> differences_of(const std::vector<ComparedModel>& models) {
  check_comparable(models);
  const auto first = models.front().measures->sums();
  const auto score = [&](std::span<const double> sums) {
    return models.front().measures->score_of(sums);
  };
  std::vector<Difference> differences;
  std::vector<double> p;
  for (std::size_t i = 1; i < models.size(); ++i) {
    differences.push_back(
        {paired_difference(models[i].measures->sums(), first, score, resampling(first.size()))});
    p.push_back(differences.back().paired.p);
  }
  const std::vector<double> corrected = holm(p);
  for (std::size_t i = 0; i < corrected.size(); ++i) differences[i].corrected = corrected[i];
  return differences;
}

// How many examples one of two got fully right and the other did not; sums are right and all.
struct Disagreement {
  Index only_first = 0, only_second = 0;
};

Disagreement disagreement(const Measures& first, const Measures& second) {
  const auto ours = first.sums(), theirs = second.sums();
  Disagreement result;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const double a = first.score_of(ours[i]), b = second.score_of(theirs[i]);
    result.only_first += a > b ? 1 : 0;
    result.only_second += b > a ? 1 : 0;
  }
  return result;
}

}  // namespace

std::string compared_text(const std::vector<ComparedModel>& models) {
  const std::vector<Difference> differences = differences_of(models);
  const Measures& first = *models.front().measures;
  const std::size_t examples = first.sums().size();
  std::size_t width = 0;
  for (const ComparedModel& model : models) width = std::max(width, columns(model.folder));
  std::string text =
      fmt::format("{} examples\n\n{}  {:>10}\n", with_commas(static_cast<Index>(examples)),
                  pad_right("", width), first.score_name());
  for (const ComparedModel& model : models) {
    text += fmt::format("{}  {:>8.2f} %\n", pad_right(model.folder, width),
                        100.0 * model.measures->score());
  }
  for (std::size_t i = 0; i < differences.size(); ++i) {
    const Difference& difference = differences[i];
    const ComparedModel& model = models[i + 1];
    const Interval& interval = difference.paired.interval;
    const Disagreement apart = disagreement(first, *model.measures);
    text += fmt::format(
        "\n{} − {}: {:+.2f} points, 95 % interval {:+.2f} to {:+.2f}, p = {:.4f}{}\n"
        "better on {} examples, worse on {}, as good on {}\n{}\n",
        printable(model.folder), printable(models.front().folder), 100.0 * difference.paired.value,
        100.0 * interval.low, 100.0 * interval.high, difference.corrected,
        models.size() > 2 ? " (Holm's correction)" : "", with_commas(apart.only_second),
        with_commas(apart.only_first),
        with_commas(static_cast<Index>(examples) - apart.only_first - apart.only_second),
        difference.corrected < kCertain
            ? "The difference is more than chance: another test set would hardly turn it around."
            : "The difference may be chance: another test set could turn it around.");
  }
  return text + fmt::format("\nPaired bootstrap: {} test sets drawn from this one.\n",
                            with_commas(resampling(examples).resamples));
}

void write_compared(const JsonPlace& place, const std::vector<ComparedModel>& models) {
  const std::vector<Difference> differences = differences_of(models);
  const Measures& first = *models.front().measures;
  place["examples"].set(static_cast<std::int64_t>(first.sums().size()));
  place["measure"].set(std::string_view(first.score_name()));
  const JsonPlace list = place["models"];
  list.set_list();
  for (std::size_t i = 0; i < models.size(); ++i) {
    const JsonPlace one = list.append();
    one["model"].set(std::string_view(models[i].folder));
    one["score"].set(models[i].measures->score());
    if (i == 0) continue;
    const Difference& difference = differences[i - 1];
    one["difference"].set(difference.paired.value);
    one["interval"].append().set(difference.paired.interval.low);
    one["interval"].append().set(difference.paired.interval.high);
    one["p"].set(difference.corrected);
    const Disagreement apart = disagreement(first, *models[i].measures);
    one["better_on"].set(apart.only_second);
    one["worse_on"].set(apart.only_first);
  }
}

}  // namespace heed::cli
