#include "heed/base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "heed/base/error.h"

namespace {

// What fsync() was asked for since recording began, and an error to give in place of syncing what
// has this name.
bool recording = false;
std::vector<std::string> synced;
std::string refused;

}  // namespace

// In place of the C library's, for all of this program.
extern "C" int fsync(int descriptor) {
  if (recording) {
    std::error_code error;
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    synced.push_back(std::filesystem::read_symlink(link, error).string());
    if (synced.back() == refused) {
      errno = EIO;
      return -1;
    }
  }
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

namespace heed {
namespace {

class File : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "heed_file_test";
    std::filesystem::remove_all(folder_);
    make_folder(folder_);
    folder_ = std::filesystem::canonical(folder_).string();
  }
  void TearDown() override {
    recording = false;
    refused.clear();
    std::filesystem::remove_all(folder_);
  }
  static void record_syncs() {
    recording = true;
    synced.clear();
  }
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

TEST_F(File, NewFoldersAreSyncedIntoThoseAboveThem) {
  record_syncs();
  make_folder(path("a/b/c/"));
  EXPECT_TRUE(std::filesystem::is_directory(path("a/b/c")));
  EXPECT_EQ(synced, (std::vector<std::string>{folder_, path("a"), path("a/b")}));
  record_syncs();
  make_folder(path("a/b/c"));
  EXPECT_TRUE(synced.empty());
}

TEST_F(File, AFolderThatCannotBeSyncedIsAnIoError) {
  write_file(path("x"), "x");
  record_syncs();
  refused = folder_;
  EXPECT_THROW(make_folder(path("a")), IoError);
  EXPECT_THROW(write_file(path("y"), "y"), IoError);
  EXPECT_THROW(move_file(path("x"), path("z")), IoError);
  EXPECT_THROW(sync_folder(folder_), IoError);
  refused.clear();
  EXPECT_NO_THROW(sync_folder(folder_));
  EXPECT_THROW(sync_folder(path("missing")), IoError);
}

TEST_F(File, AFileIsNoPlaceForAFolder) {
  write_file(path("x"), "x");
  EXPECT_THROW(make_folder(path("x")), IoError);
  EXPECT_THROW(make_folder(path("x/y")), IoError);
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

TEST_F(File, ALinkStaysAndWhatItLeadsToIsReplaced) {
  namespace fs = std::filesystem;
  make_folder(path("below"));
  write_file(path("below/old"), "old");
  fs::create_hard_link(path("below/old"), path("witness"));
  fs::create_symlink("below/old", path("near"));        // relative to where the link lies
  fs::create_symlink(path("near"), path("below/far"));  // a link to a link
  fs::create_symlink("below/new", path("to_nothing"));  // not there yet
  for (const char* name : {"near", "below/far", "to_nothing"}) {
    write_file(path(name), name);
    EXPECT_TRUE(fs::is_symlink(path(name))) << name;
    EXPECT_EQ(read_file(path(name)), name);
  }
  EXPECT_EQ(read_file(path("below/old")), "below/far");
  EXPECT_EQ(read_file(path("below/new")), "to_nothing");
  EXPECT_EQ(read_file(path("witness")), "old");  // replaced, not written over
  fs::create_symlink("round", path("round"));
  EXPECT_THROW(write_file(path("round"), "x"), IoError);
}

TEST_F(File, APipeIsWrittenInto) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("pipe", path("link"));
  for (const char* name : {"pipe", "link"}) {
    std::string got;
    std::thread reader([&] { got = read_file(path("pipe")); });
    const std::string bytes(200000, 'x');
    write_file(path(name), bytes);
    reader.join();
    EXPECT_EQ(got, bytes);
    EXPECT_TRUE(std::filesystem::is_fifo(path("pipe")));
  }
  EXPECT_FALSE(file_exists(path("pipe.part")));
}

}  // namespace
}  // namespace heed
