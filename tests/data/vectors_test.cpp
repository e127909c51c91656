#include "heed/data/text/vectors.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <string>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/file.h"

namespace heed {
namespace {

class Vectors : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "heed_vectors_test.vec";
    WordCounts counts;
    for (const char* word : {"cat", "dog", "new york", "1995"}) counts.add(word);
    vocabulary_ = Vocabulary(counts, 10);
    table_.assign(static_cast<std::size_t>(2 * vocabulary_.size()), -1);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  Index read(const std::string& bytes) {
    write_file(path_, bytes);
    return read_vectors(path_, vocabulary_, 2, table_);
  }
  std::vector<float> row(std::string_view word) const {
    const auto begin = table_.begin() + 2 * vocabulary_.find(word);
    return {begin, begin + 2};
  }
  std::string message(const std::string& bytes) {
    try {
      read(bytes);
    } catch (const FormatError& error) {
      const std::string text = error.what();
      EXPECT_TRUE(text.starts_with(path_ + ":")) << text;
      return text.substr(path_.size() + 1);
    }
    return "nothing was thrown";
  }

  std::string path_;
  Vocabulary vocabulary_;
  std::vector<float> table_;
};

using Row = std::vector<float>;

TEST_F(Vectors, OfWord2vecAndFastTextHaveAFirstLine) {
  EXPECT_EQ(read("3 2\ncat 0.5 -1e-3 \nbird 1 2 \ndog +3 4\r\n"), 2);
  EXPECT_EQ(row("cat"), (Row{0.5f, -1e-3f}));
  EXPECT_EQ(row("dog"), (Row{3, 4}));
  EXPECT_EQ(row("1995"), (Row{-1, -1})) << "not in the file: as it was";
  EXPECT_EQ(row("<unknown>"), (Row{-1, -1}));
  EXPECT_EQ(vectors_width(path_), 2);
}

TEST_F(Vectors, OfGloveHaveNoneAndWordsMayHoldSpaces) {
  EXPECT_EQ(read("1995 1 2\nnew york 3 4\n. . . 5 6\n<unknown> 7 8"), 2);
  EXPECT_EQ(row("1995"), (Row{1, 2}));
  EXPECT_EQ(row("new york"), (Row{3, 4}));
  EXPECT_EQ(row("<unknown>"), (Row{-1, -1}));
  EXPECT_EQ(vectors_width(path_), 2);
}

TEST_F(Vectors, TheFirstOfTwoCountsAndTheTiniestIsZero) {
  EXPECT_EQ(read("cat 1 1e-60\ncat 2 2\n"), 1);
  EXPECT_EQ(row("cat"), (Row{1, 0}));
}

TEST_F(Vectors, MayBeCompressed) {
  const std::string bytes = "2 2\ncat 1 2\ndog 3 4\n";
  const gzFile file = gzopen(path_.c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  EXPECT_EQ(vectors_width(path_), 2);
  EXPECT_EQ(read_vectors(path_, vocabulary_, 2, table_), 2);
  EXPECT_EQ(row("dog"), (Row{3, 4}));
  const std::string compressed = read_file(path_);
  EXPECT_THROW(read(compressed.substr(0, compressed.size() - 4)), FormatError);
}

TEST_F(Vectors, MistakesAreToldWithTheirLine) {
  EXPECT_EQ(message(""), " empty, expected a word and its vector in each line");
  EXPECT_EQ(message("\n"), "1: 0 fields, expected a word and its numbers");
  EXPECT_EQ(message("cat\n"), "1: 1 fields, expected a word and its numbers");
  EXPECT_EQ(message("cat 1 2 3\n"), "1: vectors of 3 numbers, expected 2");
  EXPECT_EQ(message("7 3\n"), "1: vectors of 3 numbers, expected 2");
  EXPECT_EQ(message("7 0\n"), "1: “7 0”, expected the number of words and of numbers for each");
  EXPECT_EQ(message("cat 1 2\ndog 1\n"), "2: 1 numbers, expected 2 after the word");
  EXPECT_EQ(message("cat 1 2\n\ndog 1 2\n"), "2: 0 numbers, expected 2 after the word");
  EXPECT_EQ(message("cat 1 2\n1 2\n"), "2: 1 numbers, expected 2 after the word");
  EXPECT_EQ(message("cat 1 2\nbird 1 x\n"), "2: “x” is not a number");
  EXPECT_EQ(message("cat 1 2\ndog nan 1\n"), "2: “nan” is not a number");
  EXPECT_EQ(message("cat 1 2\ndog 1e99 1\n"), "2: “1e99” is not a number");
  EXPECT_EQ(message("cat 1 2\ndog inf 1\n"), "2: “inf” is not a number");
  EXPECT_EQ(message("3 2\ncat 1 2\n"),
            "1: 3 words were promised, 1 are there; the file may be cut short");
  EXPECT_NE(message(std::string("2 2\ncat \0\0\n", 11)), "nothing was thrown");
  table_.pop_back();
  EXPECT_THROW(read("cat 1 2\n"), ShapeError);
  EXPECT_THROW(vectors_width(path_ + ".missing"), IoError);
}

}  // namespace
}  // namespace heed
