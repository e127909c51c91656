#pragma once

#include <deque>
#include <vector>

#include "heed/base/workers.h"
#include "heed/nn/decoder.h"
#include "heed/nn/embedding.h"
#include "heed/nn/position.h"

namespace heed::cli {

// The network of the workload `translate`, which writes 1,024 sentences as long as those of
// Multi30k are: the weights are made up, so no sentence ends before that.
class Decoding {
 public:
  Decoding();

  // Writes all of them; each worker takes the next few that nobody has. A beam of 1 is greedy.
  void write(Workers& workers, Index beam);
  // That are written.
  Index tokens() const;

 private:
  void write_batch(Context& context, Index first, Index count, Index beam) const;

  Parameters parameters_{1};
  std::vector<Index> source_lengths_, target_lengths_;
  std::vector<Index> source_begins_;
  nn::Embedding source_, target_;
  nn::Positions positions_;
  nn::Encoder encoder_;
  nn::Decoder decoder_;
  nn::Linear last_;
  std::vector<std::int32_t> source_ids_;
  std::deque<Context> contexts_;  // one for each worker
};

}  // namespace heed::cli
