#include "heed/model/text_examples.h"

#include <gtest/gtest.h>

#include <numeric>

#include "heed/data/text/vocabulary.h"
#include "heed/model/input/spelling.h"
#include "tests/support/made_examples.h"

namespace heed {
namespace {

using Ids = std::vector<std::int32_t>;

class TextExamplesTest : public testing::Test {
 protected:
  TextExamplesTest() {
    config_.output.names = {"bad", "good"};
    const std::vector<std::string> texts = {"the cat sees the dog", "the cat", "the"};
    tokenizer_ = Tokenizer::train(config_.text.tokenizer, texts);
    config_.text.entries = tokenizer_->size();
  }

  TextExamples prepare() const { return {config_, tokenizer_}; }

  Config config_;
  std::shared_ptr<const Tokenizer> tokenizer_;
};

TEST_F(TextExamplesTest, WordsBecomeTokensAndLabelsTheirPlaceAmongTheNames) {
  const Example example = prepare().labelled("The CAT sees a unicorn", "good");
  ASSERT_EQ(example.tokens.size(), 5u);
  EXPECT_EQ(tokenizer_->piece(example.tokens[0]), "the");
  EXPECT_EQ(tokenizer_->piece(example.tokens[1]), "cat");
  EXPECT_EQ(example.tokens[4], Vocabulary::kUnknown);
  EXPECT_EQ(example.label, 1);
  EXPECT_TRUE(example.grams.empty() && example.gram_counts.empty() && example.tags.empty());
  EXPECT_EQ(prepare().labelled("cat", "never heard of").label, kNoAnswer);
  EXPECT_EQ(prepare().labelled("cat", "").label, kNoAnswer);
}

TEST_F(TextExamplesTest, AnEmptyTextIsOneUnknownWord) {
  for (const Index buckets : {0, 10}) {
    config_.text.letters.buckets = buckets;
    for (const char* text : {"", "  "}) {
      const Example example = prepare().labelled(text, "bad");
      EXPECT_EQ(example.tokens, Ids{Vocabulary::kUnknown});
      EXPECT_EQ(example.gram_counts.size(), buckets > 0 ? 1u : 0u);
    }
  }
}

TEST_F(TextExamplesTest, WhatIsTooLongIsCutWithItsLettersAndTags) {
  config_.text.longest = 3;
  config_.text.letters.buckets = 50;
  const std::vector<std::string> words = {"the", "dog", "sees", "the", "cat"};
  const Example whole = prepare().tagged({"the", "dog", "sees"}, {"good", "bad", "good"});
  const Example cut = prepare().tagged(words, {"good", "bad", "good", "bad", "bad"});
  EXPECT_EQ(cut.tokens, whole.tokens);
  EXPECT_EQ(cut.tags, (Ids{1, 0, 1}));
  EXPECT_EQ(cut.gram_counts, whole.gram_counts);
  EXPECT_EQ(cut.grams, whole.grams);
}

TEST_F(TextExamplesTest, InSegmentsNothingIsCut) {
  config_.text.longest = 3;
  config_.text.beyond = Beyond::kSegments;
  config_.text.letters.buckets = 10;
  const Example text = prepare().labelled("a b c d e f g", "good");
  EXPECT_EQ(text.tokens.size(), 7u);
  EXPECT_EQ(text.gram_counts.size(), 7u);
  EXPECT_EQ(prepare().tagged({"a", "b", "c", "d"}, {"good", "bad", "bad", "good"}).tags.size(), 4u);
}

TEST_F(TextExamplesTest, EveryWordHasItsLetters) {
  config_.text.letters = {.buckets = 1000, .shortest = 2, .longest = 3};
  // "<ab>": <a ab b> and <ab ab>.  "<a>": <a a> and <a>.
  const Example tagged = prepare().tagged({"ab", "a"}, {});
  EXPECT_EQ(tagged.gram_counts, (Ids{5, 3}));
  EXPECT_EQ(tagged.grams[0], tagged.grams[5]);  // both begin with <a
  for (const std::int32_t gram : tagged.grams) EXPECT_TRUE(gram >= 0 && gram < 1000);
  // Words of a text as the tokenizer divides it.
  const Example text = prepare().labelled("Ünïted, they stand!", "good");
  EXPECT_EQ(text.gram_counts.size(), text.tokens.size());
  EXPECT_EQ(std::accumulate(text.gram_counts.begin(), text.gram_counts.end(), 0),
            static_cast<int>(text.grams.size()));
}

TEST_F(TextExamplesTest, EveryWordIsSpelledBetweenItsEnds) {
  config_.text.spelling.filters = 4;
  config_.text.longest = 2;
  const Example tagged = prepare().tagged({"ab", "é", "cut off"}, {});
  EXPECT_EQ(tagged.letter_counts, (Ids{4, 3}));
  EXPECT_EQ(tagged.letters, (Ids{kWordBegin, 'a', 'b', kWordEnd, kWordBegin, 0xE9, kWordEnd}));
  EXPECT_EQ(prepare().labelled("", "good").letters, (Ids{kWordBegin, kWordEnd}));
  const Example broken = prepare().tagged({"\xff\xfe", std::string(500, 'x')}, {});
  EXPECT_EQ(broken.letter_counts.front(), 4);
  EXPECT_LT(broken.letter_counts.back(), 50);
  for (const char32_t code : {U'\0', U'a', U'中', U'😀', char32_t{0x10FFFF}}) {
    const std::int32_t number = letter_number(code);
    EXPECT_TRUE(number >= 0 && number < kLetters) << static_cast<std::uint32_t>(code);
  }
}

TEST_F(TextExamplesTest, LettersOfTaggedWordsKeepTheirCapitals) {
  config_.text.letters.buckets = 100000;
  const Example small = prepare().tagged({"cat"}, {}), large = prepare().tagged({"Cat"}, {});
  EXPECT_EQ(small.tokens, large.tokens);
  EXPECT_NE(small.grams, large.grams);
}

}  // namespace
}  // namespace heed
