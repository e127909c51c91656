#include "heed/data/open.h"

#include <gtest/gtest.h>

#include "heed/data/dataset.h"
#include "tests/data/gzip.h"
#include "tests/data/records.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace heed {
namespace {

using test::for_tags;
using test::kOptional;
using test::label_of;
using test::message_of;
using test::read_records;
using test::read_tagged;
using test::refusal;
using test::shown;
using test::Strings;
using test::tagged_refusal;
using test::tags_of;
using test::TemporaryFolder;
using test::words_of;

TEST(OpenRecords, TheFormatIsReadOffTheNameOrTheFirstLine) {
  const Strings expected{"a|b@2"};
  const Strings first{"a|b@1"};
  for (const std::string name : {"x.csv", "X.CSV", "x.txt", "x", "standard input"}) {
    EXPECT_EQ(shown(read_records(name, "text,label\nb,a\n")), expected) << name;
    EXPECT_EQ(shown(read_records(name, "\"label\"\t\"text\"\na\tb\n")), expected) << name;
  }
  EXPECT_EQ(shown(read_records("x.txt", "\n{\"text\": \"b\", \"label\": \"a\"}\n")), expected);
  EXPECT_EQ(shown(read_records("x.txt", "__label__a b\n")), first);
  EXPECT_EQ(shown(read_records("x.jsonl", "{\"text\": \"b\", \"label\": \"a\"}\n")), first);
  EXPECT_EQ(shown(read_records("x.csv", "__label__a b\n", {.format = "fasttext"})), first);
  EXPECT_EQ(shown(read_records("x.txt", "b\n\nc\n", {.answers = kOptional})),
            (Strings{"|b@1", "|@2", "|c@3"}));
  EXPECT_EQ(shown(read_records("x.txt", "text,b\n", {.answers = kOptional, .format = "lines"})),
            (Strings{"|text,b@1"}));
}

TEST(OpenRecords, EveryFormatIsTheSameFromItsGz) {
  const TemporaryFolder folder;
  const std::pair<std::string, std::string> files[] = {
      {"x.csv", "text,label\n\"b\nc\",a\n"},
      {"x.tsv", "text\tlabel\nb\ta\n"},
      {"x.jsonl", "{\"text\": \"b\", \"label\": \"a\"}\n"},
      {"x.txt", "__label__a b\n"}};
  for (const auto& [name, bytes] : files) {
    const Dataset plain = read_dataset({folder.write(name, bytes)}, {});
    const Dataset packed = read_dataset({folder.write(name + ".gz", test::gzip(bytes))}, {});
    EXPECT_EQ(shown(plain.records), shown(packed.records)) << name;
    EXPECT_EQ(label_of(packed[0]), "a");
    EXPECT_EQ(*packed[0].place.file, folder.path(name + ".gz"));
  }
  const std::string words = "a\tDT\n\nb\tNN\n";
  const Dataset packed = read_dataset({folder.write("x.conll.gz", test::gzip(words))}, for_tags());
  ASSERT_EQ(packed.size(), 2);
  EXPECT_EQ(tags_of(packed[1]), Strings{"NN"});
}

TEST(OpenRecords, Latin1IsRepairedAndCounted) {
  const TemporaryFolder folder;
  const std::string path = folder.write("x.csv", "text,label\ncaf\xE9,a\ncafé,b\n");
  const Dataset data = read_dataset({path}, {});
  EXPECT_EQ(shown(data.records), (Strings{"a|café@2", "b|café@3"}));
  EXPECT_EQ(data.repaired, 1);
}

TEST(OpenRecords, AnUnknownFormatListsTheKnownOnes) {
  EXPECT_EQ(refusal<UsageError>("x", "a", {.format = "cvs"}),
            "format \"cvs\": expected one of csv, tsv, jsonl, fasttext, folder, conllu, conll, "
            "lines, words");
}

TEST(OpenRecords, AFormatOfAnotherKindIsRefused) {
  EXPECT_EQ(refusal<UsageError>("x.conllu", "a"),
            "x.conllu: the format conllu does not hold labelled texts, expected csv, tsv, jsonl, "
            "fasttext or folder");
  EXPECT_EQ(tagged_refusal<UsageError>("x.csv", "a"),
            "x.csv: the format csv does not hold tagged words, expected conllu or conll");
  EXPECT_EQ(tagged_refusal<UsageError>("x", "a", {.format = "folder"}),
            "x: the format folder does not hold tagged words, expected conllu or conll");
  EXPECT_THROW(read_records("x", "a", {.format = "lines"}), UsageError);
  EXPECT_THROW(read_tagged("x", "a", {.format = "lines"}), UsageError);
}

TEST(OpenRecords, SentencesAreToldFromColumnsWhereTagsAreOptional) {
  const auto first_words = [](const std::string& bytes) {
    return words_of(read_tagged("-", bytes, {.answers = kOptional}).front());
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

TEST(OpenRecords, TheSameLinesAreReadForTheAnswersAskedFor) {
  const std::string columns = "1\tSo\tso\tADV\tRB\t_\t0\troot\t_\t_\n";
  EXPECT_EQ(tags_of(read_tagged("x", columns).at(0)), Strings{"ADV"});
  EXPECT_EQ(shown(read_records("x", columns, {.answers = kOptional})),
            (Strings{"|" + columns.substr(0, columns.size() - 1) + "@1"}));
  // What is a text for labels is a sentence of words for tags.
  const std::string line = "text, label\n";
  EXPECT_TRUE(read_records("x", line, {.answers = kOptional}).empty());  // the names of columns
  EXPECT_EQ(words_of(read_tagged("x", line, {.answers = kOptional}).at(0)),
            (Strings{"text", ",", "label"}));
}

TEST(OpenRecords, AnOptionThatTheFormatHasNoUseForIsRefused) {
  EXPECT_EQ(refusal<UsageError>("x", "__label__a b", {.text_column = "text"}),
            "--text-column text: the format fasttext has no use for it");
  EXPECT_THROW(read_records("x.csv", "text,label\n", {.tag_column = "upos"}), UsageError);
  EXPECT_THROW(read_records("x.jsonl", "{}", {.delimiter = "tab"}), UsageError);
  EXPECT_THROW(read_tagged("x.conll", "a b", {.label_column = "label"}), UsageError);
}

TEST(OpenRecords, ATextWithoutAFormatSaysHowToChooseOne) {
  EXPECT_EQ(refusal("notes.txt", "Just some words.\n"),
            "notes.txt: cannot tell the format from its name or from \"Just some words.\"; choose "
            "with --format csv, tsv, jsonl or fasttext");
}

TEST(OpenRecords, EmptyFilesAndFilesWithoutExamplesAreRefused) {
  const TemporaryFolder folder;
  for (const std::string name : {"x.csv", "x.tsv", "x.jsonl", "x.txt", "x.csv.gz"}) {
    const std::string path = folder.write(name, "");
    EXPECT_EQ(message_of<FormatError>([&] { read_dataset({path}, {}); }), path + ": is empty");
  }
  const std::string packed = folder.write("y.csv.gz", test::gzip(""));
  EXPECT_EQ(message_of<FormatError>([&] { read_dataset({packed}, {}); }), packed + ": is empty");
  const std::string path = folder.write("x.conllu", "");
  EXPECT_EQ(message_of<FormatError>([&] { read_dataset({path}, for_tags()); }),
            path + ": is empty");
  const std::string header = folder.write("x.csv", "text,label\n");
  EXPECT_EQ(message_of<FormatError>([&] { read_dataset({header}, {}); }),
            header + ": has no examples");
  const std::string comments = folder.write("y.conllu", "# only\n\n");
  EXPECT_EQ(message_of<FormatError>([&] { read_dataset({comments}, for_tags()); }),
            comments + ": has no examples");
}

TEST(OpenRecords, MissingFilesFoldersAndBinaryFilesAreRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(open_records(folder.path("missing.csv")), IoError);
  EXPECT_THROW(open_records(folder.path(), for_tags()), IoError);
  const std::string binary =
      folder.write("x.csv", std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16));
  EXPECT_EQ(message_of<FormatError>([&] {
              read_dataset({binary}, {});
            }).find(binary + ":3: looks like a binary file"),
            0u);
}

}  // namespace
}  // namespace heed
