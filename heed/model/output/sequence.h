#pragma once

#include <memory>

#include "heed/data/text/tokenizer.h"
#include "heed/model/output.h"
#include "heed/model/output/search.h"
#include "heed/nn/decoder.h"
#include "heed/nn/position.h"

namespace heed {

// What a model is chosen by, and what `evaluate` prints first.
enum class SequenceMeasure { kBleu, kRouge, kWordErrors };

struct SequenceOptions {
  // Of the targets, trained on them alone; case and normal form are kept: they are to be written.
  TokenizerOptions tokenizer{.kind = TokenizerOptions::Kind::kBpe,
                             .vocabulary = 5000,
                             .lowercase = false,
                             .normalization = UnicodeForm::kNfc};
  bool shared = false;     // targets are divided by the tokenizer of the input, not by their own
  bool copy = false;       // tokens of the source can be copied (grad/copy.h); needs `shared`
  Index entries = 0;       // of the tokenizer, once it is trained
  Index truncation = 256;  // tokens of a target that are learned; 0: all that have a position
  nn::PositionOptions position{};  // of written tokens; its width is the model's
  nn::DecoderOptions decoder;      // its width is the model's
  // The part of the loss that is CTC on the rows of the body, which must then be at least as many
  // as the tokens: a recording's, say. With 1 there is nothing else, and no decoder.
  float ctc = 0.0f;
  float smoothing = 0.1f;  // label smoothing
  float dropout = 0.1f;    // on the vectors of tokens
  SequenceMeasure measure = SequenceMeasure::kBleu;
  SequenceSearch search{};
};
template <class Archive>
void describe(Archive& archive, SequenceOptions& options);

// The most tokens of a target that have a position, its end not counted; 0: any number.
Index most_positions(const SequenceOptions& options);

// A text of any length, written token by token: a Transformer decoder over the vectors of the body,
// with the same table of vectors for the tokens that are read and for those that are written.
//   (rows, width) → (tokens, entries + 1), the last entry being the begin and the end of a text.
// Parameters: words, decoder, copy, ctc.
//
// With `ctc` the rows themselves are scored too (grad/ctc.h), the last entry being the blank: it
// teaches the body where in a recording the tokens are. Where that finds no token at all, as in
// silence, nothing is written.
//
// The answers of a batch are tokens in the first column of batch.answer, each with its end.
class SequenceOutput : public PartOf<SequenceOutput, Output, SequenceOptions> {
 public:
  SequenceOutput();

  AnswerKind answer_kind() const override { return AnswerKind::kSequence; }
  std::string purpose(ContentKind content) const override;

  void fit(const Dataset& all, bool will_be_split) override;
  void learn(const Dataset& train) override;
  void balance(const Dataset& train) override;
  std::string unseen(const Dataset&, const std::string&) const override { return {}; }
  void prepare(const Answer& answer, Batch& batch) const override;
  Index answer_rows(const Batch& batch) const override;
  Index most_evaluated() const override { return 1000; }
  double weight(const Batch& batch) const override;
  Index classes() const override { return options_.entries + 1; }
  std::string summary() const override;
  void assume_classes() override { options_.entries = options_.tokenizer.vocabulary; }
  const std::string& name_of(std::int32_t index) const override;
  bool can_average() const override { return false; }
  std::string no_mean() const override { return "the output sequence: texts have no mean"; }

  void set_dropout(float rate) override;
  void apply(const SizePreset& size) override;
  std::vector<std::string> files() const override { return Tokenizer::files(kPrefix); }
  void save(const std::string& folder) const override;
  void load(const std::string& folder) override;
  void share(std::shared_ptr<const Tokenizer> tokenizer) override;

  std::unique_ptr<OutputNetwork> network(const Scope& scope, Index width) const override;
  std::unique_ptr<Measures> measures() const override;

  std::string written_text(const Record& record,
                           std::span<const std::int32_t> tokens) const override;
  Answer answer(const Record& record, const Prediction& prediction) const override;
  std::string answer_text(const Record& record, const Prediction& prediction) const override;
  void write_answer(const JsonPlace& place, const Record& record,
                    const Prediction& prediction) const override;
  std::vector<std::string> column_names(Index top) const override;
  std::vector<KeptCell> cells(const Record& record, const Prediction& prediction,
                              Index top) const override;
  // Texts that differ from the truth, the least alike first.
  std::vector<Mistake> mistakes(const Record& record, const Prediction& prediction) const override;
  std::string mistake_value() const override { return "chrF"; }

 private:
  static constexpr const char* kPrefix = "target.";

  std::string text_of(const Written& written) const { return tokenizer_->decode(written.tokens); }

  std::shared_ptr<const Tokenizer> tokenizer_;
  std::shared_ptr<const Tokenizer> of_input_;  // null where the input has none
};

}  // namespace heed
