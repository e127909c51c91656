#include "heed/eval/spans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "heed/base/random.h"

namespace heed {
namespace {

using TagNames = std::vector<std::string>;

const TagNames kNames = {"O",     "B-PER", "I-PER", "E-PER", "S-PER",
                         "B-LOC", "I-LOC", "E-LOC", "S-LOC"};

using Sentences = std::vector<std::vector<std::int32_t>>;

// "O B-PER I-PER" → the indices of these in kNames.
std::vector<std::int32_t> tags(const std::string& text) {
  std::vector<std::int32_t> ids;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto found = std::find(kNames.begin(), kNames.end(), word);
    if (found == kNames.end()) throw std::logic_error("no such tag: " + word);
    ids.push_back(static_cast<std::int32_t>(found - kNames.begin()));
  }
  return ids;
}

// "PER[0,2) LOC[3,4)"
std::string spans(const std::string& text) {
  const TagScheme scheme(kNames);
  std::string shown;
  for (const TagSpan& span : spans_of(scheme, tags(text))) {
    shown += (shown.empty() ? "" : " ") + scheme.types()[static_cast<std::size_t>(span.type)] +
             "[" + std::to_string(span.begin) + "," + std::to_string(span.end) + ")";
  }
  return shown;
}

// Each of these was compared with what seqeval 1.2.2 finds.
TEST(Spans, AreReadAsConllevalReadsThem) {
  EXPECT_EQ(spans(""), "");
  EXPECT_EQ(spans("O O"), "");
  // IOB2
  EXPECT_EQ(spans("B-PER I-PER O B-LOC"), "PER[0,2) LOC[3,4)");
  EXPECT_EQ(spans("B-PER B-PER I-PER"), "PER[0,1) PER[1,3)");
  // IOB1: B only between two spans of one type
  EXPECT_EQ(spans("I-PER I-PER B-PER I-PER O I-LOC"), "PER[0,2) PER[2,4) LOC[5,6)");
  EXPECT_EQ(spans("I-PER I-LOC I-LOC"), "PER[0,1) LOC[1,3)");
  // IOBES
  EXPECT_EQ(spans("S-PER B-LOC I-LOC E-LOC S-LOC"), "PER[0,1) LOC[1,4) LOC[4,5)");
  EXPECT_EQ(spans("S-PER S-PER"), "PER[0,1) PER[1,2)");
  // Against the rules of every scheme
  EXPECT_EQ(spans("B-PER I-LOC"), "PER[0,1) LOC[1,2)");
  EXPECT_EQ(spans("O E-PER E-PER I-PER"), "PER[1,2) PER[2,3) PER[3,4)");
  EXPECT_EQ(spans("S-PER I-PER E-PER O"), "PER[0,1) PER[1,3)");
  EXPECT_EQ(spans("B-PER E-LOC I-LOC"), "PER[0,1) LOC[1,2) LOC[2,3)");
}

TEST(Spans, TypesMayHaveHyphensAndMayBeMissing) {
  const std::vector<std::string> names = {"O", "B-work-of-art", "I-work-of-art", "B", "I-"};
  const TagScheme scheme(names);
  EXPECT_TRUE(scheme.has_spans());
  EXPECT_EQ(scheme.types(), (std::vector<std::string>{"_", "work-of-art"}));
  const std::vector<std::int32_t> sentence = {1, 2, 3, 4};
  EXPECT_EQ(spans_of(scheme, sentence), (std::vector<TagSpan>{{1, 0, 2}, {0, 2, 4}}));
}

TEST(Spans, BilouIsReadAsIobes) {
  const std::vector<std::string> names = {"O", "B-X", "I-X", "L-X", "U-X"};
  const std::vector<std::int32_t> sentence = {4, 1, 2, 3, 1, 3};
  EXPECT_EQ(spans_of(TagScheme(names), sentence),
            (std::vector<TagSpan>{{0, 0, 1}, {0, 1, 4}, {0, 4, 6}}));
}

TEST(Spans, PartsOfSpeechAreNoSpanScheme) {
  EXPECT_FALSE(TagScheme(TagNames{"NOUN", "VERB", "X", "INTJ"}).has_spans());
  EXPECT_FALSE(TagScheme(TagNames{"B", "I", "O"}).has_spans());
  EXPECT_FALSE(TagScheme(TagNames{"O"}).has_spans());
  EXPECT_FALSE(TagScheme(TagNames{"B-PER", "I-PER", "NOUN"}).has_spans());
  EXPECT_FALSE(TagScheme(TagNames{}).has_spans());
  EXPECT_TRUE(TagScheme(TagNames{"I-PER", "O"}).has_spans());
  const TagNames names = {"NOUN", "VERB"};
  const Tagging tagging =
      score_tags(TagScheme(names), Sentences{{0, 1, 1}, {0}}, Sentences{{0, 1, 0}, {0}});
  EXPECT_FALSE(tagging.has_spans);
  EXPECT_TRUE(tagging.types.empty());
  EXPECT_DOUBLE_EQ(tagging.token_accuracy.value, 0.75);
}

// The example in seqeval's documentation, with its numbers: the first span of MISC (here LOC)
// begins a token early, PER is right.
TEST(Spans, PublishedExampleOfSeqeval) {
  const TagScheme scheme(kNames);
  const Sentences truth = {tags("O O O B-LOC I-LOC I-LOC O"), tags("B-PER I-PER O")};
  const Sentences predicted = {tags("O O B-LOC I-LOC I-LOC I-LOC O"), tags("B-PER I-PER O")};
  const Tagging tagging = score_tags(scheme, truth, predicted);
  EXPECT_EQ(tagging.sentences, 2);
  EXPECT_EQ(tagging.tokens, 10);
  EXPECT_DOUBLE_EQ(tagging.token_accuracy.value, 0.8);
  EXPECT_DOUBLE_EQ(tagging.all.precision(), 0.5);
  EXPECT_DOUBLE_EQ(tagging.all.recall(), 0.5);
  EXPECT_DOUBLE_EQ(tagging.micro_f1.value, 0.5);
  EXPECT_EQ(tagging.types, (std::vector<std::string>{"LOC", "PER"}));
  EXPECT_EQ(tagging.scores[0].f1(), 0.0);
  EXPECT_EQ(tagging.scores[1].f1(), 1.0);
  EXPECT_EQ(tagging.scores[1].support, 1);
}

// Three spans in truth; the two that were said are right. A span does not reach over the end of a
// sentence, and a single B is the same span as S.
TEST(Spans, SmallCaseByHand) {
  const TagScheme scheme(kNames);
  const Sentences truth = {tags("O B-PER"), tags("I-PER O B-LOC"), tags("")};
  const Sentences predicted = {tags("O B-PER"), tags("O O S-LOC"), tags("")};
  const Tagging tagging = score_tags(scheme, truth, predicted);
  EXPECT_EQ(tagging.all.support, 3);
  EXPECT_EQ(tagging.all.predicted, 2);
  EXPECT_EQ(tagging.all.correct, 2);
  EXPECT_DOUBLE_EQ(tagging.all.precision(), 1.0);
  EXPECT_DOUBLE_EQ(tagging.all.recall(), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(tagging.micro_f1.value, 0.8);
  EXPECT_DOUBLE_EQ(tagging.scores[1].recall(), 0.5);
  EXPECT_DOUBLE_EQ(tagging.token_accuracy.value, 3.0 / 5.0);
}

TEST(Spans, OrderOfSentencesChangesNothingIntervalsHoldTheScorePerfectIsOne) {
  const TagScheme scheme(kNames);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Sentences truth(1 + random.below(30)), predicted;
    for (auto& sentence : truth) {
      sentence.resize(1 + random.below(8));
      for (auto& tag : sentence) tag = static_cast<std::int32_t>(random.below(9));
      predicted.push_back(sentence);
      for (auto& tag : predicted.back()) {
        if (random.below(4) == 0) tag = static_cast<std::int32_t>(random.below(9));
      }
    }
    const Tagging first = score_tags(scheme, truth, predicted);
    const Tagging perfect = score_tags(scheme, truth, truth);
    EXPECT_EQ(perfect.token_accuracy.value, 1.0);
    EXPECT_LT(perfect.token_accuracy.interval.low, 1.0);  // a few right ones prove little
    EXPECT_EQ(perfect.token_accuracy.interval.high, 1.0);
    EXPECT_EQ(perfect.micro_f1.value, perfect.all.support > 0 ? 1.0 : 0.0);
    std::reverse(truth.begin(), truth.end());
    std::reverse(predicted.begin(), predicted.end());
    const Tagging second = score_tags(scheme, truth, predicted);
    EXPECT_EQ(first.micro_f1.value, second.micro_f1.value);
    EXPECT_EQ(first.micro_f1.interval.low, second.micro_f1.interval.low);
    EXPECT_EQ(first.token_accuracy.interval.high, second.token_accuracy.interval.high);
    for (const Measure& measure : {first.token_accuracy, first.micro_f1}) {
      EXPECT_LE(measure.interval.low, measure.value);
      EXPECT_LE(measure.value, measure.interval.high);
    }
  }
}

TEST(Spans, EmptyUnequalAndUnknownAreErrors) {
  const TagScheme scheme(kNames);
  EXPECT_THROW(score_tags(scheme, Sentences{}, Sentences{}), UsageError);
  EXPECT_THROW(score_tags(scheme, Sentences{{}}, Sentences{{}}), UsageError);
  EXPECT_THROW(score_tags(scheme, Sentences{{0}}, Sentences{}), ShapeError);
  EXPECT_THROW(score_tags(scheme, Sentences{{0, 1}}, Sentences{{0}}), ShapeError);
  EXPECT_THROW(score_tags(scheme, Sentences{{9}}, Sentences{{0}}), ShapeError);
}

TEST(Spans, NoTagIsNeverRightAndOutsideOfAnySpan) {
  const std::vector<std::string> names = {"O", "B-PER", "I-PER"};
  const TagScheme scheme(names);
  const Tagging cut =
      score_tags(scheme, Sentences{{1, 2, 0, 1, 2, 0}}, Sentences{{1, 2, 0, 1, -1, -1}});
  EXPECT_EQ(cut.tokens, 6);
  EXPECT_NEAR(cut.token_accuracy.value, 4.0 / 6.0, 1e-12);
  EXPECT_EQ(cut.all.support, 2);
  EXPECT_EQ(cut.all.predicted, 2);
  EXPECT_EQ(cut.all.correct, 1);
  EXPECT_THROW(score_tags(scheme, Sentences{{-1}}, Sentences{{0}}), ShapeError);
  EXPECT_THROW(score_tags(scheme, Sentences{{0}}, Sentences{{-2}}), ShapeError);
}

}  // namespace
}  // namespace heed
