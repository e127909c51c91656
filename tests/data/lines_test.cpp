#include "heed/data/lines.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "heed/base/file.h"
#include "heed/data/utf8.h"
#include "tests/data/gzip.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace heed {
namespace {

using test::gzip;
using test::message_of;
using test::TemporaryFolder;

std::vector<std::string> lines_of(LineReader reader) {
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) {
    lines.push_back(line);
    EXPECT_EQ(reader.line(), std::ssize(lines));
  }
  return lines;
}

std::vector<std::string> lines_in(const std::string& bytes) {
  return lines_of(LineReader(ByteSource::memory("memory", bytes)));
}

using Lines = std::vector<std::string>;

TEST(LineReader, EndsOfLinesAndAByteOrderMarkAreTakenOff) {
  EXPECT_EQ(lines_in("a\nb"), (Lines{"a", "b"}));
  EXPECT_EQ(lines_in("a\r\n\r\nb\r\n"), (Lines{"a", "", "b"}));
  EXPECT_EQ(lines_in("\xEF\xBB\xBF"
                     "a\n\xEF\xBB\xBF"),
            (Lines{"a", "\xEF\xBB\xBF"}));
  EXPECT_EQ(lines_in("\n"), (Lines{""}));
  EXPECT_EQ(lines_in(""), Lines{});
  EXPECT_EQ(lines_in("a\rb\n"), (Lines{"a\rb"}));
}

TEST(LineReader, ReadsTheSameFromAFileAndFromItsGz) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 50000; ++i) text += "line number " + std::to_string(i) + "\n";
  const Lines expected = lines_in(text);
  EXPECT_EQ(expected.size(), 50000u);
  EXPECT_EQ(lines_of(LineReader(folder.write("x.txt", text))), expected);
  EXPECT_EQ(lines_of(LineReader(folder.write("x.txt.gz", gzip(text)))), expected);
  EXPECT_EQ(lines_of(LineReader(folder.write("packed", gzip(text)))), expected);
  const std::string members = gzip("a\nb") + gzip("c\n") + gzip("") + gzip("d") + std::string(9, 0);
  EXPECT_EQ(lines_of(LineReader(folder.write("members.gz", members))), (Lines{"a", "bc", "d"}));
}

TEST(LineReader, ATruncatedOrCorruptGzIsAFormatErrorWithItsPath) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919 % 10007) + "\n";
  const std::string packed = gzip(text);
  for (const std::size_t kept :
       {2ul, 9ul, packed.size() / 2, packed.size() - 9, packed.size() - 1}) {
    const std::string path = folder.write("cut.gz", packed.substr(0, kept));
    const std::string message = message_of<FormatError>([&] { lines_of(LineReader(path)); });
    EXPECT_EQ(message, path + ": the .gz ends before its data does; it is truncated") << kept;
  }
  for (const std::size_t place : {3ul, packed.size() / 2, packed.size() - 6}) {
    std::string altered = packed;
    altered[place] = static_cast<char>(altered[place] ^ 0x55);
    const std::string path = folder.write("altered.gz", altered);
    const std::string message = message_of<FormatError>([&] { lines_of(LineReader(path)); });
    EXPECT_EQ(message.find(path + ": the .gz "), 0u) << message;
  }
  const std::string path = folder.write("plain.gz", "not packed\n");
  EXPECT_EQ(message_of<FormatError>([&] { LineReader{path}; }),
            path + ": is named .gz but is not packed by gzip; rename it");
  const std::string more = folder.write("more.gz", packed + "more");
  EXPECT_NE(message_of<FormatError>([&] { lines_of(LineReader(more)); }).find("other bytes follow"),
            std::string::npos);
}

TEST(LineReader, LinesThatAreNotUtf8AreRepairedAndCounted) {
  LineReader reader(ByteSource::memory("memory", "caf\xE9\nGrüße\n\x93\n"));
  Lines lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  EXPECT_EQ(lines, (Lines{"café", "Grüße", "“"}));
  EXPECT_EQ(reader.repaired(), 2);
}

TEST(LineReader, WhatIsNoTextIsRefusedWithItsLine) {
  const TemporaryFolder folder;
  const std::string binary = folder.write("x.png", std::string("a\nb\0c\n", 6));
  EXPECT_EQ(message_of<FormatError>([&] { lines_of(LineReader(binary)); }),
            binary + ":2: looks like a binary file (it has NUL bytes), expected text");
  const std::string wide = folder.write("wide.txt", std::string("\xFF\xFEh\0i\0", 6));
  EXPECT_EQ(message_of<FormatError>([&] { lines_of(LineReader(wide)); }),
            wide + ":1: looks like UTF-16; save it as UTF-8");
}

TEST(LineReader, LinesBeforeOneThatIsNoTextAreReadWhereTheFileBeganAsText) {
  TemporaryFolder folder;
  std::string bytes;
  for (int i = 0; i < 30000; ++i) bytes += "a line of a text that is long\n";
  const std::string path = folder.write("x.txt", bytes + std::string("b\0c\nd\n", 6));
  LineReader reader(path);
  Index read = 0;
  EXPECT_EQ(message_of<FormatError>([&] {
              for (std::string line; reader.next(line);) ++read;
            }),
            path + ":30001: looks like a binary file (it has NUL bytes), expected text");
  EXPECT_EQ(read, 30000);
}

TEST(LineReader, ALineBeyondTheLimitIsRefusedBeforeItIsAllRead) {
  const std::string line(LineReader::kMaxLine, 'x');
  EXPECT_EQ(lines_in(line + "\n").size(), 1u);
  EXPECT_EQ(message_of<FormatError>([&] { lines_in("a\n" + line + "x\n"); }),
            "memory:2: a line of more than 64 MiB; is this a text file?");
  // 128 MiB of one line in a small .gz.
  const std::string piece = gzip(std::string(std::size_t{8} << 20, 'x'));
  std::string bomb;
  for (int i = 0; i < 16; ++i) bomb += piece;
  EXPECT_EQ(message_of<FormatError>([&] { lines_in(bomb); }).find("memory:1: a line of more"), 0u);
}

TEST(LineReader, WhatTheSystemRefusesIsAnIoError) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of<IoError>([&] { LineReader(folder.path("missing")); }),
            folder.path("missing") + ": cannot read: No such file or directory");
  EXPECT_EQ(message_of<IoError>([&] { LineReader(folder.path()); }),
            folder.path() + ": is a folder, expected a file");
}

TEST(LineReader, LooksAheadWithoutTakingAnything) {
  LineReader reader(ByteSource::memory("memory", "a\nb\nc\n"));
  EXPECT_EQ(*reader.peek(1), "b");
  EXPECT_EQ(*reader.peek(), "a");
  EXPECT_EQ(reader.peek(3), nullptr);
  EXPECT_EQ(reader.line(), 0);
  std::string line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "a");
  EXPECT_EQ(*reader.peek(), "b");
  EXPECT_EQ(lines_of(LineReader(ByteSource::memory("memory", "x"))), Lines{"x"});
}

TEST(LineReader, GivesALineOfStandardInputAsSoonAsItIsThere) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int kept = dup(STDIN_FILENO);
  ASSERT_EQ(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
  ASSERT_EQ(write(ends[1], "one\ntw", 6), 6);
  LineReader reader("-");
  std::string line;
  ASSERT_TRUE(reader.next(line));  // would wait for ever if it wanted a full buffer
  EXPECT_EQ(line, "one");
  ASSERT_EQ(write(ends[1], "o\n", 2), 2);
  close(ends[1]);
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "two");
  EXPECT_FALSE(reader.next(line));
  EXPECT_EQ(reader.path(), "standard input");
  dup2(kept, STDIN_FILENO);
  close(kept);
  close(ends[0]);
}

}  // namespace
}  // namespace heed
