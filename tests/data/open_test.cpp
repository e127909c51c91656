#include "heed/data/text/open.h"

#include <gtest/gtest.h>

#include "tests/data/gzip.h"
#include "tests/data/texts.h"

namespace heed {
namespace {

using test::message_of;
using test::read_tagged;
using test::read_texts;
using test::refusal;
using test::shown;
using test::Strings;
using test::tagged_refusal;
using test::TemporaryFolder;

constexpr Labels kOptional = Labels::kOptional;

TEST(OpenText, TheFormatIsReadOffTheNameOrTheFirstLine) {
  const Strings expected{"a|b@2"};
  const Strings first{"a|b@1"};
  for (const std::string name : {"x.csv", "X.CSV", "x.txt", "x", "standard input"}) {
    EXPECT_EQ(shown(read_texts(name, "text,label\nb,a\n")), expected) << name;
    EXPECT_EQ(shown(read_texts(name, "\"label\"\t\"text\"\na\tb\n")), expected) << name;
  }
  EXPECT_EQ(shown(read_texts("x.txt", "\n{\"text\": \"b\", \"label\": \"a\"}\n")), expected);
  EXPECT_EQ(shown(read_texts("x.txt", "__label__a b\n")), first);
  EXPECT_EQ(shown(read_texts("x.jsonl", "{\"text\": \"b\", \"label\": \"a\"}\n")), first);
  EXPECT_EQ(shown(read_texts("x.csv", "__label__a b\n", {.format = "fasttext"})), first);
  EXPECT_EQ(shown(read_texts("x.txt", "b\n\nc\n", {.labels = kOptional})),
            (Strings{"|b@1", "|@2", "|c@3"}));
  EXPECT_EQ(shown(read_texts("x.txt", "text,b\n", {.format = "lines", .labels = kOptional})),
            (Strings{"|text,b@1"}));
}

TEST(OpenText, EveryFormatIsTheSameFromItsGz) {
  const TemporaryFolder folder;
  const std::pair<std::string, std::string> files[] = {
      {"x.csv", "text,label\n\"b\nc\",a\n"},
      {"x.tsv", "text\tlabel\nb\ta\n"},
      {"x.jsonl", "{\"text\": \"b\", \"label\": \"a\"}\n"},
      {"x.txt", "__label__a b\n"}};
  for (const auto& [name, bytes] : files) {
    const TextFile plain = read_all_text(folder.write(name, bytes));
    const TextFile packed = read_all_text(folder.write(name + ".gz", test::gzip(bytes)));
    EXPECT_EQ(shown(plain.examples), shown(packed.examples)) << name;
    EXPECT_EQ(packed.examples[0].label, "a");
    EXPECT_EQ(packed.examples[0].file, folder.path(name + ".gz"));
  }
  const std::string words = "a\tDT\n\nb\tNN\n";
  const TaggedFile packed = read_all_tagged(folder.write("x.conll.gz", test::gzip(words)));
  ASSERT_EQ(packed.sentences.size(), 2u);
  EXPECT_EQ(packed.sentences[1].tags, Strings{"NN"});
}

TEST(OpenText, Latin1IsRepairedAndCounted) {
  const TemporaryFolder folder;
  const std::string path = folder.write("x.csv", "text,label\ncaf\xE9,a\ncafé,b\n");
  const TextFile file = read_all_text(path);
  EXPECT_EQ(shown(file.examples), (Strings{"a|café@2", "b|café@3"}));
  EXPECT_EQ(file.repaired, 1);
}

TEST(OpenText, AnUnknownFormatListsTheKnownOnes) {
  EXPECT_EQ(refusal<UsageError>("x", "a", {.format = "cvs"}),
            "format \"cvs\": expected one of csv, tsv, jsonl, fasttext, folder, conllu, conll, "
            "lines");
}

TEST(OpenText, AFormatOfAnotherKindIsRefused) {
  EXPECT_EQ(refusal<UsageError>("x.conllu", "a"),
            "x.conllu: the format conllu does not hold labelled texts, expected csv, tsv, jsonl, "
            "fasttext or folder");
  EXPECT_EQ(tagged_refusal<UsageError>("x.csv", "a"),
            "x.csv: the format csv does not hold tagged words, expected conllu or conll");
  EXPECT_THROW(read_texts("x", "a", {.format = "lines"}), UsageError);
  EXPECT_THROW(read_tagged("x", "a", {.format = "lines"}), UsageError);
}

TEST(OpenTagged, SentencesAreToldFromColumnsWhereTagsAreOptional) {
  const auto first_words = [](const std::string& bytes) {
    return read_tagged("-", bytes, {.labels = Labels::kOptional}).front().words;
  };
  // Sentences: a single one, several, of one length too.
  EXPECT_EQ(first_words("the cat sat"), (Strings{"the", "cat", "sat"}));
  EXPECT_EQ(first_words("the cat sat\na dog\n"), (Strings{"the", "cat", "sat"}));
  EXPECT_EQ(first_words("the cat\na dog\n"), (Strings{"the", "cat"}));
  EXPECT_EQ(first_words("the cat\n\na dog\n\n"), (Strings{"the", "cat"}));
  // Columns: as many on each line and an empty line between sentences, tabs, one word a line.
  EXPECT_EQ(first_words("the D\ncat N\n\na D\n"), (Strings{"the", "cat"}));
  EXPECT_EQ(first_words("-DOCSTART- -X- O\n\nthe D O\n"), (Strings{"the"}));
  EXPECT_EQ(first_words("the\tD\ncat\tN\n"), (Strings{"the", "cat"}));
  EXPECT_EQ(first_words("the\ncat\n\na\n"), (Strings{"the", "cat"}));
}

TEST(OpenText, AnOptionThatTheFormatHasNoUseForIsRefused) {
  EXPECT_EQ(refusal<UsageError>("x", "__label__a b", {.text_column = "text"}),
            "--text-column text: the format fasttext has no use for it");
  EXPECT_THROW(read_texts("x.csv", "text,label\n", {.tag_column = "upos"}), UsageError);
  EXPECT_THROW(read_texts("x.jsonl", "{}", {.delimiter = "tab"}), UsageError);
  EXPECT_THROW(read_tagged("x.conll", "a b", {.label_column = "label"}), UsageError);
}

TEST(OpenText, ATextWithoutAFormatSaysHowToChooseOne) {
  EXPECT_EQ(refusal("notes.txt", "Just some words.\n"),
            "notes.txt: cannot tell the format from its name or from \"Just some words.\"; choose "
            "with --format csv, tsv, jsonl or fasttext");
}

TEST(OpenText, EmptyFilesAndFilesWithoutExamplesAreRefused) {
  const TemporaryFolder folder;
  for (const std::string name : {"x.csv", "x.tsv", "x.jsonl", "x.txt", "x.csv.gz"}) {
    const std::string path = folder.write(name, "");
    EXPECT_EQ(message_of<FormatError>([&] { read_all_text(path); }), path + ": is empty");
  }
  const std::string packed = folder.write("y.csv.gz", test::gzip(""));
  EXPECT_EQ(message_of<FormatError>([&] { read_all_text(packed); }), packed + ": is empty");
  const std::string path = folder.write("x.conllu", "");
  EXPECT_EQ(message_of<FormatError>([&] { read_all_tagged(path); }), path + ": is empty");
  const std::string header = folder.write("x.csv", "text,label\n");
  EXPECT_EQ(message_of<FormatError>([&] { read_all_text(header); }), header + ": has no examples");
  const std::string comments = folder.write("y.conllu", "# only\n\n");
  EXPECT_EQ(message_of<FormatError>([&] { read_all_tagged(comments); }),
            comments + ": has no sentences");
}

TEST(OpenText, MissingFilesFoldersAndBinaryFilesAreRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(open_text(folder.path("missing.csv")), IoError);
  EXPECT_THROW(open_tagged(folder.path()), IoError);
  const std::string binary =
      folder.write("x.csv", std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16));
  EXPECT_EQ(message_of<FormatError>([&] {
              read_all_text(binary);
            }).find(binary + ":3: looks like a binary file"),
            0u);
}

}  // namespace
}  // namespace heed
