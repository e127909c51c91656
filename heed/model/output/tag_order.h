#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/base/names.h"
#include "heed/data/dataset.h"
#include "heed/eval/spans.h"
#include "heed/grad/crf.h"

namespace heed {

// Which tags may follow which.
//
//   kAny     any: tags that mark no spans, or spans that begin with I- (IOB1)
//   kIob2    I-X only behind B-X or I-X (BIO)
//   kIobes   also: what B- or I- began goes on, up to E- (BIOES, BILOU)
enum class TagOrder { kAny, kIob2, kIobes };
template <>
struct Names<TagOrder> {
  static constexpr Name<TagOrder> kTable[] = {
      {TagOrder::kAny, "any"}, {TagOrder::kIob2, "iob2"}, {TagOrder::kIobes, "iobes"}};
};

// The strictest order that the tags of the data keep to. A few slips of whoever tagged it, up to
// one span in twenty, do not count.
TagOrder find_tag_order(const Dataset& data, std::span<const std::string> names);

// The order as scores that are added to those of a chain: 0 for what may be, and so little for what
// may not that no other score makes up for it.
class TagOrderScores {
 public:
  TagOrderScores(std::span<const std::string> names, TagOrder order);

  // With those of a CRF; they live as long as this does and until the next call. Not for several
  // threads.
  grad::CrfParameters parameters();
  grad::CrfParameters added_to(const grad::CrfParameters& crf);

 private:
  Index tags_;
  std::vector<float> transitions_, start_, end_;  // (tags, tags), (tags), (tags)
  std::vector<float> sums_;                       // the three, added to others
};

}  // namespace heed
