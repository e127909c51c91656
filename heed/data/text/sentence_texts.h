#pragma once

#include <memory>
#include <string>
#include <utility>

#include "heed/data/record_source.h"
#include "heed/data/text/split_words.h"

namespace heed {

// Texts split into words, for a model that tags them. A text of tens of thousands of characters is
// given in parts (Record::continues), cut behind a sentence where there is one.
class SentenceTexts : public RecordSource {
 public:
  enum class Split { kWords, kSpaces };

  SentenceTexts(std::unique_ptr<RecordSource> texts, Split split, KnowsWord knows)
      : texts_(std::move(texts)), split_(split), knows_(std::move(knows)) {}

  bool next(Record& record) override;
  bool ready() override { return begin_ > 0 || texts_->ready(); }
  Index repaired() const override { return texts_->repaired(); }
  KnownColumns columns() const override { return texts_->columns(); }
  const KeptRow* head() const override { return texts_->head(); }
  std::string rest() const override { return texts_->rest(); }

 private:
  std::unique_ptr<RecordSource> texts_;
  Split split_;
  KnowsWord knows_;
  Record whole_;           // whose text is given in parts
  std::size_t begin_ = 0;  // of the next part
  Index characters_ = 0;   // before it
};

}  // namespace heed
