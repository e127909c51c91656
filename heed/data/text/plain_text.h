#pragma once

#include <utility>

#include "heed/data/lines.h"
#include "heed/data/text/labelled_text.h"

namespace heed {

// One text on each line and no label. Empty lines are texts too, so that what comes out can be
// laid beside what went in.
class PlainTextSource : public TextSource {
 public:
  explicit PlainTextSource(LineReader lines) : lines_(std::move(lines)) {}

  bool next(LabelledText& example) override {
    if (!lines_.next(example.text)) return false;
    example.label.clear();
    example.file = lines_.path();
    example.line = lines_.line();
    return true;
  }
  bool ready() override { return lines_.ready(); }
  Index repaired() const override { return lines_.repaired(); }

 private:
  LineReader lines_;
};

}  // namespace heed
