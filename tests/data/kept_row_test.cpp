#include "heed/data/text/kept_row.h"

#include <gtest/gtest.h>

#include "heed/data/text/conll_lines.h"
#include "tests/data/records.h"
#include "tests/support/messages.h"

namespace heed {
namespace {

using test::message_of;
using test::Strings;

// What comes back of a file whose every record gets the same cells.
std::string kept(const std::string& name, const std::string& bytes, const Strings& names,
                 const std::vector<KeptCell>& cells, ReadOptions options = {}) {
  options.answers = Answers::kOptional;
  options.keep = true;
  const auto source = open_text(LineReader(ByteSource::memory(name, bytes)), options);
  std::string back = source->head() == nullptr ? "" : with_names(*source->head(), names, name);
  for (Record record; source->next(record);) {
    back += with_cells(*record.extras->row, names, cells, record.place.text());
  }
  return back + source->rest();
}

TEST(KeptRow, NothingAddedIsTheSameFileToTheByte) {
  for (const std::string bytes :
       {"text,label\na,b\n", "\xEF\xBB\xBFtext,label\r\n\r\n\"a\r\nb\",\"c\"\r\n\n\n",
        "id,text\n1,caf\xE9\n2,x", "text\n\"a\"\"b\"\n"}) {
    EXPECT_EQ(kept("x.csv", bytes, {}, {}), bytes);
  }
  const std::string objects = "{\"text\": \"a\", \"n\": 1.50}\r\n\n { \"text\":\"b\" } \n\n";
  EXPECT_EQ(kept("x.jsonl", objects, {}, {}), objects);
  EXPECT_EQ(kept("x.txt", "a\n\nb\r\nc", {}, {}), "a\n\nb\r\nc");
  EXPECT_EQ(kept("x.ft", "__label__a b\n\nc\n", {}, {}), "__label__a b\n\nc\n");
}

TEST(KeptRow, AnswersAreMoreColumnsKeysOrFields) {
  const Strings names{"predicted", "probability"};
  const std::vector<KeptCell> cells{{"a \"b\", c"}, {"0.5", false}};
  EXPECT_EQ(kept("x.csv", "id,text\r\n7,\"x\ny\"\r\n8,z", names, cells),
            "id,text,predicted,probability\r\n7,\"x\ny\",\"a \"\"b\"\", c\",0.5\r\n"
            "8,z,\"a \"\"b\"\", c\",0.5");
  EXPECT_EQ(kept("x.jsonl", "{\"text\": \"x\"}\n", names, cells),
            "{\"text\": \"x\", \"predicted\": \"a \\\"b\\\", c\", \"probability\": 0.5}\n");
  EXPECT_EQ(kept("x.txt", "x\n\n", names, cells), "x\ta \"b\", c\t0.5\n\ta \"b\", c\t0.5\n");
}

TEST(KeptRow, ANameThatIsThereAlreadyIsRefused) {
  const Strings names{"predicted"};
  EXPECT_EQ(
      message_of<FormatError>([&] { kept("x.csv", "text,predicted\na,b\n", names, {{"c"}}); }),
      "x.csv: has a column \"predicted\" already, where the answers would go; rename it, or leave "
      "out --keep");
  EXPECT_EQ(message_of<FormatError>(
                [&] { kept("x.jsonl", "{\"text\":\"a\",\"predicted\":1}\n", names, {{"c"}}); }),
            "x.jsonl:1: has a key \"predicted\" already, where the answers would go; rename it, or "
            "leave out --keep");
}

// With the tag T in the column that --keep adds, or where the model knows its own.
std::string tagged(const std::string& name, const std::string& bytes, bool keep) {
  ReadOptions options = test::for_tags({.answers = Answers::kOptional});
  options.keep = keep;
  options.known = {.tag = "2", .count = 2};
  if (name.ends_with("u")) options.known = {.tag = "upos"};
  const auto source = open_text(LineReader(ByteSource::memory(name, bytes)), options);
  std::string back;
  for (Record record; source->next(record);) {
    const Strings tags(test::words_of(record).size(), "T");
    back += with_tags(*record.extras->lines, tags, record.place.text());
  }
  return back + source->rest();
}

TEST(KeptRow, ConllComesBackLineForLine) {
  const std::string bytes =
      "\n\n-DOCSTART- O\r\n\r\na T\r\nb T\r\n\n\n \n# x = y\nc  T\n\n# the very end\n\n";
  EXPECT_EQ(tagged("x.conll", bytes, false), bytes);
  EXPECT_EQ(tagged("x.conll", "a T\n\nb T", false), "a T\n\nb T");
  EXPECT_EQ(tagged("x.conll", "caf\xE9 X\n", false), "caf\xE9 T\n");
  EXPECT_EQ(tagged("x.conll", "a X\r\n\r\nb X", true), "a X T\r\n\r\nb X T");
  const std::string word = "1\ta\tb\tX\tc\t_\t0\troot\t_\t_";
  EXPECT_EQ(tagged("x.conllu", "# c = d\n" + word + "\n\n", true), "# c = d\n" + word + "\tT\n\n");
}

TEST(KeptRow, ASentenceOfThousandsOfWordsComesInParts) {
  std::string bytes;
  for (int i = 0; i < 10000; ++i) bytes += "a T\n";
  bytes += "\nb T\n";
  const auto parts = test::read_tagged("x.conll", bytes, {.answers = Answers::kOptional});
  ASSERT_GT(parts.size(), 3u);
  EXPECT_TRUE(parts[0].extras->continues);
  EXPECT_FALSE(parts[parts.size() - 2].extras->continues);
  EXPECT_EQ(tagged("x.conll", bytes, false), bytes);
  EXPECT_EQ(test::read_tagged("x.conll", bytes).size(), 2u) << "to learn from it stays whole";
}

TEST(KeptRow, RecordsKnowTheirId) {
  const ReadOptions optional{.answers = Answers::kOptional};
  EXPECT_EQ(test::read_records("x.csv", "id,text\nq7,a\n", optional)[0].extras->id, "q7");
  EXPECT_EQ(test::read_records("x.jsonl", "{\"text\":\"a\",\"id\":12}\n", optional)[0].extras->id,
            "12");
  EXPECT_EQ(test::read_tagged("x.conllu", "# sent_id = s-1\n1\ta\tb\tX\tc\t_\t0\troot\t_\t_\n")[0]
                .extras->id,
            "s-1");
}

std::string piped(const std::string& first_line, ReadOptions options = {}) {
  options.answers = Answers::kOptional;
  options.known.text = "sentence";
  LineReader lines(ByteSource::memory("standard input", first_line + "\nmore\n"));
  return find_piped_format(lines, options);
}

TEST(Piped, TheFirstLineTellsTheFormat) {
  EXPECT_EQ(piped("a fast editor"), "lines");
  EXPECT_EQ(piped("review, please"), "lines");
  EXPECT_EQ(piped("{not json"), "lines");
  EXPECT_EQ(piped("text,label"), "csv");
  EXPECT_EQ(piped("id\ttext"), "tsv");
  EXPECT_EQ(piped("sentence"), "csv");
  EXPECT_EQ(piped("{\"text\": \"a\"}"), "jsonl");
  EXPECT_EQ(piped("{\"a\": 1}"), "lines");
  EXPECT_EQ(piped("__label__a b"), "fasttext");
  const ReadOptions tags = test::for_tags();
  EXPECT_EQ(piped("Ada lives in London.", tags), "lines");
  EXPECT_EQ(piped("Ada", tags), "lines");
  EXPECT_EQ(piped("Ada\tB-PER", tags), "conll");
  EXPECT_EQ(piped("# text = Ada", tags), "conllu");
  EXPECT_EQ(piped("1\ta\tb\tX\tc\t_\t0\troot\t_\t_", tags), "conllu");
  EXPECT_EQ(piped("{\"text\": \"a\"}", tags), "jsonl");
}

}  // namespace
}  // namespace heed
