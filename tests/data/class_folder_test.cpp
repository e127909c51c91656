#include "heed/data/text/class_folder.h"

#include <gtest/gtest.h>

#include "heed/data/dataset.h"
#include "tests/data/gzip.h"
#include "tests/data/records.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace heed {
namespace {

using test::message_of;
using test::shown;
using test::Strings;
using test::TemporaryFolder;

TEST(ClassFolder, EachFileIsATextInTheOrderOfTheNames) {
  const TemporaryFolder folder;
  folder.write("sport/2", "two\r\nlines\r\n");
  folder.write("sport/10", "\xEF\xBB\xBFten");
  folder.write("sport/.hidden", "not read");
  folder.write("art/a.txt.gz", test::gzip("packed"));
  folder.write("art/b.txt", "caf\xE9");
  folder.write(".git/config", "not read");
  folder.write("README", "not read");
  const Dataset data = read_dataset({folder.path() + "/"}, {});
  EXPECT_EQ(shown(data.records),
            (Strings{"art|packed@0", "art|café@0", "sport|ten@0", "sport|two\nlines\n@0"}));
  EXPECT_EQ(data[3].place.text(), folder.path("sport/2"));
  EXPECT_EQ(data.repaired, 1);
}

TEST(ClassFolder, WhatIsNotAFolderForEachClassIsRefused) {
  const TemporaryFolder folder;
  const auto refusal = [&] {
    return message_of<FormatError>([&] { read_dataset({folder.path()}, {}); });
  };
  EXPECT_EQ(refusal(), folder.path() + ": no folders in it, expected one for each class");
  folder.write("train/sport/1", "text");
  EXPECT_EQ(refusal(), folder.path("train/sport") +
                           ": a folder inside the folder of a class, expected files; is " +
                           folder.path("train") + " the folder to read?");
  std::filesystem::remove_all(folder.path("train/sport"));
  EXPECT_EQ(refusal(), folder.path("train") + ": no files in the folder of this class");
  folder.write("train/1", std::string("a\0b", 3));
  EXPECT_EQ(refusal(), folder.path("train/1") +
                           ": looks like a binary file (it has NUL bytes), expected text");
  const std::string file = folder.write("file", "x");
  EXPECT_THROW(read_dataset({file}, {.format = "folder"}), IoError);
  EXPECT_THROW(read_dataset({folder.path("missing")}, {.format = "folder"}), IoError);
  EXPECT_EQ(message_of<IoError>([&] { read_dataset({folder.path()}, {.format = "csv"}); }),
            folder.path() + ": is a folder, expected a file");
}

}  // namespace
}  // namespace heed
