#include "heed/base/file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "heed/base/error.h"

namespace heed {
namespace {

class File : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "heed_file_test";
    std::filesystem::remove_all(folder_);
    make_folder(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
};

TEST_F(File, WhatIsWrittenIsReadAndNothingElseIsLeft) {
  const std::string bytes("a\0b\n", 4);
  write_file(path("x"), bytes);
  write_file(path("x"), bytes + bytes);
  EXPECT_EQ(read_file(path("x")), bytes + bytes);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
  EXPECT_TRUE(file_exists(path("x")));
  EXPECT_FALSE(file_exists(path("y")));
}

TEST_F(File, WhatTheSystemRefusesIsAnIoErrorWithThePath) {
  for (const auto& action : {std::function<void()>([&] { read_file(path("missing")); }),
                             std::function<void()>([&] { read_file(folder_); }),
                             std::function<void()>([&] { write_file(path("no/such/x"), "x"); }),
                             std::function<void()>([&] { make_folder("/dev/null/x"); })}) {
    try {
      action();
      FAIL() << "nothing was thrown";
    } catch (const IoError& error) {
      EXPECT_NE(std::string(error.what()).find(": "), std::string::npos);
    }
  }
}

TEST_F(File, PiecesBecomeOneFileAtTheEndAndNotBefore) {
  write_file(path("x"), "old");
  std::string expected;
  {
    FileWriter file(path("x"));
    for (std::size_t size : {0u, 1u, 7u, 65535u, 65536u, 200000u, 3u}) {
      const std::string piece(size, static_cast<char>('a' + size % 7));
      file.write(piece);
      expected += piece;
    }
    EXPECT_EQ(read_file(path("x")), "old");
    file.finish();
  }
  EXPECT_EQ(read_file(path("x")), expected);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(File, WhatIsNeverFinishedLeavesNothing) {
  { FileWriter(path("x")).write("half"); }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(File, AFullDiskLeavesTheOldFileAsItWas) {
  // /dev/full refuses every write; the temporary name beside it cannot even be made.
  EXPECT_THROW(write_file("/dev/full/x", "x"), IoError);
  write_file(path("x"), "old");
  std::filesystem::create_directory(path("x.part"));  // in the way of the temporary file
  EXPECT_THROW(write_file(path("x"), "new"), IoError);
  EXPECT_EQ(read_file(path("x")), "old");
}

}  // namespace
}  // namespace heed
