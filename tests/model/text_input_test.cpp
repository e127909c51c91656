#include "heed/model/input/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "heed/data/text/vocabulary.h"
#include "heed/model/input/char_cnn.h"
#include "heed/model/output/label.h"
#include "heed/model/output/tags.h"

namespace heed {
namespace {

using Ids = std::vector<std::int32_t>;

class TextInputTest : public testing::Test {
 protected:
  TextInputTest() {
    Dataset train;
    for (const char* text : {"the cat sees the dog", "the cat", "the"}) {
      train.records.push_back(make_record(Text{text}));
    }
    input_.fit(train);
  }

  Batch prepare(const Content& content) const {
    Batch batch;
    input_.prepare(content, batch);
    return batch;
  }

  static Ids column(const Batch& batch, TextInput::Column slot) {
    const auto values = batch.input.integers(slot).values();
    return {values.begin(), values.end()};
  }
  static Ids tokens(const Batch& batch) { return column(batch, TextInput::kTokens); }

  TextOptions& options() { return input_.options(); }

  TextInput input_;
};

TEST_F(TextInputTest, WordsBecomeTokens) {
  EXPECT_EQ(options().entries, 5);  // with the unknown word
  const Batch batch = prepare(Text{"The CAT sees a unicorn"});
  const Ids ids = tokens(batch);
  ASSERT_EQ(ids.size(), 5u);
  EXPECT_EQ(batch.lengths, std::vector<Index>{5});
  EXPECT_EQ(input_.tokenizer().piece(ids[0]), "the");
  EXPECT_EQ(input_.tokenizer().piece(ids[1]), "cat");
  EXPECT_EQ(ids[4], Vocabulary::kUnknown);
  EXPECT_TRUE(column(batch, TextInput::kNgrams).empty());
  EXPECT_TRUE(column(batch, TextInput::kCharacterIds).empty());
}

TEST_F(TextInputTest, AnEmptyTextIsOneUnknownWord) {
  for (const Index buckets : {0, 10}) {
    options().char_ngrams.buckets = buckets;
    for (const char* text : {"", "  "}) {
      const Batch batch = prepare(Text{text});
      EXPECT_EQ(tokens(batch), Ids{Vocabulary::kUnknown});
      EXPECT_EQ(batch.lengths, std::vector<Index>{1});
      EXPECT_EQ(column(batch, TextInput::kNgramCounts).size(), buckets > 0 ? 1u : 0u);
    }
    EXPECT_EQ(tokens(prepare(Sentence{})), Ids{Vocabulary::kUnknown});
  }
}

TEST_F(TextInputTest, LearnsFromRandomPartsOfALongText) {
  options().crop = 2;
  options().char_ngrams.buckets = 1000;
  options().char_cnn.filters = 4;
  const Batch whole = prepare(Text{"the cat sees the dog"});
  EXPECT_EQ(input_.varied_length(5), 2);
  EXPECT_EQ(input_.varied_length(1), 1);
  std::vector<bool> seen(4, false);
  for (std::uint64_t key = 0; key < 50; ++key) {
    Batch batch = prepare(Text{"the dog"});  // what came before stays as it is
    const Batch before = batch;
    batch.append(whole, 0);
    Random random(key);
    const Input::Rows kept = input_.vary(batch, random);
    ASSERT_EQ(kept.count, 2);
    seen[static_cast<std::size_t>(kept.first)] = true;
    EXPECT_EQ(batch.lengths, (std::vector<Index>{2, 2}));
    // As if the part had been all of the text.
    const std::vector<std::string> words = {"the", "cat", "sees", "the", "dog"};
    const auto first = static_cast<std::size_t>(kept.first);
    Batch part = before;
    part.append(prepare(Text{words[first] + " " + words[first + 1]}), 0);
    for (const TextInput::Column slot :
         {TextInput::kTokens, TextInput::kNgramCounts, TextInput::kNgrams,
          TextInput::kCharacterCounts, TextInput::kCharacterIds}) {
      EXPECT_EQ(column(batch, slot), column(part, slot)) << slot;
    }
  }
  EXPECT_EQ(seen, std::vector<bool>(4, true));
}

TEST_F(TextInputTest, WhatIsTooLongIsCutWithItsCharactersAndTags) {
  options().truncation = 3;
  options().char_ngrams.buckets = 50;
  options().char_cnn.filters = 4;
  EXPECT_EQ(input_.longest(), 3);
  const std::vector<std::string> words = {"the", "dog", "sees", "the", "cat"};
  const Batch whole = prepare(Sentence{{"the", "dog", "sees"}});
  Batch cut = prepare(Sentence{words});
  for (const auto slot : {TextInput::kTokens, TextInput::kNgramCounts, TextInput::kNgrams,
                          TextInput::kCharacterCounts, TextInput::kCharacterIds}) {
    EXPECT_EQ(column(cut, slot), column(whole, slot)) << slot;
  }
  EXPECT_EQ(cut.lengths, std::vector<Index>{3});
  EXPECT_EQ(tokens(prepare(Text{"the dog sees the cat"})), tokens(whole));

  Batch end;
  input_.prepare_prompt(Text{"the cat the dog sees"}, end);
  EXPECT_EQ(tokens(end), tokens(whole)) << "a prompt keeps its end";
  EXPECT_EQ(column(end, TextInput::kNgrams), column(whole, TextInput::kNgrams));

  TagsOutput output;
  Dataset data;
  data.records.push_back(make_record(Sentence{words}, Tags{{"good", "bad", "good", "bad", "bad"}}));
  output.fit(data, false);
  output.prepare(data[0].answer, cut);
  const auto tags = cut.answer.integers(0).values();
  EXPECT_EQ(Ids(tags.begin(), tags.end()), (Ids{1, 0, 1}));
}

TEST_F(TextInputTest, WithoutTruncationNothingIsCut) {
  options().truncation = 0;
  options().char_ngrams.buckets = 10;
  std::string text;
  for (int i = 0; i < 600; ++i) text += "a ";
  const Batch batch = prepare(Text{text});
  EXPECT_EQ(tokens(batch).size(), 600u);
  EXPECT_EQ(column(batch, TextInput::kNgramCounts).size(), 600u);
  EXPECT_EQ(prepare(Sentence{std::vector<std::string>(600, "a")}).lengths.front(), 600);
}

TEST_F(TextInputTest, EveryWordHasItsNgrams) {
  options().char_ngrams = {.buckets = 1000, .shortest = 2, .longest = 3};
  // "<ab>": <a ab b> and <ab ab>.  "<a>": <a a> and <a>.
  const Batch words = prepare(Sentence{{"ab", "a"}});
  const Ids ngrams = column(words, TextInput::kNgrams);
  EXPECT_EQ(column(words, TextInput::kNgramCounts), (Ids{5, 3}));
  EXPECT_EQ(ngrams[0], ngrams[5]);  // both begin with <a
  for (const std::int32_t ngram : ngrams) EXPECT_TRUE(ngram >= 0 && ngram < 1000);
  // Words of a text as the tokenizer divides it.
  const Batch text = prepare(Text{"Ünïted, they stand!"});
  const Ids counts = column(text, TextInput::kNgramCounts);
  EXPECT_EQ(counts.size(), tokens(text).size());
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0),
            static_cast<int>(column(text, TextInput::kNgrams).size()));
}

TEST_F(TextInputTest, EveryWordIsSpelledBetweenItsEnds) {
  options().char_cnn.filters = 4;
  options().truncation = 2;
  const Batch words = prepare(Sentence{{"ab", "é", "cut off"}});
  EXPECT_EQ(column(words, TextInput::kCharacterCounts), (Ids{4, 3}));
  EXPECT_EQ(column(words, TextInput::kCharacterIds),
            (Ids{kWordBegin, 'a', 'b', kWordEnd, kWordBegin, 0xE9, kWordEnd}));
  EXPECT_EQ(column(prepare(Text{""}), TextInput::kCharacterIds), (Ids{kWordBegin, kWordEnd}));
  const Ids broken =
      column(prepare(Sentence{{"\xff\xfe", std::string(500, 'x')}}), TextInput::kCharacterCounts);
  EXPECT_EQ(broken.front(), 4);
  EXPECT_LT(broken.back(), 50);
  for (const char32_t code : {U'\0', U'a', U'中', U'😀', char32_t{0x10FFFF}}) {
    const std::int32_t number = character_number(code);
    EXPECT_TRUE(number >= 0 && number < kCharacters) << static_cast<std::uint32_t>(code);
  }
}

TEST_F(TextInputTest, CharactersOfWordsThatCameAsWordsKeepTheirCapitals) {
  options().char_ngrams.buckets = 100000;
  const Batch small = prepare(Sentence{{"cat"}}), large = prepare(Sentence{{"Cat"}});
  EXPECT_EQ(tokens(small), tokens(large));
  EXPECT_NE(column(small, TextInput::kNgrams), column(large, TextInput::kNgrams));
}

TEST_F(TextInputTest, NgramsCanBeOfLowerCaseWhileTheCharacterCnnReadsCapitals) {
  options().char_ngrams = {.buckets = 100000, .lowercase = true};
  options().char_cnn.filters = 4;
  const Batch small = prepare(Sentence{{"élan"}}), large = prepare(Sentence{{"ÉLAN"}});
  EXPECT_EQ(column(small, TextInput::kNgrams), column(large, TextInput::kNgrams));
  EXPECT_NE(column(small, TextInput::kCharacterIds), column(large, TextInput::kCharacterIds));
}

// Each of several sequences has its own place in every column.
TEST_F(TextInputTest, SequencesFollowEachOtherAsTheyWereByThemselves) {
  for (const Index buckets : {0, 50}) {  // a column that is not used before those that are
    options().char_ngrams.buckets = buckets;
    options().char_cnn.filters = 4;
    const std::vector<Content> contents = {Text{"the cat"}, Text{""}, Sentence{{"a", "dog", "x"}}};
    Batch together, appended;
    for (const Content& content : contents) {
      input_.prepare(content, together);
      appended.append(prepare(content), 0);
    }
    EXPECT_EQ(together.lengths, (std::vector<Index>{2, 1, 3}));
    EXPECT_EQ(appended.lengths, together.lengths);
    for (const auto slot : {TextInput::kTokens, TextInput::kNgramCounts, TextInput::kNgrams,
                            TextInput::kCharacterCounts, TextInput::kCharacterIds}) {
      EXPECT_EQ(column(appended, slot), column(together, slot)) << slot;
      const bool used =
          buckets > 0 || (slot != TextInput::kNgramCounts && slot != TextInput::kNgrams);
      EXPECT_EQ(together.input.integers(slot).count(), used ? 3 : 0) << slot;
    }
  }
}

TEST(LabelOutput, ALabelBecomesItsPlaceAmongTheNames) {
  LabelOutput output;
  Dataset data;
  for (const char* name : {"good", "bad"}) {
    data.records.push_back(make_record(Text{"x"}, Label{name}));
  }
  output.fit(data, false);
  EXPECT_EQ(output.names(), (std::vector<std::string>{"bad", "good"}));
  Batch batch;
  for (const Answer& answer :
       {Answer(Label{"good"}), Answer(Label{"bad"}), Answer(Label{"never heard of"}), Answer()}) {
    output.prepare(answer, batch);
  }
  const auto labels = batch.answer.integers(0).values();
  EXPECT_EQ(Ids(labels.begin(), labels.end()), (Ids{1, 0, kNoAnswer, kNoAnswer}));
  EXPECT_EQ(output.weight(batch), 2.0) << "what is not known has no weight";
}

TEST_F(TextInputTest, VectorsBeginByTheTextsThatWordsOccurIn) {
  constexpr Index kWidth = 4;
  options().first_vectors = FirstVectors::kLsa;
  Dataset train;
  for (const char* text : {"cat dog", "dog cat", "bond rate", "rate bond", "rate bond"}) {
    train.records.push_back(make_record(Text{text}));
  }
  input_.fit(train);
  Batch batch;
  for (const Record& record : train.records) input_.prepare(record.content, batch);
  const StoredExamples examples(batch);
  Parameters parameters;
  const Scope scope(parameters);
  const auto network = input_.network(scope, kWidth);
  const Tensor& table = parameters.find("words.weight")->value;
  const std::vector<float> before(table.data, table.data + table.count());
  input_.initialize(scope, {[](const std::string& path) { return path; }, {}, examples});
  const auto row = [&](const char* word) {
    return std::span(table.row(tokens(prepare(Text{word})).front()), kWidth);
  };
  const auto product = [](std::span<const float> a, std::span<const float> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0f);
  };
  const float length = product(row("cat"), row("cat"));
  EXPECT_NEAR(length, kWidth * options().deviation * options().deviation, 1e-6f);
  EXPECT_GT(product(row("cat"), row("dog")), 0.9f * length);
  EXPECT_GT(product(row("bond"), row("rate")), 0.9f * length);
  EXPECT_NEAR(product(row("cat"), row("rate")), 0.0f, 0.01f * length);
  const std::span<const float> unknown(table.row(Vocabulary::kUnknown), kWidth);
  EXPECT_TRUE(std::equal(unknown.begin(), unknown.end(), before.begin()));
}

}  // namespace
}  // namespace heed
