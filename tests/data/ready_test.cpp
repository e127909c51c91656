#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>

#include "heed/data/lines.h"
#include "heed/data/open.h"
#include "tests/support/temporary_folder.h"

// What can be read without waiting for whoever writes.
namespace heed {
namespace {

using test::TemporaryFolder;

// A pipe that this test writes into, and the reader at its other end.
class Pipe {
 public:
  Pipe() {
    if (pipe(ends_) != 0) throw IoError("no pipe");
  }
  ~Pipe() {
    finish();
    close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  std::string path() const { return fmt::format("/dev/fd/{}", ends_[0]); }
  void write(const std::string& bytes) const {
    ASSERT_EQ(::write(ends_[1], bytes.data(), bytes.size()), std::ssize(bytes));
  }
  void finish() {
    if (ends_[1] >= 0) close(std::exchange(ends_[1], -1));
  }

 private:
  int ends_[2] = {-1, -1};
};

TEST(Ready, WhatIsNotYetWrittenIsNotReady) {
  Pipe pipe;
  pipe.write("one\ntw");
  LineReader lines(pipe.path());
  EXPECT_TRUE(lines.ready());
  EXPECT_FALSE(lines.ready(1));
  std::string line;
  EXPECT_TRUE(lines.next(line));
  EXPECT_EQ(line, "one");
  EXPECT_FALSE(lines.ready());
  pipe.write("o");
  EXPECT_FALSE(lines.ready());
  pipe.write("\n\nthree\nfo");
  EXPECT_TRUE(lines.ready(2));
  EXPECT_FALSE(lines.ready(3));
  for (const char* expected : {"two", "", "three"}) {
    EXPECT_TRUE(lines.ready());
    EXPECT_TRUE(lines.next(line));
    EXPECT_EQ(line, expected);
  }
  pipe.write("ur");
  EXPECT_FALSE(lines.ready());
  pipe.finish();
  EXPECT_TRUE(lines.ready());
  EXPECT_TRUE(lines.ready(1));  // there the end is known
  EXPECT_TRUE(lines.next(line));
  EXPECT_EQ(line, "four");
  EXPECT_EQ(lines.line(), 5);
  EXPECT_TRUE(lines.ready());
  EXPECT_FALSE(lines.next(line));
}

TEST(Ready, AFileIsAlwaysReady) {
  TemporaryFolder folder;
  const std::string long_line(200'000, 'x');
  LineReader lines(folder.write("a.txt", long_line + "\nb"));
  EXPECT_TRUE(lines.ready(5));
  std::string line;
  EXPECT_TRUE(lines.next(line));
  EXPECT_EQ(line, long_line);
  EXPECT_TRUE(lines.next(line));
  EXPECT_EQ(line, "b");
  EXPECT_FALSE(lines.next(line));
}

TEST(Ready, AnExampleIsReadyWhenItIsWhole) {
  constexpr AnswerKind kLabel = AnswerKind::kLabel, kTags = AnswerKind::kTags;
  const auto whole = [](const std::string& format, const std::string& bytes, AnswerKind answer) {
    Pipe pipe;
    pipe.write(bytes);
    const auto source = open_records(
        pipe.path(), {.answer = answer, .answers = Answers::kOptional, .format = format});
    return source->ready();
  };
  EXPECT_FALSE(whole("csv", "text,label\n", kLabel));
  EXPECT_TRUE(whole("csv", "text,label\na,b\n", kLabel));
  EXPECT_FALSE(whole("csv", "text,label\n\"a\n", kLabel));
  EXPECT_TRUE(whole("csv", "text,label\n\"a\n\n\"\"b\",c\n", kLabel));
  EXPECT_TRUE(whole("jsonl", "{}\n", kLabel));
  EXPECT_TRUE(whole("lines", "\n \n\na\n", kLabel));
  EXPECT_FALSE(whole("conll", "a X\nb Y\n", kTags));
  EXPECT_TRUE(whole("conll", "\na X\nb Y\n\n", kTags));
  EXPECT_TRUE(whole("lines", "a b\n", kTags));
}

}  // namespace
}  // namespace heed
