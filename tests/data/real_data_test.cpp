#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "heed/data/dataset.h"
#include "heed/data/text/conll_lines.h"
#include "heed/data/utf8.h"
#include "tests/data/records.h"
#include "tests/support/temporary_folder.h"

namespace heed {
namespace {

using test::for_tags;
using test::label_of;
using test::tags_of;
using test::TemporaryFolder;
using test::text_of;
using test::words_of;

// The folder that HEED_DATA names, or "" if the data is not on this machine; then the tests below
// make a small folder of the same form, so that they always read something.
std::string data_folder(const std::string& name) {
  const char* folder = std::getenv("HEED_DATA");
  if (folder == nullptr) return {};
  const std::string path = std::string(folder) + "/" + name;
  return std::filesystem::is_directory(path) ? path : std::string();
}

struct NewsCounts {
  Index train, test;
  std::size_t groups;
  Index not_utf8;
};

TEST(RealData, TwentyNewsgroupsIsReadCompletely) {
  const TemporaryFolder made;
  std::string folder = data_folder("20newsgroups");
  NewsCounts expected{11314, 7532, 20, 73};
  if (folder.empty()) {
    folder = made.path();
    for (const std::string group : {"alt.atheism", "sci.space", "talk.politics.misc"}) {
      for (int i = 0; i < 9; ++i) {
        const std::string part = i < 6 ? "20news-bydate-train/" : "20news-bydate-test/";
        made.write(part + group + "/" + std::to_string(51000 + i),
                   "From: someone@somewhere\nSubject: " + group + "\n\nPost " +
                       (i == 2 ? "\xE4" : "") + "\n");
      }
    }
    expected = {18, 9, 3, 3};
  }
  const Dataset train = read_dataset({folder + "/20news-bydate-train"}, {});
  const Dataset test = read_dataset({folder + "/20news-bydate-test"}, {});
  EXPECT_EQ(train.size(), expected.train);
  EXPECT_EQ(test.size(), expected.test);
  EXPECT_EQ(train.repaired + test.repaired, expected.not_utf8);
  std::set<std::string> groups;
  for (const Record& post : train.records) {
    groups.insert(label_of(post));
    EXPECT_TRUE(valid_utf8(text_of(post))) << post.place.text();
    EXPECT_FALSE(text_of(post).empty()) << post.place.text();
  }
  EXPECT_EQ(groups.size(), expected.groups);
}

struct TreebankPart {
  std::string file;
  Index sentences, words;
};

TEST(RealData, EnglishWebTreebankIsReadCompletelyAndWrittenBackToTheByte) {
  const TemporaryFolder made;
  std::string folder = data_folder("ewt");
  std::vector<TreebankPart> parts = {{"en_ewt-ud-train.conllu", 12544, 204577},
                                     {"en_ewt-ud-dev.conllu", 2001, 25147},
                                     {"en_ewt-ud-test.conllu", 2077, 25094}};
  if (folder.empty()) {
    folder = made.path();
    const std::string sentence =
        "# text = Don't go\n1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "1\tDo\tdo\tAUX\tVB\t_\t3\taux\t_\t_\n2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_\n"
        "3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n3.1\tgone\tgo\tVERB\tVBN\t_\t_\t_\t_\t_\n\n";
    parts = {{"en_ewt-ud-train.conllu", 3, 9}, {"en_ewt-ud-test.conllu", 1, 3}};
    made.write(parts[0].file, sentence + sentence + sentence);
    made.write(parts[1].file, sentence);
  }
  for (const TreebankPart& part : parts) {
    const std::string path = folder + "/" + part.file;
    // Where answers are optional, tags are to be written, and lines are kept for them.
    const Dataset data = read_dataset({path}, for_tags({.answers = Answers::kOptional}));
    EXPECT_EQ(data.size(), part.sentences) << part.file;
    Index words = 0;
    std::set<std::string> tags;
    std::string written;
    for (const Record& sentence : data.records) {
      words += std::ssize(words_of(sentence));
      tags.insert(tags_of(sentence).begin(), tags_of(sentence).end());
      ASSERT_EQ(tags_of(sentence).size(), words_of(sentence).size());
      written += with_tags(*sentence.extras->lines, tags_of(sentence), sentence.place.text());
    }
    EXPECT_EQ(words, part.words) << part.file;
    EXPECT_LE(tags.size(), 17u) << "more tags than Universal Dependencies has";
    EXPECT_EQ(data.repaired, 0);
    EXPECT_TRUE(written == ByteSource::open(path).read_all(std::size_t{1} << 30)) << part.file;
  }
}

}  // namespace
}  // namespace heed
