#pragma once

#include <deque>
#include <string>
#include <vector>

#include "heed/base/workers.h"
#include "heed/model/model.h"

namespace heed::cli {

// What a model that writes texts is measured on.
struct ModelDecodingOptions {
  std::string model;       // its folder
  std::string texts;       // a file with a source in each line
  Index beam = 1;          // 1: greedy
  Index together = 64;     // sentences of a batch, those of similar length
  std::string written_to;  // a file for the tokens; empty: none
};

// A trained model that writes a text for each line of a file. Only the writing is measured: from
// the tokens of the sources to those of the targets.
class ModelDecoding {
 public:
  explicit ModelDecoding(const ModelDecodingOptions& options);

  // Writes all of them; each worker takes the next batch that nobody has, the longest first.
  void write(Workers& workers);
  // That were written, the ends of texts not counted.
  Index tokens() const;
  // A line for each text, in the order of the file: {"source": [ids], "written": [ids]}.
  void save(const std::string& path) const;

 private:
  Model model_;
  std::vector<std::vector<std::size_t>> groups_;  // numbers of texts
  std::vector<Batch> batches_;                    // one for each group
  std::vector<std::vector<std::int32_t>> sources_, written_;
  std::deque<Context> contexts_;  // one for each worker
};

}  // namespace heed::cli
