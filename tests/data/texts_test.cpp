#include "heed/data/texts.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/data/dataset.h"
#include "heed/data/open.h"
#include "tests/data/gzip.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace heed {
namespace {

std::vector<std::string> read_itself(const std::string& path, const std::string& format = {},
                                     Answers answers = Answers::kRequired) {
  ReadOptions options;
  options.answer = AnswerKind::kItself;
  options.answers = answers;
  options.format = format;
  std::vector<std::string> texts;
  for (const Record& record : read_dataset({path}, options).records) {
    texts.push_back(std::get<Text>(record.content).text);
    const auto* answer = std::get_if<Sequence>(&record.answer);
    EXPECT_EQ(answer != nullptr, answers == Answers::kRequired);
    if (answer == nullptr) continue;
    EXPECT_EQ(answer->text, texts.back());
  }
  return texts;
}

using Strings = std::vector<std::string>;

TEST(Texts, ALineIsATextAndItsOwnAnswer) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.txt", "One.\n\n \nTwo words.\n");
  EXPECT_EQ(read_itself(path), (Strings{"One.", "Two words."}));
  EXPECT_EQ(read_itself(folder.write("b.txt.gz", test::gzip("One.\n"))), Strings{"One."});
  // Prompts: an empty one may be continued, too.
  EXPECT_EQ(read_itself(path, {}, Answers::kOptional), (Strings{"One.", "", " ", "Two words."}));
  // What looks like a table is a text, unless its name says otherwise.
  EXPECT_EQ(read_itself(folder.write("c.txt", "text,label\na,b\n")),
            (Strings{"text,label", "a,b"}));
}

TEST(Texts, TablesHaveAColumnOfThem) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(read_itself(folder.write("a.csv", "id,text\n1,One.\n2,Two.\n")),
            (Strings{"One.", "Two."}));
  EXPECT_EQ(read_itself(folder.write("a.jsonl", "{\"text\": \"One.\"}\n{\"text\": \"Two.\"}\n")),
            (Strings{"One.", "Two."}));
}

TEST(Texts, ParagraphsEndWithAnEmptyLine) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.txt", "\nOne\n  line.\n\n\nTwo.\nMore. \n");
  EXPECT_EQ(read_itself(path, "paragraphs"), (Strings{"One line.", "Two. More."}));
}

TEST(Texts, AFileWithoutAnyIsRefused) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.txt", "\n\n");
  EXPECT_EQ(test::message_of<FormatError>([&] { read_itself(path); }), path + ": has no examples");
  EXPECT_EQ(test::message_of<FormatError>([&] { read_itself(path, "paragraphs"); }),
            path + ": has no examples");
}

}  // namespace
}  // namespace heed
