#include "heed/eval/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/display.h"

namespace heed {
namespace {

std::string rounded_percent(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

std::string p_text(double p) {
  return p < 0.001 ? std::string("p < 0.001") : fmt::format("p = {:.{}f}", p, p < 0.1 ? 3 : 2);
}

// "lstm", "lstm and cnn", "lstm, cnn and bag"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

// Who won at one amount, and whom it cannot be told apart from.
std::string winner_sentence(const Comparison& comparison, const std::vector<Standing>& places) {
  const auto name = [&](const Standing& place) { return comparison.variants[place.variant].name; };
  const Standing& best = places.front();
  const std::string score = rounded_percent(best.score) + " " + comparison.score_name;
  if (places.size() == 1) return fmt::format("{} reached {}.", name(best), score);
  std::vector<std::string> close, behind;
  for (std::size_t i = 1; i < places.size(); ++i) {
    (places[i].told_apart() ? behind : close).push_back(name(places[i]));
  }
  const Standing& next = places[1];
  std::string text;
  if (rounded_percent(next.score) == rounded_percent(best.score)) {
    text = fmt::format("{} and {} did equally well: {}", name(best), name(next), score);
  } else {
    text = fmt::format("{} did best: {}, {:.1f} points more than {}, the next", name(best), score,
                       100.0 * (best.score - next.score), name(next));
  }
  if (close.empty()) {
    double worst = 0.0;
    for (std::size_t i = 1; i < places.size(); ++i) worst = std::max(worst, places[i].behind.p);
    return text + fmt::format(". That is more than chance ({}, paired bootstrap).", p_text(worst));
  }
  double smallest = 1.0;  // of those that are undecided
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (!places[i].told_apart()) smallest = std::min(smallest, places[i].behind.p);
  }
  text += fmt::format(
      ". Which is better is undecided: {} cannot be told apart from {} on these test examples and "
      "seeds (p = {:.2f} or more)",
      listed(close), name(best), smallest);
  if (!behind.empty()) {
    text += fmt::format("; {} {} behind by more than chance", listed(behind),
                        behind.size() == 1 ? "is" : "are");
  }
  return text + ".";
}

}  // namespace

std::string amount_text(double amount) { return fmt::format("{:.{}g} %", 100.0 * amount, 3); }

std::vector<Standing> standings(const Comparison& comparison, double amount,
                                const BootstrapOptions& options) {
  std::vector<Standing> places;
  std::vector<Outcomes> outcomes(comparison.variants.size());
  for (std::size_t v = 0; v < comparison.variants.size(); ++v) {
    Standing place;
    place.variant = v;
    place.lowest = 1.0;
    for (const ComparedRun& run : comparison.runs) {
      if (run.variant != v || run.amount != amount) continue;
      outcomes[v].right.push_back(run.right);
      place.examples = run.examples;
      place.score += run.score;
      place.seconds += run.seconds;
      place.lowest = std::min(place.lowest, run.score);
      place.highest = std::max(place.highest, run.score);
    }
    if (outcomes[v].right.empty()) continue;
    place.score /= static_cast<double>(outcomes[v].right.size());
    place.seconds /= static_cast<double>(outcomes[v].right.size());
    place.right = right_share(outcomes[v], comparison.answers, options);
    places.push_back(place);
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const Standing& a, const Standing& b) { return a.score > b.score; });
  std::vector<double> chances;
  for (std::size_t i = 1; i < places.size(); ++i) {
    places[i].behind = paired_difference(outcomes[places[0].variant], outcomes[places[i].variant],
                                         comparison.answers, options);
    chances.push_back(places[i].behind.p);
  }
  const std::vector<double> corrected = holm(chances);
  for (std::size_t i = 1; i < places.size(); ++i) places[i].behind.p = corrected[i - 1];
  return places;
}

std::vector<std::string> findings(const Comparison& comparison,
                                  const std::vector<std::vector<Standing>>& by_amount) {
  std::vector<std::string> sentences;
  if (by_amount.empty() || by_amount.back().empty()) return {"Nothing was trained."};
  sentences.push_back(winner_sentence(comparison, by_amount.back()));
  for (std::size_t i = 0; i + 1 < by_amount.size(); ++i) {
    sentences.push_back(fmt::format(
        "With {} of the data ({} examples), {}", amount_text(comparison.amounts[i]),
        with_commas(by_amount[i].front().examples), winner_sentence(comparison, by_amount[i])));
  }
  if (comparison.seeds == 1) {
    sentences.push_back(
        "There was one seed: how much another would change is not known. --seeds 3 would tell.");
  }
  return sentences;
}

}  // namespace heed
