#include "heed/train/run_folder.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace heed {
namespace {

using test::message_of;
using test::TemporaryFolder;

// What a run writes, without what makes it a run.
void write_model(const std::string& folder, const std::string& content) {
  make_folder(folder);
  for (const char* name : {"config.json", "tokenizer.txt", "training.jsonl", "model.safetensors"}) {
    write_file(folder + "/" + name, content);
  }
}

TEST(RunFolder, IsForOneRunAtATime) {
  const TemporaryFolder folder;
  make_folder(folder.path("M"));
  {
    const RunFolder first(folder.path("M"));
    EXPECT_EQ(message_of<UsageError>([&] { RunFolder(folder.path("M")); }),
              folder.path("M") +
                  ": another training works in this folder; wait for its end, or choose another "
                  "folder");
  }
  EXPECT_NO_THROW(RunFolder(folder.path("M")));

  RunFolder one(folder.path("new"));
  RunFolder two(folder.path("new"));
  one.begin();
  EXPECT_THROW(two.begin(), UsageError);
}

TEST(RunFolder, WhatWasNotKeptLeavesNothing) {
  const TemporaryFolder folder;
  {
    RunFolder run(folder.path("deep/er/M/"));
    run.begin();
    write_file(run.file("run.json"), "{}");
    EXPECT_TRUE(run.begun());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(RunFolder, NothingGoesThatIsNotTheRuns) {
  const TemporaryFolder folder;
  {
    RunFolder run(folder.path("deep/M"));
    run.begin();
    folder.write("deep/other", "x");
    folder.write("deep/M/note", "x");
  }
  EXPECT_TRUE(file_exists(folder.path("deep/other")));
  EXPECT_TRUE(file_exists(folder.path("deep/M/note")));
  EXPECT_FALSE(file_exists(folder.path("deep/M/checkpoint")));
  {
    RunFolder run(folder.path("N"));
    run.begin();
    std::filesystem::rename(folder.path("N"), folder.path("away"));
    folder.write("N/checkpoint/run.json", "theirs");
    EXPECT_THROW(run.check(), IoError);
    EXPECT_THROW(run.publish(), IoError);
  }
  EXPECT_EQ(read_file(folder.path("N/checkpoint/run.json")), "theirs");
}

TEST(RunFolder, ThePublishedModelReplacesTheOldOneWhole) {
  const TemporaryFolder folder;
  const std::string path = folder.path("M");
  write_model(path, "old");
  folder.write("M/wide_pairs.txt", "old");
  folder.write("M/metrics.json", "old");
  RunFolder run(path);
  run.begin();
  EXPECT_EQ(read_file(path + "/model.safetensors"), "old");
  write_model(run.result(), "new");
  write_file(run.file("run.json"), "{}");
  EXPECT_TRUE(run.ready());
  run.publish();
  EXPECT_FALSE(run.ready());
  for (const char* name : {"config.json", "tokenizer.txt", "training.jsonl", "model.safetensors"}) {
    EXPECT_EQ(read_file(path + "/" + name), "new") << name;
  }
  for (const char* name : {"wide_pairs.txt", "metrics.json", "checkpoint"}) {
    EXPECT_FALSE(file_exists(path + "/" + name)) << name;
  }
}

// Killed while it was published, and then replaced: the model that was ready is not lost.
TEST(RunFolder, AModelThatIsReadyIsPublishedBeforeTheNextRunBegins) {
  const TemporaryFolder folder;
  write_model(folder.path("M/checkpoint/model"), "ready");
  folder.write("M/config.json", "old");
  EXPECT_TRUE(resumable(folder.path("M")));
  {
    RunFolder run(folder.path("M"));
    run.begin();
  }
  EXPECT_EQ(read_file(folder.path("M/model.safetensors")), "ready");
  EXPECT_EQ(read_file(folder.path("M/config.json")), "ready");
  EXPECT_FALSE(resumable(folder.path("M")));
}

}  // namespace
}  // namespace heed
