#include "heed/data/pairs.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/data/dataset.h"
#include "tests/data/gzip.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace heed {
namespace {

using test::message_of;
using test::TemporaryFolder;

ReadOptions options(Answers answers = Answers::kRequired) {
  return {.answer = AnswerKind::kSequence, .answers = answers};
}

std::vector<std::pair<std::string, std::string>> read_pairs(const std::vector<std::string>& paths,
                                                            const ReadOptions& how = options()) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const Record& record : read_dataset(paths, how).records) {
    pairs.emplace_back(std::get<Text>(record.content).text, std::get<Sequence>(record.answer).text);
  }
  return pairs;
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(Pairs, LinesOfTwoFilesBelongTogether) {
  const TemporaryFolder folder;
  const std::string de = folder.path() + "/train.de", en = folder.path() + "/train.en";
  write_file(de, "Ein Hund.\r\n\nZwei Katzen. \n");
  write_file(en, "A dog.\n\nTwo cats.\n");
  EXPECT_EQ(read_pairs({de, en}), (Pairs{{"Ein Hund.", "A dog."}, {"Zwei Katzen.", "Two cats."}}));
  const std::string packed = folder.write("train.en.gz", test::gzip("A dog.\n\nTwo cats.\n"));
  EXPECT_EQ(read_pairs({de, packed}), read_pairs({de, en}));
  // Twice as many files are twice as many pairs.
  EXPECT_EQ(read_pairs({de, en, de, en}).size(), 4u);
}

TEST(Pairs, FilesOfDifferentLengthAreRefused) {
  const TemporaryFolder folder;
  const std::string a = folder.path() + "/a", b = folder.path() + "/b";
  write_file(a, "one\ntwo\nthree\n");
  write_file(b, "eins\nzwei\n");
  EXPECT_EQ(message_of<FormatError>([&] {
              read_pairs({a, b});
            }),
            a + ":3: has no line beside it: " + b +
                " ends after line 2; lines that belong together must have the same number");
  EXPECT_THROW(read_pairs({b, a}), FormatError);
}

TEST(Pairs, AnEmptyLineBesideATextIsRefused) {
  const TemporaryFolder folder;
  const std::string a = folder.path() + "/a", b = folder.path() + "/b";
  write_file(a, "one\n \n");
  write_file(b, "eins\nzwei\n");
  EXPECT_EQ(message_of<FormatError>([&] {
              read_pairs({a, b});
            }),
            a + ":2: is empty, but line 2 of " + b + " is not; leave out both, or neither");
}

TEST(Pairs, TheColumnOfGroupsIsNeitherSourceNorTarget) {
  const TemporaryFolder folder;
  const std::string table = folder.write("a.tsv", "en\tsource\tit\na dog\tdogs\tun cane\n");
  EXPECT_THROW(read_pairs({table}), FormatError);
  ReadOptions grouped = options();
  grouped.group_column = "source";
  EXPECT_EQ(read_pairs({table}, grouped), (Pairs{{"a dog", "un cane"}}));
}

TEST(Pairs, LinesHaveNoColumns) {
  const TemporaryFolder folder;
  const std::string a = folder.write("a", "one\n"), b = folder.write("b", "eins\n");
  ReadOptions named = options();
  named.text_column = "de";
  EXPECT_EQ(message_of<UsageError>([&] {
              read_pairs({a, b}, named);
            }),
            "--source-column de: " + a + " is read as lines, which have no columns");
}

TEST(Pairs, OneFileOfLinesHasNoTargets) {
  const TemporaryFolder folder;
  const std::string a = folder.path() + "/a";
  write_file(a, "one\n");
  EXPECT_THROW(read_pairs({a}), UsageError);
  EXPECT_THROW(read_pairs({a, a}), UsageError);
  // To predict, sources are enough.
  const Dataset data = read_dataset({a}, options(Answers::kOptional));
  EXPECT_EQ(std::get<Text>(data[0].content).text, "one");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(data[0].answer));
}

TEST(Pairs, ATableHasAColumnOfEach) {
  const TemporaryFolder folder;
  const std::string tsv = folder.path() + "/p.tsv", jsonl = folder.path() + "/p.jsonl";
  write_file(tsv, "de\ten\nEin Hund.\tA dog.\n");
  EXPECT_EQ(read_pairs({tsv}), (Pairs{{"Ein Hund.", "A dog."}}));  // the first is the source
  ReadOptions other = options();
  other.text_column = "en";
  other.label_column = "de";
  EXPECT_EQ(read_pairs({tsv}, other), (Pairs{{"A dog.", "Ein Hund."}}));
  write_file(jsonl, "{\"id\": 1, \"body\": \"a long mail\", \"subject\": \"mail\"}\n");
  EXPECT_EQ(read_pairs({jsonl}), (Pairs{{"a long mail", "mail"}}));
  write_file(tsv, "a\tb\tc\n1\t2\t3\n");
  EXPECT_NE(message_of<FormatError>([&] { read_pairs({tsv}); }).find("--source-column"),
            std::string::npos);
}

TEST(Pairs, FingerprintSeesTheTarget) {
  const TemporaryFolder folder;
  const std::string a = folder.path() + "/a", b = folder.path() + "/b", c = folder.path() + "/c";
  write_file(a, "one\n");
  write_file(b, "eins\n");
  write_file(c, "zwei\n");
  EXPECT_NE(fingerprint(read_dataset({a, b}, options())),
            fingerprint(read_dataset({a, c}, options())));
}

}  // namespace
}  // namespace heed
