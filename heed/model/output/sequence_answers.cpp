// Written texts as columns of a table, as mistakes, and example by example.
#include <fmt/format.h>

#include <cmath>

#include "heed/eval/bleu.h"
#include "heed/eval/error_rate.h"
#include "heed/model/output/sequence.h"
#include "heed/model/output/sequence_measures.h"

namespace heed {

std::vector<std::string> SequenceOutput::column_names(Index top) const {
  std::vector<std::string> names{"predicted", "score"};
  for (Index i = 2; i <= top; ++i) {
    names.push_back(fmt::format("predicted_{}", i));
    names.push_back(fmt::format("score_{}", i));
  }
  return names;
}

// A search may find fewer texts than were asked for.
std::vector<KeptCell> SequenceOutput::cells(const Record&, const Prediction& prediction,
                                            Index top) const {
  std::vector<KeptCell> cells;
  for (Index i = 0; i < std::max<Index>(top, 1); ++i) {
    const auto place = static_cast<std::size_t>(i);
    const bool found = place < prediction.written.size();
    cells.push_back({found ? text_of(prediction.written[place]) : std::string()});
    cells.push_back(
        {found ? fmt::format("{:.4f}", prediction.written[place].score) : "null", false});
  }
  return cells;
}

std::vector<Mistake> SequenceOutput::mistakes(const Record& record,
                                              const Prediction& prediction) const {
  const auto* truth = std::get_if<Sequence>(&record.answer);
  if (truth == nullptr) return {};
  const std::string said =
      prediction.written.empty() ? std::string() : text_of(prediction.written.front());
  if (said == truth->text) return {};
  Chrf chrf;
  chrf.add(said, truth->text);
  return {{{}, truth->text, said, chrf.score(), -chrf.score()}};
}

std::vector<std::vector<double>> SequenceMeasures::sums() const {
  std::vector<std::vector<double>> sums;
  const ScoreTokens tokens = tokens_for(meant_);
  for (std::size_t i = 0; i < said_.size(); ++i) {
    std::vector<double>& parts = sums.emplace_back();
    if (kind_ == SequenceMeasure::kRouge) {
      Rouge rouge;
      rouge.add(said_[i], meant_[i]);
      parts = {rouge.rouge_l(), 1.0};
    } else if (kind_ == SequenceMeasure::kWordErrors) {
      ErrorRate errors(ErrorRate::Unit::kWords);
      errors.add(said_[i], meant_[i]);
      parts = {static_cast<double>(errors.reference() - errors.edits()),
               static_cast<double>(errors.reference())};
    } else {
      Bleu bleu(tokens);
      bleu.add(said_[i], meant_[i]);
      const Bleu::Counts& counts = bleu.counts();
      parts = {static_cast<double>(counts.hypothesis), static_cast<double>(counts.reference)};
      for (const Index n : counts.correct) parts.push_back(static_cast<double>(n));
      for (const Index n : counts.total) parts.push_back(static_cast<double>(n));
    }
  }
  return sums;
}

double SequenceMeasures::score_of(std::span<const double> sums) const {
  if (kind_ == SequenceMeasure::kRouge || kind_ == SequenceMeasure::kWordErrors) {
    return sums[1] == 0.0 ? 0.0 : sums[0] / sums[1];
  }
  Bleu::Counts counts;
  counts.hypothesis = std::llround(sums[0]);
  counts.reference = std::llround(sums[1]);
  for (std::size_t n = 0; n < Bleu::kOrder; ++n) {
    counts.correct[n] = std::llround(sums[2 + n]);
    counts.total[n] = std::llround(sums[2 + Bleu::kOrder + n]);
  }
  return counts.score() / 100.0;
}

}  // namespace heed
