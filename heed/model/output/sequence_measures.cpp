#include "heed/model/output/sequence_measures.h"

#include <fmt/format.h>

#include "heed/base/display.h"
#include "heed/eval/bleu.h"
#include "heed/eval/bootstrap.h"
#include "heed/eval/error_rate.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;

template <class Score>
Score scored(Score score, const Strings& said, const Strings& meant) {
  for (std::size_t i = 0; i < said.size(); ++i) score.add(said[i], meant[i]);
  return score;
}

// A score of a corpus that is Σ first / Σ second over its texts, with its interval.
Measure ratio_of(const std::vector<std::pair<double, double>>& texts) {
  const std::vector<Index> counts(texts.size(), 1);
  const auto scores = [&](std::span<const Index> drawn, std::span<double> result) {
    double first = 0.0, second = 0.0;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      first += static_cast<double>(drawn[i]) * texts[i].first;
      second += static_cast<double>(drawn[i]) * texts[i].second;
    }
    result[0] = second > 0.0 ? first / second : 0.0;
  };
  return texts.empty() ? Measure() : bootstrap(counts, 1, scores, {}).front();
}

Measure word_errors(const Strings& said, const Strings& meant) {
  std::vector<std::pair<double, double>> texts;
  for (std::size_t i = 0; i < said.size(); ++i) {
    ErrorRate one(ErrorRate::Unit::kWords);
    one.add(said[i], meant[i]);
    texts.emplace_back(one.edits(), one.reference());
  }
  return ratio_of(texts);
}

Measure rouge_l(const Strings& said, const Strings& meant) {
  std::vector<std::pair<double, double>> texts;
  for (std::size_t i = 0; i < said.size(); ++i) {
    Rouge one;
    one.add(said[i], meant[i]);
    texts.emplace_back(one.rouge_l(), 1.0);
  }
  return ratio_of(texts);
}

void write_measure(const JsonPlace& place, const Measure& measure, double factor) {
  place["value"].set(factor * measure.value);
  place["interval"].append().set(factor * measure.interval.low);
  place["interval"].append().set(factor * measure.interval.high);
}

Bleu bleu_of(const Strings& said, const Strings& meant) {
  return scored(Bleu(tokens_for(meant)), said, meant);
}

std::string bleu_report(const Strings& said, const Strings& meant) {
  const Bleu bleu = bleu_of(said, meant);
  const Chrf chrf = scored(Chrf(), said, meant);
  const Measure measure = bleu.measure();
  const Bleu::Counts& counts = bleu.counts();
  const auto parts = counts.precisions();
  return fmt::format(
      "BLEU  {:.2f}  (95 % interval {:.2f} to {:.2f})\n"
      "      {}\n"
      "      n-grams of 1 to 4 words right: {:.1f} / {:.1f} / {:.1f} / {:.1f} %, brevity penalty "
      "{:.3f},\n"
      "      {} words for {} of the references\n"
      "chrF  {:.2f}\n"
      "      {}\n",
      measure.value, measure.interval.low, measure.interval.high, bleu.signature(), parts[0],
      parts[1], parts[2], parts[3], counts.brevity(), with_commas(counts.hypothesis),
      with_commas(counts.reference), chrf.score(), Chrf::signature());
}

}  // namespace

void SequenceMeasures::add(const Answer& truth, const Prediction& prediction) {
  const auto* text = std::get_if<Sequence>(&truth);
  meant_.push_back(text == nullptr ? std::string() : text->text);
  said_.push_back(prediction.written.empty()
                      ? std::string()
                      : tokenizer_->decode(prediction.written.front().tokens));
}

// As a part of 1, as other outputs have it.
double SequenceMeasures::score() const {
  switch (kind_) {
    case SequenceMeasure::kRouge:
      return scored(Rouge(), said_, meant_).rouge_l();
    case SequenceMeasure::kWordErrors:
      return 1.0 - scored(ErrorRate(ErrorRate::Unit::kWords), said_, meant_).rate();
    default:
      return bleu_of(said_, meant_).score() / 100.0;
  }
}

std::string SequenceMeasures::score_name() const {
  switch (kind_) {
    case SequenceMeasure::kRouge:
      return "ROUGE-L";
    case SequenceMeasure::kWordErrors:
      return "word error rate";
    default:
      return "BLEU";
  }
}

std::string SequenceMeasures::report() const {
  std::string text = fmt::format("{} texts\n", with_commas(std::ssize(said_)));
  if (kind_ == SequenceMeasure::kWordErrors) {
    const Measure words = word_errors(said_, meant_);
    return text +
           fmt::format(
               "word error rate       {:.2f} %  (95 % interval {:.2f} to {:.2f})\n"
               "character error rate  {:.2f} %\n",
               100.0 * words.value, 100.0 * words.interval.low, 100.0 * words.interval.high,
               100.0 * scored(ErrorRate(ErrorRate::Unit::kCharacters), said_, meant_).rate());
  }
  if (kind_ == SequenceMeasure::kRouge) {
    const Rouge rouge = scored(Rouge(), said_, meant_);
    const Measure longest = rouge_l(said_, meant_);
    text += fmt::format(
        "ROUGE-1  {:.2f}\nROUGE-2  {:.2f}\nROUGE-L  {:.2f}  (95 % interval {:.2f} to {:.2f})\n",
        100.0 * rouge.rouge1(), 100.0 * rouge.rouge2(), 100.0 * longest.value,
        100.0 * longest.interval.low, 100.0 * longest.interval.high);
  }
  return text + bleu_report(said_, meant_);
}

void SequenceMeasures::write(const JsonPlace& place) const {
  place["texts"].set(static_cast<std::int64_t>(said_.size()));
  const Bleu bleu = bleu_of(said_, meant_);
  const Measure measure = bleu.measure();
  const JsonPlace of_bleu = place["bleu"];
  write_measure(of_bleu, measure, 1.0);
  of_bleu["signature"].set(std::string_view(bleu.signature()));
  const JsonPlace of_chrf = place["chrf"];
  of_chrf["value"].set(scored(Chrf(), said_, meant_).score());
  of_chrf["signature"].set(std::string_view(Chrf::signature()));
  const Rouge rouge = scored(Rouge(), said_, meant_);
  place["rouge"]["1"].set(100.0 * rouge.rouge1());
  place["rouge"]["2"].set(100.0 * rouge.rouge2());
  place["rouge"]["l"].set(100.0 * rouge.rouge_l());
  write_measure(place["rouge_l"], rouge_l(said_, meant_), 100.0);
  write_measure(place["word_errors"], word_errors(said_, meant_), 100.0);
  const auto rate = [&](const char* name, ErrorRate::Unit unit) {
    const ErrorRate errors = scored(ErrorRate(unit), said_, meant_);
    if (errors.reference() > 0) place[name].set(errors.rate());
  };
  rate("word_error_rate", ErrorRate::Unit::kWords);
  rate("character_error_rate", ErrorRate::Unit::kCharacters);
}

}  // namespace heed
