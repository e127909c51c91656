#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/names.h"
#include "heed/grad/parameters.h"

namespace heed {

// Tensors in a file, in the format of the same name that Python's `safetensors` reads and writes.
// docs/formats.md has the bytes.

enum class Dtype { kF32, kF16, kBf16, kF64, kI64, kI32, kU8 };

template <>
struct Names<Dtype> {
  static constexpr Name<Dtype> kTable[] = {
      {Dtype::kF32, "F32"}, {Dtype::kF16, "F16"}, {Dtype::kBf16, "BF16"}, {Dtype::kF64, "F64"},
      {Dtype::kI64, "I64"}, {Dtype::kI32, "I32"}, {Dtype::kU8, "U8"}};
};

Index size_of(Dtype dtype);

// A tensor in a file or on its way there: a name, a type, sizes, and bytes that somebody else owns,
// row-major and little-endian.
struct StoredTensor {
  std::string name;
  Dtype dtype = Dtype::kF32;
  std::vector<Index> shape;  // any number of sizes; none is a single number
  std::string_view bytes;

  Index count() const { return static_cast<Index>(bytes.size()) / size_of(dtype); }
  std::string shape_text() const;  // "(3, 4)"
};

StoredTensor stored(std::string name, const Tensor& tensor);
StoredTensor stored(std::string name, std::span<const float> values);
StoredTensor stored(std::string name, std::span<const double> values);
StoredTensor stored(std::string name, std::span<const Index> values);
StoredTensor stored(std::string name, std::span<const std::uint8_t> values);

using Metadata = std::map<std::string, std::string>;

// Writes a file whole or not at all (FileWriter), the tensors in the order given, without holding
// their bytes a second time. A checksum of the contents is added to the metadata as "checksum" and
// returned: "crc32c:0123abcd". Two tensors of one name, or bytes that do not fill a shape, are a
// UsageError.
std::string write_safetensors(const std::string& path, std::span<const StoredTensor> tensors,
                              Metadata metadata = {});

// A file in memory. The constructor checks all of it, so that nothing asked of it later can go
// wrong by the file's fault: a FormatError says in one sentence what is wrong with which tensor.
// Where the metadata has a checksum, that is checked too.
class SafetensorsFile {
 public:
  // `path` is for messages.
  SafetensorsFile(std::string bytes, std::string path);
  static SafetensorsFile open(const std::string& path);
  SafetensorsFile(const SafetensorsFile&) = delete;
  SafetensorsFile& operator=(const SafetensorsFile&) = delete;

  const std::string& path() const { return path_; }
  const Metadata& metadata() const { return metadata_; }
  // In the order of their bytes.
  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  const StoredTensor* find(std::string_view name) const;
  // It must be there: its absence is a FormatError.
  const StoredTensor& operator[](std::string_view name) const;

  // The numbers of a tensor, whatever their type, as floats.
  std::vector<float> floats(std::string_view name) const;
  // Of exactly this type; another is a FormatError.
  std::vector<double> doubles(std::string_view name) const;       // F64
  std::vector<Index> integers(std::string_view name) const;       // I64
  std::vector<std::uint8_t> octets(std::string_view name) const;  // U8

 private:
  const StoredTensor& of_type(std::string_view name, Dtype dtype) const;

  std::string bytes_;
  std::string path_;
  Metadata metadata_;
  std::vector<StoredTensor> tensors_;
  std::map<std::string, std::size_t, std::less<>> numbers_;  // by name, places in tensors_
};

// tensor.count() numbers, converted.
void copy_floats(const StoredTensor& tensor, float* to);

// All parameters by their names. A tensor that is missing, that the model does not have, or that
// has another shape is a FormatError with its name, and no parameter has been changed then.
void load_parameters(Parameters& parameters, const SafetensorsFile& file);
std::string save_parameters(const Parameters& parameters, const std::string& path,
                            Metadata metadata = {});

}  // namespace heed
