#include "heed/eval/spans.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "heed/data/batch.h"

namespace heed {
namespace {

struct ParsedTag {
  char part;  // 0 for a tag of no span scheme
  std::string type;
};

ParsedTag parse(std::string_view name) {
  if (name == "O") return {'O', ""};
  const bool bare = name.size() == 1;
  if (name.empty() || (!bare && name[1] != '-')) return {0, ""};
  const std::size_t kind = std::string_view("BIESLU").find(name[0]);
  if (kind == std::string_view::npos) return {0, ""};
  const std::string_view type = bare ? "" : name.substr(2);
  return {"BIESES"[kind], type.empty() ? "_" : std::string(type)};
}

// What one sentence adds to the sums of which every score is made.
enum Sum : std::size_t { kTokens, kRightTokens, kSupport, kPredicted, kCorrect, kSums };
using Sums = std::array<Index, kSums>;

void find_scores(const Sums& sums, std::span<double> scores) {
  scores[0] = ClassScore::share(sums[kRightTokens], sums[kTokens]);
  scores[1] = ClassScore{sums[kSupport], sums[kPredicted], sums[kCorrect]}.f1();
}

void check(const TagScheme& scheme, TagSentences truth, TagSentences predicted) {
  if (truth.size() != predicted.size()) {
    fail<ShapeError>("score_tags",
                     "expected as many predicted sentences as true ones, got {} and {}",
                     predicted.size(), truth.size());
  }
  Index tokens = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i].size() != predicted[i].size()) {
      fail<ShapeError>("score_tags", "expected {} tags in sentence {}, got {}", truth[i].size(), i,
                       predicted[i].size());
    }
    const auto check_tag = [&](std::int32_t tag) {
      if (tag >= 0 && tag < scheme.tags()) return;
      fail<ShapeError>("score_tags", "expected tags from 0 to {}, got {} in sentence {}",
                       scheme.tags() - 1, tag, i);
    };
    for (const std::int32_t tag : truth[i]) check_tag(tag);
    for (const std::int32_t tag : predicted[i]) {
      if (tag != kNoAnswer) check_tag(tag);
    }
    tokens += static_cast<Index>(truth[i].size());
  }
  if (tokens == 0) fail<UsageError>("score_tags", "expected at least one token, got none");
}

// Counts the spans of a sentence into the score of their type; both lists are in order.
void count_spans(const std::vector<TagSpan>& truth, const std::vector<TagSpan>& predicted,
                 std::vector<ClassScore>& scores, Sums& sums) {
  for (const TagSpan& span : truth) ++scores[static_cast<std::size_t>(span.type)].support;
  auto candidate = truth.begin();
  for (const TagSpan& span : predicted) {
    ClassScore& score = scores[static_cast<std::size_t>(span.type)];
    ++score.predicted;
    while (candidate != truth.end() && candidate->begin < span.begin) ++candidate;
    if (candidate != truth.end() && *candidate == span) {
      ++score.correct;
      ++sums[kCorrect];
    }
  }
  sums[kSupport] += static_cast<Index>(truth.size());
  sums[kPredicted] += static_cast<Index>(predicted.size());
}

}  // namespace

TagScheme::TagScheme(std::span<const std::string> names) {
  std::map<std::string, std::int32_t> types;
  std::vector<ParsedTag> parsed;
  bool all = true, marks = false;
  for (const std::string& name : names) {
    parsed.push_back(parse(name));
    const char part = parsed.back().part;
    all = all && part != 0;
    marks = marks || ((part == 'B' || part == 'I') && name.size() > 1);
    if (part != 0 && part != 'O') types.emplace(parsed.back().type, 0);
  }
  has_spans_ = all && marks;
  for (auto& [name, index] : types) {
    index = static_cast<std::int32_t>(types_.size());
    types_.push_back(name);
  }
  for (const ParsedTag& tag : parsed) {
    const bool outside = tag.part == 0 || tag.part == 'O';
    tags_.push_back(outside ? Tag{} : Tag{tag.part, types.at(tag.type)});
  }
}

std::vector<TagSpan> spans_of(const TagScheme& scheme, std::span<const std::int32_t> tags) {
  std::vector<TagSpan> spans;
  bool open = false;
  for (std::size_t i = 0; i < tags.size(); ++i) {
    const TagScheme::Tag tag = tags[i] == kNoAnswer ? TagScheme::Tag{} : scheme[tags[i]];
    if (tag.part == 'O') {
      open = false;
      continue;
    }
    const auto here = static_cast<Index>(i);
    const bool goes_on =
        open && spans.back().type == tag.type && (tag.part == 'I' || tag.part == 'E');
    if (!goes_on) spans.push_back({tag.type, here, here});
    spans.back().end = here + 1;
    open = tag.part == 'B' || tag.part == 'I';
  }
  return spans;
}

Tagging score_tags(const TagScheme& scheme, TagSentences truth, TagSentences predicted,
                   const BootstrapOptions& options) {
  check(scheme, truth, predicted);
  Tagging result;
  result.sentences = static_cast<Index>(truth.size());
  result.has_spans = scheme.has_spans();
  std::vector<ClassScore> scores(scheme.types().size());
  std::map<Sums, Index> kinds;  // sentences that count alike, and how many there are
  for (std::size_t i = 0; i < truth.size(); ++i) {
    Sums sums{};
    sums[kTokens] = static_cast<Index>(truth[i].size());
    for (std::size_t token = 0; token < truth[i].size(); ++token) {
      sums[kRightTokens] += truth[i][token] == predicted[i][token];
    }
    if (result.has_spans) {
      count_spans(spans_of(scheme, truth[i]), spans_of(scheme, predicted[i]), scores, sums);
    }
    result.tokens += sums[kTokens];
    ++kinds[sums];
  }
  if (result.has_spans) {
    for (std::size_t type = 0; type < scores.size(); ++type) {
      if (scores[type].support + scores[type].predicted == 0) continue;
      result.types.push_back(scheme.types()[type]);
      result.scores.push_back(scores[type]);
      result.all.support += scores[type].support;
      result.all.predicted += scores[type].predicted;
      result.all.correct += scores[type].correct;
    }
  }

  std::vector<Index> counts;
  std::vector<Sums> sums_of_kind;
  for (const auto& [sums, sentences] : kinds) {
    sums_of_kind.push_back(sums);
    counts.push_back(sentences);
  }
  const auto measures = bootstrap(
      counts, 2,
      [&](std::span<const Index> drawn, std::span<double> found) {
        Sums total{};
        for (std::size_t kind = 0; kind < drawn.size(); ++kind) {
          for (std::size_t sum = 0; sum < kSums; ++sum) {
            total[sum] += drawn[kind] * sums_of_kind[kind][sum];
          }
        }
        find_scores(total, found);
      },
      options);
  result.token_accuracy = measures[0];
  result.micro_f1 = measures[1];
  return result;
}

}  // namespace heed
