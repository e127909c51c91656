#include "heed/data/text/conll.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/data/records.h"
#include "tests/support/messages.h"

namespace heed {
namespace {

using test::has_answer;
using test::kOptional;
using test::message_of;
using test::read_tagged;
using test::Strings;
using test::tagged_refusal;
using test::tags_of;
using test::words_of;

// The lines of a record with tags in their column, or in another one.
std::string with_tags(const Record& record, const Strings& tags) {
  return heed::with_tags(*record.extras->lines, tags, record.place.text());
}
std::string with_tags_at(Index column, const Record& record, const Strings& tags) {
  ConllLines lines = *record.extras->lines;
  lines.tag_column = column;
  return heed::with_tags(lines, tags, record.place.text());
}

constexpr const char* kUniversal =
    "# sent_id = 1\n"
    "# text = Vámonos al mar\n"
    "1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tVamos\tir\tVERB\tv\t_\t0\troot\t_\t_\n"
    "2\tnos\tnosotros\tPRON\tp\t_\t1\tobj\t_\t_\n"
    "2.1\tleft\tout\tX\tx\t_\t_\t_\t_\t_\n"
    "3\tal mar\tmar\tNOUN\tn\t_\t1\tobl\t_\tSpaceAfter=No\n"
    "\n"
    "1\tSí\tsí\tINTJ\ti\t_\t0\troot\t_\t_\n"
    "\n";

TEST(Conll, UniversalLinesGiveWordsAndTheChosenTag) {
  const auto sentences = read_tagged("x.conllu", kUniversal);
  ASSERT_EQ(sentences.size(), 2u);
  EXPECT_EQ(words_of(sentences[0]), (Strings{"Vamos", "nos", "al mar"}));
  EXPECT_EQ(tags_of(sentences[0]), (Strings{"VERB", "PRON", "NOUN"}));
  EXPECT_EQ(sentences[0].place.text(), "x.conllu:4");
  EXPECT_EQ(sentences[1].place.text(), "x.conllu:9");
  EXPECT_EQ(tags_of(read_tagged("x.conllu", kUniversal, {.tag_column = "XPOS"})[0]),
            (Strings{"v", "p", "n"}));
  EXPECT_EQ(words_of(read_tagged("x", kUniversal, {.text_column = "lemma", .tag_column = "8"})[0]),
            (Strings{"ir", "nosotros", "mar"}));
}

TEST(Conll, LinesAreKeptWhereTagsAreToBeWrittenAndNowhereElse) {
  for (const Record& sentence : read_tagged("x.conllu", kUniversal)) {
    EXPECT_EQ(sentence.extras->lines, nullptr);
  }
  const auto sentences = read_tagged("x.conllu", kUniversal, {.answers = kOptional});
  ASSERT_EQ(sentences.size(), 2u);
  EXPECT_EQ(sentences[0].extras->lines->lines.size(), 8u);
  EXPECT_EQ(sentences[0].extras->lines->word_lines, (std::vector<Index>{3, 4, 6}));
  EXPECT_EQ(sentences[0].extras->lines->tag_column, 3);
  EXPECT_EQ(sentences[1].extras->lines->lines.size(), 2u);
}

TEST(Conll, TagsAreWrittenIntoTheirColumnAndAllElseStays) {
  for (const auto& [option, column] : {std::pair{"upos", 3}, std::pair{"xpos", 4}}) {
    std::string same, other;
    const ReadOptions options{.answers = kOptional, .tag_column = option};
    for (const Record& sentence : read_tagged("x.conllu", kUniversal, options)) {
      EXPECT_EQ(sentence.extras->lines->tag_column, column);
      same += with_tags(sentence, tags_of(sentence));
      other += with_tags(sentence, Strings(words_of(sentence).size(), "NEW"));
    }
    EXPECT_EQ(same, kUniversal);
    const auto changed = read_tagged("x.conllu", other, options);
    EXPECT_EQ(tags_of(changed[0]), (Strings{"NEW", "NEW", "NEW"}));
    EXPECT_EQ(words_of(changed[0]), (Strings{"Vamos", "nos", "al mar"}));
    EXPECT_EQ(changed[0].extras->lines->lines[2], "1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_\n");
  }
}

TEST(Conll, PlainColumnsBetweenSpacesOrTabs) {
  const std::string text =
      "-DOCSTART- -X- O O\n\nEU NNP B-NP B-ORG\nrejects  VBZ B-VP O\n# SYM O O\n\n\n"
      "# id = 7\nPeter NNP B-NP B-PER \n";
  const auto sentences = read_tagged("train.txt", text);
  ASSERT_EQ(sentences.size(), 2u);
  EXPECT_EQ(words_of(sentences[0]), (Strings{"EU", "rejects", "#"}));
  EXPECT_EQ(tags_of(sentences[0]), (Strings{"B-ORG", "O", "O"}));
  EXPECT_EQ(sentences[0].place.line, 3);
  EXPECT_EQ(words_of(sentences[1]), (Strings{"Peter"}));
  EXPECT_EQ(sentences[1].place.line, 9);
  const auto kept = read_tagged("train.txt", text, {.answers = kOptional, .format = "conll"});
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(tags_of(kept[0]), tags_of(sentences[0]));
  EXPECT_EQ(with_tags_at(3, kept[0], {"1", "2", "3"}),
            "-DOCSTART- -X- O O\n\nEU NNP B-NP 1\nrejects  VBZ B-VP 2\n# SYM O 3\n\n");
  EXPECT_EQ(with_tags_at(3, kept[1], {"X"}), "\n# id = 7\nPeter NNP B-NP X \n");
  EXPECT_EQ(with_tags_at(4, kept[1], {"X"}), "\n# id = 7\nPeter NNP B-NP B-PER  X\n");
  EXPECT_EQ(tags_of(read_tagged("x.conll", text, {.tag_column = "2"})[0]),
            (Strings{"NNP", "VBZ", "SYM"}));
  EXPECT_EQ(words_of(read_tagged("x.bio", "New York\tLOC\nis big\tO\r\n\r\n")[0]),
            (Strings{"New York", "is big"}));
  EXPECT_EQ(words_of(read_tagged("x", "# SYM\nhash NN\n")[0]), (Strings{"#", "hash"}));
}

TEST(Conll, WithoutTagsThereAreWordsToPredict) {
  const auto column = read_tagged("x.conll", "New\nYork\n\nbig\n", {.answers = kOptional});
  ASSERT_EQ(column.size(), 2u);
  EXPECT_FALSE(has_answer(column[0]));
  EXPECT_EQ(with_tags(column[0], {"B", "I"}), "New\tB\nYork\tI\n\n");
  const auto lines =
      read_tagged("x.txt", " New York\n\nbig\n", {.answers = kOptional, .format = "lines"});
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(words_of(lines[0]), (Strings{"New", "York"}));
  EXPECT_FALSE(has_answer(lines[0]));
  EXPECT_TRUE(words_of(lines[1]).empty());
  EXPECT_EQ(lines[0].extras->lines, nullptr);
  EXPECT_EQ(lines[2].place.line, 3);
}

TEST(Conll, AModelWritesItsTagsWhereTheyStoodAndNeverOverSomethingElse) {
  // With "T" for every word of the first sentence.
  const auto predicted = [](const std::string& name, const std::string& text,
                            const KnownColumns& known, const std::string& option = {}) {
    ReadOptions options{.answers = kOptional, .tag_column = option};
    options.known = known;
    const Record sentence = read_tagged(name, text, options).at(0);
    return with_tags(sentence, Strings(words_of(sentence).size(), "T"));
  };
  const KnownColumns third{.tag = "3", .count = 3}, second{.tag = "2", .count = 3};
  EXPECT_EQ(predicted("x.conll", "a X B\n", third), "a X T\n");
  EXPECT_EQ(predicted("x.conll", "a B X\n", second), "a T X\n");
  for (const KnownColumns& known : {third, second, KnownColumns{.tag = "xpos"}}) {
    EXPECT_EQ(predicted("x.conll", "a X\n", known), "a X T\n");
    EXPECT_EQ(predicted("x.conll", "a\n", known), "a\tT\n");
    EXPECT_EQ(predicted("x.conll", "a X Y Z\n", known), "a X Y Z T\n");
    EXPECT_EQ(predicted("x.conll", "a X\n", known, "2"), "a T\n");
    EXPECT_EQ(predicted("x.conll", "a X\n", known, "3"), "a X T\n");
  }
  const std::string word = "1\tSí\tsí\tINTJ\ti\t_\t0\troot\t_\t_\n\n";
  const std::string xpos = "1\tSí\tsí\tINTJ\tT\t_\t0\troot\t_\t_\n\n";
  EXPECT_EQ(predicted("x.conllu", word, {.tag = "xpos"}), xpos);
  EXPECT_EQ(predicted("x.conllu", word, third, "xpos"), xpos);
  EXPECT_EQ(predicted("x.conllu", word, {}), "1\tSí\tsí\tT\ti\t_\t0\troot\t_\t_\n\n");
  EXPECT_EQ(message_of<UsageError>([&] { predicted("x.conllu", word, third); }),
            "x.conllu: which column of CoNLL-U the tags go into is not known, as the model was "
            "trained on 3 columns of another kind; choose with --tag-column upos, xpos, ...");
  EXPECT_EQ(message_of<UsageError>([&] { predicted("x.conll", "a X\n", third, "4"); }),
            "x.conll: no column 4; there are 2");
}

TEST(Conll, WhereTagsAreNeededTheyAreReadFromTheColumnThatTheModelKnows) {
  const auto tag = [](const std::string& name, const std::string& text, const KnownColumns& known) {
    ReadOptions options;
    options.known = known;
    return tags_of(read_tagged(name, text, options).at(0)).at(0);
  };
  EXPECT_EQ(tag("x.conllu", kUniversal, {.tag = "xpos"}), "v");
  EXPECT_EQ(tag("x.conllu", kUniversal, {.tag = "3", .count = 3}), "VERB");
  EXPECT_EQ(tag("x.conll", "a b c d\n", {.tag = "2", .count = 3}), "b");
  EXPECT_EQ(tag("x.conll", "a b\n", {.tag = "3", .count = 4}), "b");
  EXPECT_EQ(tag("x.conll", "a b c d\n", {.tag = "3", .count = 3}), "d");  // the last, as it was
  EXPECT_EQ(tag("x.conll", "a b c d\n", {.tag = "xpos"}), "d");
}

TEST(Conll, AFileTellsWhichColumnsWereRead) {
  const auto columns = [](const std::string& name, const std::string& text,
                          const ReadOptions& options = {}) {
    const auto source =
        open_text(LineReader(ByteSource::memory(name, text)), test::for_tags(options));
    return source->columns();
  };
  EXPECT_EQ(columns("x.conllu", kUniversal).tag, "upos");
  EXPECT_EQ(columns("x.conllu", kUniversal, {.tag_column = "5"}).tag, "xpos");
  EXPECT_EQ(columns("x.conllu", kUniversal).count, 0);
  EXPECT_EQ(columns("x.conll", "a b c\n").tag, "3");
  EXPECT_EQ(columns("x.conll", "a b c\n", {.tag_column = "2"}).tag, "2");
  EXPECT_EQ(columns("x.conll", "a b c\n").count, 3);
}

TEST(Conll, AWrongNumberOfColumnsIsNamedWithItsLine) {
  EXPECT_EQ(tagged_refusal("x.conll", "a DT B\nb NN\n"),
            "x.conll:2: 2 columns, expected 3 like the first word; an empty line ends a sentence");
  EXPECT_EQ(tagged_refusal("x.conll", "a\n"),
            "x.conll:1: 1 column, expected at least 2, the word first and its tag last");
  EXPECT_EQ(tagged_refusal("x.conllu", std::string(kUniversal) + "1\tword\n"),
            "x.conllu:11: 2 columns, expected 10 between tabs as CoNLL-U has them");
  EXPECT_EQ(tagged_refusal("x.conllu", "one\ta\t_\tX\t_\t_\t_\t_\t_\t_\n"),
            "x.conllu:1: \"one\" in the first column, expected the number of a word");
  EXPECT_EQ(tagged_refusal("x.conll", "a\tB\nb\t\n"), "x.conll:2: the tag in column 2 is empty");
  EXPECT_EQ(tagged_refusal("x.conll", "a\tB\n\tB\n"), "x.conll:2: the word in column 1 is empty");
}

TEST(Conll, ColumnsThatDoNotExistAreRefused) {
  EXPECT_EQ(tagged_refusal<UsageError>("x.conllu", kUniversal, {.tag_column = "ner"}),
            "tag column \"ner\": expected upos, xpos or another column of CoNLL-U, or its number");
  EXPECT_EQ(tagged_refusal<UsageError>("x.conll", "a b\n", {.tag_column = "3"}),
            "x.conll: no column 3; there are 2");
  EXPECT_EQ(tagged_refusal<UsageError>("x.conll", "a b\n", {.tag_column = "1"}),
            "x.conll: column 1 cannot be both word and tag");
  EXPECT_EQ(tagged_refusal<UsageError>("x.conll", "a b\n", {.tag_column = "upos"}),
            "tag column \"upos\": expected its number, from 1");
}

TEST(Conll, TagsThatDoNotFitTheSentenceAreOurMistake) {
  const Record sentence = read_tagged("x.conll", "\na b\n", {.answers = kOptional}).at(0);
  EXPECT_EQ(message_of<ShapeError>([&] { with_tags_at(1, sentence, {}); }),
            "[with_tags] x.conll:2: expected a tag for each of 1 words, got 0");
  EXPECT_EQ(message_of<ShapeError>([&] { with_tags_at(3, sentence, {"x"}); }),
            "[with_tags] x.conll:2: expected a column up to 2, got 3");
  EXPECT_THROW(with_tags_at(-1, sentence, {"x"}), ShapeError);
}

}  // namespace
}  // namespace heed
