#include "heed/data/text/tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/random.h"
#include "heed/data/text/subwords.h"
#include "heed/data/text/unicode.h"

namespace heed {
namespace {

using Kind = TokenizerOptions::Kind;
using Ids = std::vector<std::int32_t>;

std::vector<std::string> corpus() {
  static const std::vector<std::string> subjects{"The cat", "A dog", "Der Hund", "L'école",
                                                 "Nobody"};
  static const std::vector<std::string> verbs{"doesn't see", "liked", "übersetzt",
                                              "runs 3.14 times,"};
  static const std::vector<std::string> objects{"the machine.", "x86-64!", "naïve cafés",
                                                "漢字 \t\n😀"};
  std::vector<std::string> texts;
  for (const auto& subject : subjects) {
    for (const auto& verb : verbs) {
      for (const auto& object : objects) texts.push_back(subject + " " + verb + " " + object);
    }
  }
  return texts;
}

// Trains from a list of texts, or of words that are taken as they are.
TextVisitor each_of(const std::vector<std::string>& texts) {
  return [&](const std::function<void(std::string_view)>& take) {
    for (const std::string& text : texts) take(text);
  };
}
std::unique_ptr<Tokenizer> train(const TokenizerOptions& options,
                                 const std::vector<std::string>& texts) {
  return Tokenizer::train(options, each_of(texts));
}

Ids encode(const Tokenizer& tokenizer, std::string_view text) {
  Ids ids;
  tokenizer.encode(text, ids);
  return ids;
}

std::vector<std::string> pieces(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<std::string> found;
  for (const std::int32_t id : encode(tokenizer, text)) found.push_back(tokenizer.piece(id));
  return found;
}

using Strings = std::vector<std::string>;

class AnyTokenizer : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "heed_tokenizer_test_" + std::string(name_of(GetParam()));
    std::filesystem::remove_all(folder_);
    make_folder(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  TokenizerOptions options() const {
    TokenizerOptions options;
    options.kind = GetParam();
    options.vocabulary = 120;
    return options;
  }

  std::string folder_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, AnyTokenizer,
                         testing::Values(Kind::kWord, Kind::kCharacter, Kind::kBpe, Kind::kUnigram),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

TEST_P(AnyTokenizer, WhatIsLoadedEncodesLikeWhatWasSaved) {
  for (const bool lowercase : {true, false}) {
    for (const auto form : {UnicodeForm::kNone, UnicodeForm::kNfc, UnicodeForm::kNfkc}) {
      TokenizerOptions chosen = options();
      chosen.lowercase = lowercase;
      chosen.normalization = form;
      const auto saved = train(chosen, corpus());
      saved->save(folder_);
      const auto loaded = Tokenizer::load(folder_);
      ASSERT_EQ(loaded->kind(), GetParam());
      ASSERT_EQ(loaded->size(), saved->size());
      for (std::int32_t id = 0; id < saved->size(); ++id) {
        ASSERT_EQ(loaded->piece(id), saved->piece(id));
      }
      for (const std::string& text : corpus()) {
        ASSERT_EQ(encode(*loaded, text), encode(*saved, text));
      }
    }
  }
}

TEST_P(AnyTokenizer, TheSameTextsGiveTheSameFiles) {
  const auto files = [&] {
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      found.emplace_back(entry.path().filename().string(), read_file(entry.path().string()));
    }
    std::sort(found.begin(), found.end());
    return found;
  };
  train(options(), corpus())->save(folder_);
  const auto first = files();
  train(options(), corpus())->save(folder_);
  EXPECT_EQ(files(), first);
}

TEST_P(AnyTokenizer, EveryIdIsInRangeWhateverTheBytes) {
  const auto tokenizer = train(options(), corpus());
  Random random(4);
  const std::string known = corpus()[7];
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::uint32_t i = random.below(40); i > 0; --i) {
      text += random.below(2) ? static_cast<char>(random.next())
                              : known[random.below(static_cast<std::uint32_t>(known.size()))];
    }
    for (const std::int32_t id : encode(*tokenizer, text)) {
      ASSERT_GE(id, 0) << "seed 4, round " << round;
      ASSERT_LT(id, tokenizer->size()) << "seed 4, round " << round;
    }
  }
  EXPECT_TRUE(encode(*tokenizer, "").empty());
}

TEST_P(AnyTokenizer, EncodingAppends) {
  const auto tokenizer = train(options(), corpus());
  Ids ids{-7};
  tokenizer->encode("the cat", ids);
  const Ids alone = encode(*tokenizer, "the cat");
  ASSERT_EQ(ids.size(), alone.size() + 1);
  EXPECT_EQ(ids.front(), -7);
  EXPECT_TRUE(std::equal(alone.begin(), alone.end(), ids.begin() + 1));
}

TEST_P(AnyTokenizer, CaseAndFormAreAsTheOptionsSay) {
  const auto lowered = train(options(), corpus());
  EXPECT_EQ(encode(*lowered, "THE CAFE\u0301S"), encode(*lowered, "the caf\u00E9s"));
  EXPECT_EQ(encode(*lowered, "ｃａｔ"), encode(*lowered, "cat"));
  TokenizerOptions plain = options();
  plain.lowercase = false;
  plain.normalization = UnicodeForm::kNone;
  const auto as_is = train(plain, corpus());
  EXPECT_NE(encode(*as_is, "The cat"), encode(*as_is, "the cat"));
  EXPECT_NE(encode(*as_is, "cafe\u0301s"), encode(*as_is, "caf\u00E9s"));
}

TEST_P(AnyTokenizer, WhatWasNeverSeenIsUnknown) {
  const auto tokenizer = train(options(), corpus());
  const Ids ids = encode(*tokenizer, "☃");
  EXPECT_EQ(ids.back(), 0);
  EXPECT_EQ(tokenizer->piece(0), "<unknown>");
}

TEST_P(AnyTokenizer, ThreadsMayShareIt) {
  const auto tokenizer = train(options(), corpus());
  const std::vector<std::string> texts = corpus();
  std::vector<Ids> expected, found(texts.size());
  for (const std::string& text : texts) expected.push_back(encode(*tokenizer, text));
  std::vector<std::thread> threads;
  for (std::size_t part = 0; part < 4; ++part) {
    threads.emplace_back([&, part] {
      for (std::size_t i = part; i < texts.size(); i += 4) found[i] = encode(*tokenizer, texts[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, expected);
}

TEST_P(AnyTokenizer, AnyPieceOutsideIsRefused) {
  const auto tokenizer = train(options(), corpus());
  EXPECT_THROW(tokenizer->piece(-1), ShapeError);
  EXPECT_THROW(tokenizer->piece(static_cast<std::int32_t>(tokenizer->size())), ShapeError);
}

TEST_P(AnyTokenizer, AVocabularyLargerThanTheTextsAllowIsMadeSmaller) {
  TokenizerOptions large = options();
  large.vocabulary = 1000000;
  const auto tokenizer = train(large, Strings{"a small text of a few words"});
  EXPECT_GT(tokenizer->size(), 5);
  EXPECT_LT(tokenizer->size(), 200);
}

TEST_P(AnyTokenizer, AChangedOrMissingFileIsRefused) {
  train(options(), corpus())->save(folder_);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    names.push_back(entry.path().string());
  }
  for (const std::string& name : names) {
    const std::string bytes = read_file(name);
    for (const std::string& changed :
         {std::string(), std::string("\0\xFF garbage", 10), bytes.substr(0, bytes.size() / 2),
          bytes.substr(0, bytes.size() - 1),
          bytes.substr(0, bytes.rfind('\n', bytes.size() - 2) + 1), "x" + bytes}) {
      write_file(name, changed);
      EXPECT_THROW(Tokenizer::load(folder_), FormatError) << name << ", " << changed.size();
    }
    std::filesystem::remove(name);
    EXPECT_THROW(Tokenizer::load(folder_), IoError);
    write_file(name, bytes);
    Tokenizer::load(folder_);
  }
}

TEST(WordTokenizer, FrequentWordsAreKeptAndRareOnesUnknown) {
  TokenizerOptions options;
  options.min_count = 2;
  const auto tokenizer = train(options, Strings{"B a, b C!", "c b."});
  EXPECT_EQ(pieces(*tokenizer, "a b c d"), (Strings{"<unknown>", "b", "c", "<unknown>"}));
  EXPECT_EQ(tokenizer->size(), 3);
  options.min_count = 1;
  options.vocabulary = 2;
  EXPECT_EQ(pieces(*train(options, Strings{"B a, b C!", "c b."}), "b c"),
            (Strings{"b", "<unknown>"}));
}

TEST(Tokenizer, ItsEntriesAreCountedByKind) {
  const std::vector<std::string> texts = {"a b a b", "a b c"};
  TokenizerOptions options;
  EXPECT_EQ(entries_text(*train(options, texts)), "4 words");
  Strings numbers;
  for (int i = 0; i < 1500; ++i) numbers.push_back(std::to_string(i));
  EXPECT_EQ(entries_text(*train(options, numbers)), "1,501 words");
  options = {.kind = TokenizerOptions::Kind::kCharacter};
  EXPECT_EQ(entries_text(*train(options, texts)), "5 characters");
  options = {.kind = TokenizerOptions::Kind::kBpe, .vocabulary = 8};
  const auto pieces = train(options, texts);
  EXPECT_EQ(entries_text(*pieces), fmt::format("{} subwords", pieces->size()));
}

TEST(WordTokenizer, GivenWordsGetOneIdEach) {
  const auto tokenizer =
      Tokenizer::train_words({}, each_of(Strings{"New York", "ca", "n't", "...", "Ca"}));
  Ids ids;
  tokenizer->encode_words(Strings{"new york", "N'T", "", "...", "york", "CA"}, ids);
  Strings found;
  for (const std::int32_t id : ids) found.push_back(tokenizer->piece(id));
  EXPECT_EQ(found, (Strings{"new york", "n't", "<unknown>", "...", "<unknown>", "ca"}));
}

TEST(CharacterTokenizer, TakesCodePointsWhiteSpaceIncluded) {
  TokenizerOptions options;
  options.kind = Kind::kCharacter;
  const auto tokenizer = train(options, Strings{"a é\n漢"});
  EXPECT_EQ(pieces(*tokenizer, "É a\n漢x"), (Strings{"é", " ", "a", "\n", "漢", "<unknown>"}));
}

TEST(Subwords, TheTextComesBack) {
  for (const auto method : {Subwords::Method::kBpe, Subwords::Method::kUnigram}) {
    const Subwords subwords = Subwords::train(method, 150, corpus());
    for (const std::string text : {"the cat liked naïve cafés", "Nobody doesn't see x86-64!"}) {
      Ids ids;
      subwords.encode(text, ids);
      EXPECT_EQ(subwords.decode(ids), text);
    }
    EXPECT_THROW(subwords.decode(Ids{-1}), ShapeError);
  }
}

// Chinese has thousands of characters, and no spaces.
TEST(Subwords, RareCharactersAreUnknownWhereTheyWouldFillTheVocabulary) {
  Strings texts;
  for (int i = 0; i < 60; ++i) texts.emplace_back("一个男人在街上跑步。两个女人在公园里看书。");
  std::string rare;
  for (char32_t c = U'\u5100'; c < U'\u5114'; ++c) append_code_point(c, rare);
  texts.push_back(rare);
  for (const Kind kind : {Kind::kBpe, Kind::kUnigram}) {
    TokenizerOptions options;
    options.kind = kind;
    options.vocabulary = 32;
    const auto tokenizer = train(options, texts);
    Ids ids;
    tokenizer->encode("两个男人在街上看书。", ids);
    EXPECT_EQ(std::count(ids.begin(), ids.end(), 0), 0);
    EXPECT_EQ(tokenizer->decode(ids), "两个男人在街上看书。");
    ids.clear();
    tokenizer->encode(rare, ids);
    EXPECT_GT(std::count(ids.begin(), ids.end(), 0), 0);
  }
}

TEST(Subwords, LittleTextHasFewerPieces) {
  Random random(1);
  Strings texts;
  for (int i = 0; i < 1000; ++i) {  // of 60 letters and spaces
    std::string& text = texts.emplace_back();
    for (int c = 0; c < 60; ++c)
      text += c % 6 == 5 ? ' ' : static_cast<char>('a' + random.below(20));
  }
  TokenizerOptions options;
  options.kind = Kind::kBpe;
  options.vocabulary = 2000;
  EXPECT_EQ(train(options, texts)->size(), 2000);
  options.text_per_piece = 50;
  EXPECT_EQ(train(options, texts)->size(), 1221);  // 60,000 / 50, 20 letters and the space
  options.text_per_piece = 1000;
  EXPECT_EQ(train(options, texts)->size(), 1000);
}

TEST(Subwords, LongTextsWithoutEndAreLearntFromToo) {
  std::string endless;
  for (int i = 0; i < 3000; ++i) endless += i % 3 ? "snow" : "fall";
  const Subwords subwords = Subwords::train(Subwords::Method::kBpe, 30, Strings{endless});
  Ids ids;
  subwords.encode("snowfall", ids);
  EXPECT_LT(ids.size(), 8u) << "letter by letter: nothing was learnt";
}

TEST(Tokenizer, MistakesAreToldInOneSentence) {
  const auto message = [](auto&& change, const Strings& texts) -> std::string {
    TokenizerOptions options;
    change(options);
    try {
      train(options, texts);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  const Strings texts{"a b c d e f"};
  EXPECT_EQ(message([](auto& o) { o.vocabulary = 1; }, texts),
            "[tokenizer] vocabulary 1, expected at least 2");
  EXPECT_EQ(message([](auto& o) { o.min_count = 0; }, texts),
            "[tokenizer] min_count 0, expected at least 1");
  for (const Kind kind : {Kind::kBpe, Kind::kUnigram}) {
    EXPECT_EQ(message([&](auto& o) { o.vocabulary = 3, o.kind = kind; }, texts),
              "[tokenizer] a vocabulary of 3 is too small for the characters of these texts; ask "
              "for 9 or more");
    EXPECT_EQ(message([&](auto& o) { o.kind = kind; }, {"", " \n"}),
              "[tokenizer] no text to learn subwords from");
    TokenizerOptions options;
    options.kind = kind;
    options.vocabulary = 9;
    EXPECT_LE(train(options, texts)->size(), 9);
    Ids ids;
    EXPECT_THROW(train(options, texts)->encode_words(texts, ids), UsageError);
    EXPECT_THROW(Tokenizer::train_words(options, each_of(texts)), UsageError);
  }
  EXPECT_THROW(tokenizer_kind("words"), UsageError);
  EXPECT_THROW(normalization("NFC"), UsageError);
  EXPECT_EQ(tokenizer_kind("unigram"), Kind::kUnigram);
  EXPECT_EQ(normalization("nfc"), UnicodeForm::kNfc);
}

}  // namespace
}  // namespace heed
