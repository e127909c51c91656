#include <gtest/gtest.h>

#include "heed/data/content.h"
#include "heed/data/image/archive.h"
#include "heed/data/image/cifar.h"
#include "heed/data/open.h"
#include "tests/data/gzip.h"
#include "tests/data/records.h"
#include "tests/support/messages.h"
#include "tests/support/pictures.h"
#include "tests/support/temporary_folder.h"

namespace heed::test {
namespace {

std::vector<Record> all_of(const std::string& path, const ReadOptions& options = {}) {
  const auto source = open_records(path, options);
  std::vector<Record> records;
  for (Record record; source->next(record);) records.push_back(record);
  return records;
}

std::string message_of_reading(const std::string& path, const ReadOptions& options = {}) {
  return message_of([&] { all_of(path, options); });
}

const Pixels& pixels_of(const Record& record) { return *std::get<Picture>(record.content).pixels; }
std::string label_of(const Record& record) { return std::get<Label>(record.answer).name; }

TEST(Idx, FindsItsLabelsByName) {
  const TemporaryFolder folder;
  const std::string images = idx_file({2, 2, 3}, "abcdefghijkl");
  const std::string labels = idx_file({2}, std::string("\7\0", 2));
  for (const char* join : {"-", "."}) {
    for (const bool packed : {false, true}) {
      const TemporaryFolder inner;
      const std::string end = std::string("ubyte") + (packed ? ".gz" : "");
      const std::string path = inner.write(std::string("t-images") + join + "idx3-" + end,
                                           packed ? gzip(images) : images);
      inner.write(std::string("t-labels") + join + "idx1-" + end, packed ? gzip(labels) : labels);
      EXPECT_EQ(find_content(path, {}), ContentKind::kImage);
      const std::vector<Record> records = all_of(path);
      ASSERT_EQ(records.size(), 2u);
      EXPECT_EQ(label_of(records[0]), "7");
      EXPECT_EQ(label_of(records[1]), "0");
      EXPECT_EQ(pixels_of(records[1]).height, 2);
      EXPECT_EQ(pixels_of(records[1]).width, 3);
      EXPECT_EQ(pixels_of(records[1]).values.front(), 'g');
      EXPECT_EQ(records[1].place.text(), path + ":2");
    }
  }
}

TEST(Idx, IsFoundByItsFirstBytes) {
  const TemporaryFolder folder;
  EXPECT_EQ(archive_of(folder.write("x", idx_file({1, 1, 1}, "a"))), Archive::kIdx);
  EXPECT_EQ(archive_of(folder.write("y", gzip(idx_file({1, 1, 1}, "a")))), Archive::kIdx);
  EXPECT_EQ(archive_of(folder.write("z", idx_file({1}, "a"))), Archive::kNone);
  EXPECT_EQ(archive_of(folder.write("t.csv", "text,label\na,b\n")), Archive::kNone);
}

TEST(Idx, MayBeInColour) {
  const TemporaryFolder folder;
  const ReadOptions optional{.answers = Answers::kOptional};
  // The channels of a pixel together, and those of a picture one after another.
  const auto last = all_of(folder.write("a", idx_file({1, 1, 2, 3}, "RGBrgb")), optional);
  const auto second = all_of(folder.write("b", idx_file({1, 3, 1, 2}, "RrGgBb")), optional);
  for (const auto& records : {last, second}) {
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(pixels_of(records[0]).channels, 3);
    EXPECT_EQ(pixels_of(records[0]).width, 2);
    const std::vector<std::uint8_t>& values = pixels_of(records[0]).values;
    EXPECT_EQ(std::string(values.begin(), values.end()), "RGBrgb");
  }
}

TEST(Idx, AHeaderThatLiesIsToldWithTheFile) {
  const TemporaryFolder folder;
  const ReadOptions optional{.answers = Answers::kOptional};
  const auto told = [&](const std::vector<Index>& sizes, const std::string& bytes) {
    return message_of_reading(folder.write("i", idx_file(sizes, bytes)), optional);
  };
  expect_in("i: ends too early: its header announces 3 x 2 x 2 bytes", told({3, 2, 2}, "abcdefg"));
  expect_in("i: goes on behind the 1 x 2 x 2 bytes", told({1, 2, 2}, "abcde"));
  expect_in("i: its header announces 1 pictures of 4,294,967,295 x 4,294,967,295 pixels",
            told({1, 0xFFFFFFFF, 0xFFFFFFFF}, "a"));
  expect_in("expected 1 or 3 channels", told({1, 2, 2, 2}, "aaaaaaaa"));
}

TEST(Idx, LabelsThatDoNotFitAreToldWithTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t-images-idx3-ubyte", idx_file({2, 1, 1}, "ab"));
  expect_in("its labels are not beside it, expected " + folder.path("t-labels-idx1-ubyte"),
            message_of_reading(path));
  folder.write("t-labels-idx1-ubyte", idx_file({3}, "abc"));
  expect_in("t-labels-idx1-ubyte: 3 labels, expected 2", message_of_reading(path));
  folder.write("t-labels-idx1-ubyte", idx_file({2}, "a"));
  expect_in("t-labels-idx1-ubyte: ends too early", message_of_reading(path));
  folder.write("t-labels-idx1-ubyte", std::string("\0\0\x0D\1\0\0\0\2", 8));
  expect_in("numbers of type 0x0D, expected bytes", message_of_reading(path));
}

std::string cifar_picture(const std::string& labels, char red, char green, char blue) {
  return labels + std::string(1024, red) + std::string(1024, green) + std::string(1024, blue);
}

TEST(Cifar, IsReadWithTheNamesBesideIt) {
  const TemporaryFolder folder;
  const std::string bytes =
      cifar_picture(std::string(1, '\0'), 'r', 'g', 'b') + cifar_picture("\1", 'R', 'G', 'B');
  const std::string path = folder.write("data_batch_1.bin", bytes);
  EXPECT_EQ(label_of(all_of(path)[1]), "1");
  folder.write("batches.meta.txt", "airplane\nautomobile\n\n");
  const std::vector<Record> records = all_of(path);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(label_of(records[0]), "airplane");
  EXPECT_EQ(label_of(records[1]), "automobile");
  EXPECT_EQ(pixels_of(records[1]).values[3], 'R');
  EXPECT_EQ(pixels_of(records[1]).values[4], 'G');
  EXPECT_EQ(all_of(folder.write("test_batch.bin.gz", gzip(bytes))).size(), 2u);
}

TEST(Cifar, OfAHundredClassesTheFineOneCounts) {
  const TemporaryFolder folder;
  const std::string path = folder.write("train.bin", cifar_picture("\1\5", 'r', 'g', 'b'));
  ASSERT_EQ(archive_of(path), Archive::kCifar100);
  EXPECT_EQ(label_of(all_of(path)[0]), "5");
  folder.write("fine_label_names.txt", "a\nb\nc\nd\ne\nf\n");
  EXPECT_EQ(label_of(all_of(path)[0]), "f");
}

TEST(Cifar, ATruncatedFileIsToldByItsName) {
  const TemporaryFolder folder;
  const std::string bytes = cifar_picture("\1", 'r', 'g', 'b');
  expect_in("data_batch_2.bin: ends within picture 2: 7 bytes, expected 3073",
            message_of_reading(folder.write("data_batch_2.bin", bytes + bytes.substr(0, 7))));
}

TEST(PictureFiles, AFolderWithoutClassesIsReadWhereAnswersAreOptional) {
  const TemporaryFolder folder;
  folder.write("a.png", "x");
  folder.write("b.JPG", "x");
  folder.write("notes.txt", "x");
  const ReadOptions options{.content = ContentKind::kImage, .answers = Answers::kOptional};
  const std::vector<Record> records = all_of(folder.path(), options);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].place.text(), folder.path("a.png"));
}

TEST(PictureFiles, AManifestNamesThem) {
  const TemporaryFolder folder;
  folder.write("p/a.png", "x");
  const std::string path = folder.write("m.csv", "path,label\np/a.png,cat\n");
  EXPECT_EQ(find_content(path, {}), ContentKind::kImage);
  EXPECT_EQ(label_of(all_of(path)[0]), "cat");
  expect_in("m.csv:2: there is no file",
            message_of_reading(folder.write("m.csv", "path,label\nb.png,cat\n")));
}

std::string mask_of(const Record& record) { return *std::get<Mask>(record.answer).picture->file; }

TEST(Masks, AreNamedByATable) {
  const TemporaryFolder folder;
  folder.write("a.png", "x");
  folder.write("m/a.png", "x");
  const std::string path = folder.write("t.csv", "path,mask\na.png,m/a.png\n");
  EXPECT_EQ(find_content(path, for_tags()), ContentKind::kImage);
  const std::vector<Record> records = all_of(path, for_tags());
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(mask_of(records[0]), folder.path("m/a.png"));
  expect_in("t.csv:2: there is no mask",
            message_of_reading(folder.write("t.csv", "path,mask\na.png,b.png\n"), for_tags()));
}

TEST(Masks, AreInAFolderBesideThePictures) {
  const TemporaryFolder folder;
  folder.write("images/a.jpg", "x");
  folder.write("masks/a.png", "x");
  EXPECT_EQ(find_content(folder.path(), for_tags()), ContentKind::kImage);
  const std::vector<Record> records = all_of(folder.path(), for_tags());
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(mask_of(records[0]), folder.path("masks/a.png"));
  folder.write("images/b.jpg", "x");
  expect_in("images/b.jpg: there is no mask", message_of_reading(folder.path(), for_tags()));
}

}  // namespace
}  // namespace heed::test
