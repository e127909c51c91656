#include "heed/model/output.h"

#include <fmt/format.h>

#include "heed/base/display.h"
#include "heed/base/error.h"
#include "heed/data/content.h"
#include "heed/grad/linear.h"

namespace heed {

Var OutputNetwork::add(Context& context, const Var& scores, const WideScores& wide) {
  if (wide.scores.value.data == nullptr) return scores;
  return grad::add(context, scores, wide.scores, wide.network);
}

Var OutputNetwork::loss_of_two(Context&, const Sequences&, const Sequences&, const Batch&,
                               const WideScores&) const {
  fail<UsageError>("loss", "this output does not compare two passes");
}

double shown(const NamedScore& score) {
  switch (score.form) {
    case ScoreForm::kHundred:
      return 100.0 * score.value;
    case ScoreForm::kErrors:
      return 1.0 - score.value;
    case ScoreForm::kInverse:
      return 1.0 / score.value;
    case ScoreForm::kPercent:
      break;
  }
  return score.value;
}

std::string score_text(const NamedScore& score) {
  const bool share = score.form == ScoreForm::kPercent || score.form == ScoreForm::kErrors;
  return share ? fmt::format("{:.2f} %", 100.0 * shown(score))
               : fmt::format("{:.2f}", shown(score));
}

std::string Output::summary() const { return fmt::format("{} classes", with_commas(classes())); }

std::string Output::written_text(const Record& record, std::span<const std::int32_t>) const {
  throw UsageError("this model does not write texts; it " + purpose(kind_of(record.content)));
}

std::vector<Prediction> OutputNetwork::write(Reader&, const Batch&, Index,
                                             const TokenWritten&) const {
  fail<UsageError>("write", "this output does not continue sequences");
}

std::vector<Prediction> OutputNetwork::write(Context&, const Sequences&, const Batch&, Index,
                                             const TokenWritten&) const {
  fail<UsageError>("write", "this output does not write texts");
}

std::vector<std::string> Output::column_names(Index) const { return {"predicted"}; }

std::vector<KeptCell> Output::cells(const Record& record, const Prediction& prediction,
                                    Index) const {
  const JsonText text;
  write_answer(text.root(), record, prediction);
  return {{text.line(), false}};
}

}  // namespace heed
