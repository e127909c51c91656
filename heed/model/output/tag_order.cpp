#include "heed/model/output/tag_order.h"

#include <algorithm>

#include "heed/model/output/classes.h"

namespace heed {
namespace {

constexpr float kNever = -1e6f;  // added many times it is still a float
constexpr TagScheme::Tag kOutsideTag{};

bool opens(const TagScheme::Tag& tag) { return tag.part == 'B' || tag.part == 'I'; }
bool goes_on(const TagScheme::Tag& tag) { return tag.part == 'I' || tag.part == 'E'; }

// Whether `tag` may stand behind `before`; the ends of a sentence are outside.
bool may_follow(const TagScheme::Tag& before, const TagScheme::Tag& tag, TagOrder order) {
  if (order == TagOrder::kAny) return true;
  const bool inside = opens(before) && before.type == tag.type;
  if (goes_on(tag)) return inside;
  return order == TagOrder::kIob2 || !opens(before);
}

struct Slips {
  Index iob2 = 0, iobes = 0, spans = 0;
};

Slips count_slips(const Dataset& data, const TagScheme& scheme, const ClassIndex& index) {
  Slips slips;
  for (const Record& record : data.records) {
    TagScheme::Tag before = kOutsideTag;
    const auto step = [&](const TagScheme::Tag& tag) {
      slips.iob2 += may_follow(before, tag, TagOrder::kIob2) ? 0 : 1;
      slips.iobes += may_follow(before, tag, TagOrder::kIobes) ? 0 : 1;
      slips.spans += tag.part == 'B' || tag.part == 'S' ? 1 : 0;
      before = tag;
    };
    each_name(record.answer, [&](const std::string& name) {
      const std::int32_t tag = index[name];
      step(tag == kNoAnswer ? kOutsideTag : scheme[tag]);
    });
    step(kOutsideTag);
  }
  return slips;
}

}  // namespace

TagOrder find_tag_order(const Dataset& data, std::span<const std::string> names) {
  constexpr Index kSpansOfASlip = 20;
  const TagScheme scheme(names);
  if (!scheme.has_spans()) return TagOrder::kAny;
  const Slips slips = count_slips(data, scheme, ClassIndex(names));
  bool ends = false;
  for (std::int32_t tag = 0; tag < scheme.tags(); ++tag) ends = ends || scheme[tag].part == 'E';
  if (ends && slips.iobes * kSpansOfASlip <= slips.spans) return TagOrder::kIobes;
  return slips.iob2 * kSpansOfASlip <= slips.spans ? TagOrder::kIob2 : TagOrder::kAny;
}

TagOrderScores::TagOrderScores(std::span<const std::string> names, TagOrder order)
    : tags_(std::ssize(names)) {
  const TagScheme scheme(names);
  const auto score = [&](const TagScheme::Tag& before, const TagScheme::Tag& tag) {
    return may_follow(before, tag, order) ? 0.0f : kNever;
  };
  for (std::int32_t from = 0; from < scheme.tags(); ++from) {
    start_.push_back(score(kOutsideTag, scheme[from]));
    end_.push_back(score(scheme[from], kOutsideTag));
    for (std::int32_t to = 0; to < scheme.tags(); ++to) {
      transitions_.push_back(score(scheme[from], scheme[to]));
    }
  }
}

grad::CrfParameters TagOrderScores::parameters() {
  return {{{transitions_.data(), {tags_, tags_}}},
          {{start_.data(), {tags_}}},
          {{end_.data(), {tags_}}}};
}

grad::CrfParameters TagOrderScores::added_to(const grad::CrfParameters& crf) {
  sums_.clear();
  const auto add = [&](const std::vector<float>& ours, const Var& theirs) {
    for (std::size_t i = 0; i < ours.size(); ++i) {
      sums_.push_back(ours[i] + theirs.value[static_cast<Index>(i)]);
    }
  };
  add(transitions_, crf.transitions);
  add(start_, crf.start);
  add(end_, crf.end);
  float* start = sums_.data() + transitions_.size();
  return {{{sums_.data(), {tags_, tags_}}}, {{start, {tags_}}}, {{start + start_.size(), {tags_}}}};
}

}  // namespace heed
