#include "heed/model/safetensors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "tests/support/messages.h"

namespace heed {
namespace {

using test::message_of;
using namespace std::string_literals;

// A file from its header, and data of so many bytes.
std::string file_of(const std::string& header, const std::string& data = "") {
  std::string bytes;
  for (int shift = 0; shift < 64; shift += 8) {
    bytes += static_cast<char>(static_cast<std::uint64_t>(header.size()) >> shift);
  }
  return bytes + header + data;
}

std::string open_message(const std::string& bytes) {
  return message_of([&] { SafetensorsFile(bytes, "m.safetensors"); });
}

class Safetensors : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "heed_safetensors_test";
    std::filesystem::remove_all(folder_);
    make_folder(folder_);
    path_ = folder_ + "/m.safetensors";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_, path_;
};

TEST_F(Safetensors, AFileOfGivenBytesIsRead) {
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"I64","shape":[],"data_offsets":[12,20]},)"
      R"("a":{"dtype":"F32","shape":[1,3],"data_offsets":[0,12]},)"
      R"("none":{"dtype":"U8","shape":[4,0],"data_offsets":[20,20]}}  )";
  const std::string data =
      "\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x00\x3f"  // 1, −2, 0.5
      "\xfe\xff\xff\xff\xff\xff\xff\xff"s;                // −2
  const SafetensorsFile file(file_of(header, data), "m.safetensors");
  EXPECT_EQ(file.metadata(), (Metadata{{"format", "pt"}}));
  ASSERT_EQ(file.tensors().size(), 3u);
  EXPECT_EQ(file.tensors()[0].name, "a");
  EXPECT_EQ(file["a"].shape, (std::vector<Index>{1, 3}));
  EXPECT_EQ(file.floats("a"), (std::vector<float>{1.0f, -2.0f, 0.5f}));
  EXPECT_TRUE(file["b"].shape.empty());
  EXPECT_EQ(file.integers("b"), std::vector<Index>{-2});
  EXPECT_EQ(file.floats("b"), std::vector<float>{-2.0f});
  EXPECT_EQ(file["none"].count(), 0);
  EXPECT_TRUE(file.octets("none").empty());
  EXPECT_EQ(file.find("c"), nullptr);
  EXPECT_EQ(message_of([&] { (void)file["c"]; }), "m.safetensors: the tensor c is missing");
  EXPECT_EQ(message_of([&] { (void)file.doubles("a"); }),
            "m.safetensors: a: expected type F64, found F32");
}

TEST_F(Safetensors, EveryTypeBecomesFloats) {
  const std::string header = R"({"f16":{"dtype":"F16","shape":[7],"data_offsets":[0,14]},)"
                             R"("bf16":{"dtype":"BF16","shape":[2],"data_offsets":[14,18]},)"
                             R"("f64":{"dtype":"F64","shape":[1],"data_offsets":[18,26]},)"
                             R"("i32":{"dtype":"I32","shape":[1],"data_offsets":[26,30]},)"
                             R"("u8":{"dtype":"U8","shape":[2],"data_offsets":[30,32]}})";
  const std::string data =
      "\x00\x3c\x00\xc0\x01\x00\xff\x03\xff\x7b\x00\x7c\x00\xfe"  // F16
      "\x80\x3f\xc0\xc0"                                          // BF16
      "\x00\x00\x00\x00\x00\x00\xd0\x3f"                          // F64
      "\xff\xff\xff\xff"                                          // I32
      "\x00\xff"s;                                                // U8
  const SafetensorsFile file(file_of(header, data), "m.safetensors");
  const std::vector<float> half = file.floats("f16");
  EXPECT_EQ(half[0], 1.0f);
  EXPECT_EQ(half[1], -2.0f);
  EXPECT_EQ(half[2], 0x1p-24f);            // the smallest
  EXPECT_EQ(half[3], 1023.0f * 0x1p-24f);  // the largest without a leading one
  EXPECT_EQ(half[4], 65504.0f);            // the largest
  EXPECT_EQ(half[5], std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(half[6]));
  EXPECT_EQ(file.floats("bf16"), (std::vector<float>{1.0f, -6.0f}));
  EXPECT_EQ(file.floats("f64"), std::vector<float>{0.25f});
  EXPECT_EQ(file.floats("i32"), std::vector<float>{-1.0f});
  EXPECT_EQ(file.floats("u8"), (std::vector<float>{0.0f, 255.0f}));
}

TEST_F(Safetensors, AFileIsWrittenWithTheseBytes) {
  const std::vector<float> a = {1.0f, -2.0f, 0.5f};
  const std::vector<std::uint8_t> b = {7};
  const std::vector<StoredTensor> tensors = {
      {"z", Dtype::kF32, {3, 1}, stored("", std::span<const float>(a)).bytes},
      stored("b", std::span<const std::uint8_t>(b))};
  const std::string sum = write_safetensors(path_, tensors, {{"format", "pt"}});
  // By hand of "b\nU8 (1)\n", its byte, "z\nF32 (3, 1)\n", its twelve bytes and "format=pt\n".
  EXPECT_EQ(sum, "crc32c:4f805c20");
  const std::string header = R"({"__metadata__":{"checksum":")" + sum +
                             R"(","format":"pt"},)"
                             R"("z":{"dtype":"F32","shape":[3,1],"data_offsets":[0,12]},)"
                             R"("b":{"dtype":"U8","shape":[1],"data_offsets":[12,13]}})";
  const std::string padding((8 - header.size() % 8) % 8, ' ');
  EXPECT_EQ(read_file(path_),
            file_of(header + padding, "\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x00\x3f\x07"s));
}

TEST_F(Safetensors, WhatIsWrittenIsReadBack) {
  const std::vector<float> f = {0.1f, -0.0f, 3e38f};
  const std::vector<double> d = {0.1, 1e300};
  const std::vector<Index> i = {-1, Index{1} << 62};
  const std::vector<std::uint8_t> u = {0, 1, 255};
  const std::vector<float> empty;
  const std::vector<StoredTensor> tensors = {
      stored("u", std::span<const std::uint8_t>(u)), stored("f", std::span<const float>(f)),
      stored("é\"\n", std::span<const double>(d)), stored("i", std::span<const Index>(i)),
      stored("empty", std::span<const float>(empty))};
  const std::string sum = write_safetensors(path_, tensors, {{"step", "12"}});
  const SafetensorsFile file = SafetensorsFile::open(path_);
  EXPECT_EQ(file.metadata(), (Metadata{{"checksum", sum}, {"step", "12"}}));
  EXPECT_EQ(file.floats("f"), f);
  EXPECT_TRUE(std::signbit(file.floats("f")[1]));
  EXPECT_EQ(file.doubles("é\"\n"), d);
  EXPECT_EQ(file.integers("i"), i);
  EXPECT_EQ(file.octets("u"), u);
  EXPECT_EQ(file.floats("empty"), empty);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);

  write_safetensors(path_, {});
  EXPECT_TRUE(SafetensorsFile::open(path_).tensors().empty());
}

TEST_F(Safetensors, TensorsThatCannotBeWrittenAreRefusedAndNothingIsLeft) {
  const std::vector<float> values = {1, 2};
  const StoredTensor tensor = stored("a", std::span<const float>(values));
  StoredTensor wrong = tensor;
  wrong.shape = {3};
  EXPECT_EQ(message_of([&] {
              write_safetensors(path_, std::vector{tensor, tensor});
            }),
            "[safetensors] expected tensors of different names, got a twice");
  EXPECT_EQ(message_of([&] { write_safetensors(path_, std::vector{wrong}); }),
            "[safetensors] a: expected the bytes of a shape (3), got 8");
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  EXPECT_THROW(write_safetensors(folder_ + "/no/such/file", {}), IoError);
  EXPECT_THROW(SafetensorsFile::open(path_), IoError);
}

TEST_F(Safetensors, EveryMistakeIsToldInOneSentence) {
  const std::string four(4, '\0'), eight(8, '\0');
  const std::string a = R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  const struct {
    std::string bytes;
    std::string expected;
  } rows[] = {
      {"", "not a safetensors file: 0 bytes, expected at least 8"},
      {std::string(20, '\xff'),
       "not a safetensors file: a header of 18446744073709551615 bytes, expected at most "
       "100000000"},
      {file_of("{}").substr(0, 9), "the file ends within its header: 9 bytes, expected 10"},
      {file_of("{\"a\""), ":1:5: not JSON: unexpected end of input; expected ':'"},
      {file_of("[]"), "expected an object, got a list"},
      {file_of("{\"a\":1}"), "a: expected an object, got 1"},
      {file_of(R"({"__metadata__":{"n":1}})"),
       "__metadata__.n: expected a text in quotation marks, got 1"},
      {file_of("{" + a + "," + a + "}", eight), "a: stands there twice; keep one"},
      {file_of(R"({"a":{"shape":[1],"data_offsets":[0,4]}})", four),
       "a: the key \"dtype\" is missing"},
      {file_of(R"({"a":{"dtype":"F32","shape":[1],"offsets":[0,4]}})", four),
       "a: the key \"data_offsets\" is missing"},
      {file_of(R"({"a":{"dtype":"I8","shape":[4],"data_offsets":[0,4]}})", four),
       "a.dtype: expected one of \"F32\", \"F16\", \"BF16\", \"F64\", \"I64\", \"I32\", \"U8\", "
       "got \"I8\"; did you mean \"U8\"?"},
      {file_of(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", four),
       "a.shape[0]: expected a whole number of at least 0, got -1"},
      {file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", four),
       "a: expected data_offsets [begin, end], got [4, 0]"},
      {file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", four),
       "a: expected data_offsets [begin, end], got [0]"},
      {file_of(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,4]}})", four),
       "a: F32 (3) takes 12 bytes, but data_offsets have 4"},
      {file_of(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})"),
       "a: F32 (4611686018427387904, 4) takes too many bytes, but data_offsets have 0"},
      {file_of("{" + a + "}", "\0\0\0"s),
       "the file ends within its tensors: 3 bytes of data, but a goes to byte 4"},
      {file_of("{" + a + "}", eight), "4 bytes after the last tensor, expected none"},
      {file_of("{" + a + R"(,"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})", eight),
       "b: begins at byte 2 of the data, expected 4, where the one before it ends"},
      {file_of("{" + a + R"(,"b":{"dtype":"U8","shape":[1],"data_offsets":[7,8]}})", eight),
       "b: begins at byte 7 of the data, expected 4, where the one before it ends"},
      {file_of(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"strides":[1]}})", "x"),
       "a: there is no key \"strides\"; the keys are dtype, shape, data_offsets"},
      {file_of(R"({"__metadata__":{"checksum":"crc32c:00000001"}})"),
       "the file was altered or damaged: its checksum is crc32c:00000000, expected "
       "crc32c:00000001; take an intact copy"},
  };
  for (const auto& row : rows) {
    const std::string separator = row.expected.starts_with(":") ? "" : ": ";
    EXPECT_EQ(open_message(row.bytes), "m.safetensors" + separator + row.expected);
  }
}

TEST_F(Safetensors, AFileWithoutAChecksumIsReadAsItIs) {
  const std::string header = R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})";
  EXPECT_EQ(SafetensorsFile(file_of(header, "x"), "m").octets("a").at(0), 'x');
}

// A small valid file with tensors of several types.
std::string valid_file(const std::string& path) {
  const std::vector<float> f = {0.5f, 1.5f, -2.5f, 0.25f};
  const std::vector<Index> i = {3, 4};
  const std::vector<std::uint8_t> u = {1, 2, 3};
  const std::vector<StoredTensor> tensors = {stored("layers.0.weight", std::span<const float>(f)),
                                             stored("steps", std::span<const Index>(i)),
                                             stored("state", std::span<const std::uint8_t>(u))};
  write_safetensors(path, tensors, {{"format", "pt"}});
  return read_file(path);
}

// What a reader would do with it.
void use(const SafetensorsFile& file) {
  for (const StoredTensor& tensor : file.tensors()) file.floats(tensor.name);
}

TEST_F(Safetensors, AFileCutShortAnywhereIsRefused) {
  const std::string whole = valid_file(path_);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(SafetensorsFile(whole.substr(0, size), "m"), FormatError) << size << " bytes";
  }
  EXPECT_THROW(SafetensorsFile(whole + "x", "m"), FormatError);
}

// With one bit wrong a file is refused, unless it still says the same: a checksum that is not
// called so any more, a space that became another kind of space.
TEST_F(Safetensors, NoAlteredBitGoesUnnoticed) {
  const std::string whole = valid_file(path_);
  const SafetensorsFile original(whole, "m");
  int unnoticed = 0;
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string altered = whole;
    altered[bit / 8] = static_cast<char>(altered[bit / 8] ^ (1 << bit % 8));
    try {
      const SafetensorsFile file(altered, "m");
      ++unnoticed;
      ASSERT_EQ(file.tensors().size(), original.tensors().size());
      for (std::size_t i = 0; i < file.tensors().size(); ++i) {
        const StoredTensor &left = file.tensors()[i], &right = original.tensors()[i];
        EXPECT_EQ(left.name, right.name) << "bit " << bit;
        EXPECT_EQ(left.dtype, right.dtype) << "bit " << bit;
        EXPECT_EQ(left.shape, right.shape) << "bit " << bit;
        EXPECT_EQ(left.bytes, right.bytes) << "bit " << bit;
      }
    } catch (const FormatError&) {
    }
  }
  // The 8 letters of the key and the 7 of "crc32c:", at most 8 bits each, and the padding.
  EXPECT_LT(unnoticed, 150);
}

TEST_F(Safetensors, ADamagedFileIsReadOrRefused) {
  const std::string whole = valid_file(path_);
  const std::uint64_t seed = 5;
  Random random(seed);
  constexpr int kTries = 5000;
  int refused = 0;
  for (int i = 0; i < kTries; ++i) {
    std::string bytes = whole;
    // Without its checksum in half of the tries, so that the other checks are reached.
    if (i % 2 == 0) bytes[bytes.find("crc32c")] = 'x';
    for (std::uint32_t change = random.below(4); change > 0; --change) {
      const auto at = random.below(static_cast<std::uint32_t>(bytes.size()));
      switch (random.below(4)) {
        case 0:
          bytes[at] = static_cast<char>(random.next());
          break;
        case 1:
          bytes[at] = static_cast<char>('0' + random.below(10));
          break;
        case 2:
          bytes.erase(at, random.below(8));
          break;
        default:
          bytes.insert(at, bytes.substr(random.below(static_cast<std::uint32_t>(bytes.size())), 8));
      }
    }
    try {
      use(SafetensorsFile(bytes, "m"));
    } catch (const FormatError&) {
      ++refused;
    } catch (const std::exception& error) {
      FAIL() << error.what() << " (seed " << seed << ", try " << i << ")";
    }
  }
  EXPECT_GT(refused, kTries / 2);
  EXPECT_LT(refused, kTries);
}

class ParametersFile : public Safetensors {
 protected:
  // Two parameters, as a linear layer has them.
  static void build(Parameters& parameters, Index in = 3) {
    parameters.add("body.q.weight", {2, in}, Init::normal(1.0f));
    parameters.add("body.q.bias", {2}, Init::normal(1.0f));
  }
  std::string load_message(Parameters& parameters) const {
    return message_of([&] { load_parameters(parameters, SafetensorsFile::open(path_)); });
  }
};

TEST_F(ParametersFile, WeightsComeBackToTheBit) {
  Parameters written(1), read(2);
  build(written);
  build(read);
  save_parameters(written, path_, {{"format", "pt"}});
  load_parameters(read, SafetensorsFile::open(path_));
  for (const Parameter& parameter : written) {
    const Tensor& other = read.find(parameter.name)->value;
    for (Index i = 0; i < other.count(); ++i) EXPECT_EQ(other[i], parameter.value[i]);
  }
}

TEST_F(ParametersFile, AnotherModelIsRefusedByTheNameOfTheTensorAndNothingChanges) {
  Parameters model;
  build(model);
  const float before = model[1].value[0];

  Parameters wider(2);
  build(wider, 4);
  save_parameters(wider, path_);
  EXPECT_EQ(load_message(model), path_ + ": body.q.weight: expected (2, 3), found (2, 4)");

  Parameters less(2);
  less.add("body.q.weight", {2, 3}, Init::constant(0));
  save_parameters(less, path_);
  EXPECT_EQ(load_message(model), path_ + ": body.q.bias: expected (2), found no such tensor");

  Parameters more(2);
  build(more);
  more.add("body.q.weigth", {1}, Init::constant(0));
  save_parameters(more, path_);
  EXPECT_EQ(load_message(model), path_ +
                                     ": body.q.weigth: the model has no such tensor; did you "
                                     "mean body.q.weight?");
  EXPECT_EQ(model[1].value[0], before);
}

}  // namespace
}  // namespace heed
