#pragma once

#include "heed/model/output/classes.h"
#include "heed/model/output/tag_order.h"

namespace heed {

struct TagsOptions {
  ClassOptions classes{};
  bool crf = false;                 // a conditional random field: tags that know their neighbours
  TagOrder spans = TagOrder::kAny;  // what may follow what in answers; found out from the data
};
template <class Archive>
void describe(Archive& archive, TagsOptions& options);

// One answer for each row: a linear layer, and with `crf` a linear-chain CRF on top, which finds
// the best sequence of tags and not the best tag of each row.
//   (rows, width) → (rows, tags).  Parameters: last, crf.
class TagsOutput : public ClassOutput<TagsOutput, TagsOptions> {
 public:
  AnswerKind answer_kind() const override { return AnswerKind::kTags; }
  std::string purpose(ContentKind content) const override {
    return content == ContentKind::kText ? "tags words" : "tags the parts of " + plural(content);
  }

  void fit(const Dataset& all, bool will_be_split) override;
  void balance(const Dataset& train) override;
  void prepare(const Answer& answer, Batch& batch) const override;
  void keep_rows(Batch& batch, Index first, Index count) const override {
    batch.answer.integers(0).keep(first, count);
  }
  bool answers_rows() const override { return true; }
  bool takes_wide() const override { return true; }
  bool can_average() const override { return !options_.crf; }
  std::string no_mean() const override { return "a CRF: sequences of tags have no mean"; }

  std::unique_ptr<OutputNetwork> network(const Scope& scope, Index width) const override;
  std::unique_ptr<Measures> measures() const override;

  Answer answer(const Record& record, const Prediction& prediction) const override;
  std::string answer_text(const Record& record, const Prediction& prediction) const override;
  void write_answer(const JsonPlace& place, const Record& record,
                    const Prediction& prediction) const override;
  Index most_in_text() const override { return 1; }
  std::vector<KeptCell> cells(const Record& record, const Prediction& prediction,
                              Index top) const override;
  std::vector<Mistake> mistakes(const Record& record, const Prediction& prediction) const override;
  void settle(Prediction& prediction) const override;

 private:
  std::vector<std::string> tag_names(const Record& record, const Prediction& prediction) const;
  void write_spans(const JsonPlace& list, const Record& record, const Prediction& prediction) const;
  void write_words(const JsonPlace& list, const Record& record, const Prediction& prediction) const;
};

}  // namespace heed
