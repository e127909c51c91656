#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/data/text/tokenizer.h"
#include "heed/model/output.h"
#include "heed/model/output/search.h"

namespace heed {

struct NextTokenOptions {
  Index entries = 0;       // of the input's tokenizer, once it is trained
  float smoothing = 0.0f;  // label smoothing
  // Tokens are drawn: the likeliest text of a language model is one that repeats itself.
  SequenceSearch search{.beam = 1,
                        .length_penalty = 1.0f,
                        .longest = 100,
                        .ratio = 0.0f,
                        .temperature = 0.8f,
                        .top_k = 0,
                        .top_p = 0.95f,
                        .seed = 1};
};
template <class Archive>
void describe(Archive& archive, NextTokenOptions& options);

// A language model: at each row of a causal body the token that comes next, scored by the same
// vectors that the input has for tokens.
//   (rows, width) → (rows, entries + 1), the last entry being the begin and the end of a text.
// It has no parameters of its own.
//
// The answers of a batch are the tokens of a text with its end, in the first column of
// batch.answer, one for each row. Where they are not known, the text is continued.
class NextTokenOutput : public PartOf<NextTokenOutput, Output, NextTokenOptions> {
 public:
  AnswerKind answer_kind() const override { return AnswerKind::kItself; }
  std::string purpose(ContentKind) const override { return "continues texts"; }

  void fit(const Dataset& all, bool will_be_split) override;
  void learn(const Dataset& train) override;
  void balance(const Dataset& train) override;
  std::string unseen(const Dataset&, const std::string&) const override { return {}; }
  void prepare(const Answer& answer, Batch& batch) const override;
  void keep_rows(Batch& batch, Index first, Index count) const override;
  double weight(const Batch& batch) const override;
  Index classes() const override { return options_.entries + 1; }
  std::string summary() const override { return "each predicted from those before it"; }
  void assume_classes() override {}
  const std::string& name_of(std::int32_t index) const override;
  bool can_average() const override { return false; }
  std::string no_mean() const override { return "the output next_token: texts have no mean"; }
  bool predicts_input() const override { return true; }
  void share(std::shared_ptr<const Tokenizer> tokenizer) override;
  bool continues(const Batch& batch) const override;
  // What was written behind the text of a record.
  std::string written_text(const Record& record,
                           std::span<const std::int32_t> tokens) const override;

  void load(const std::string& folder) override;

  std::unique_ptr<OutputNetwork> network(const Scope& scope, Index width) const override;
  std::unique_ptr<Measures> measures() const override;
  // Perplexity per word: the less, the better.

  Answer answer(const Record& record, const Prediction& prediction) const override;
  std::string answer_text(const Record& record, const Prediction& prediction) const override;
  void write_answer(const JsonPlace& place, const Record& record,
                    const Prediction& prediction) const override;

 private:
  std::shared_ptr<const Tokenizer> tokenizer_;
};

}  // namespace heed
