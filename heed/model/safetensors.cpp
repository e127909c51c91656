#include "heed/model/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <set>
#include <utility>

#include "heed/base/checksum.h"
#include "heed/base/file.h"
#include "heed/base/nearest.h"
#include "heed/model/json_options.h"

namespace heed {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are stored as they lie");

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kLongestHeader = 100'000'000;  // as Python's safetensors has it
constexpr std::size_t kAligned = 8;
constexpr const char* kMetadata = "__metadata__";
constexpr const char* kChecksum = "checksum";

template <typename T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

// Bytes that a shape takes; none where no file could hold them.
std::optional<Index> bytes_for(const std::vector<Index>& shape, Dtype dtype) {
  Index product = size_of(dtype);
  // A zero first: what it is multiplied with may then be as large as it likes.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  for (const Index size : shape) {
    if (__builtin_mul_overflow(product, size, &product)) return std::nullopt;
  }
  return product;
}

// Of what a file says, not of how it says it: names, types, shapes and numbers of all tensors in
// the order of their names, then the metadata. The order of tensors and the spelling of the header
// may change, and another program may copy the file; nothing that matters can change unnoticed.
std::string content_checksum(std::span<const StoredTensor> tensors, const Metadata& metadata) {
  std::vector<const StoredTensor*> sorted;
  for (const StoredTensor& tensor : tensors) sorted.push_back(&tensor);
  std::sort(sorted.begin(), sorted.end(),
            [](const StoredTensor* a, const StoredTensor* b) { return a->name < b->name; });
  Checksum sum;
  for (const StoredTensor* tensor : sorted) {
    sum.add(fmt::format("{}\n{} {}\n", tensor->name, name_of(tensor->dtype), tensor->shape_text()));
    sum.add(tensor->bytes);
  }
  for (const auto& [key, value] : metadata) {
    if (key != kChecksum) sum.add(fmt::format("{}={}\n", key, value));
  }
  return checksum_text(sum.value());
}

// One tensor's entry in the header.
struct Entry {
  Dtype dtype = Dtype::kF32;
  std::vector<Index> shape;
  std::vector<Index> offsets;
};

template <class Archive>
void describe(Archive& archive, Entry& entry) {
  archive.required("dtype", entry.dtype);
  archive.required("shape", entry.shape, at_least(0));
  archive.required("data_offsets", entry.offsets, at_least(0));
}

std::string header_text(std::span<const StoredTensor> tensors, const Metadata& metadata) {
  const JsonText text;
  const JsonPlace root = text.root();
  root.set_object();
  for (const auto& [key, value] : metadata) root[kMetadata][key].set(value);
  Index offset = 0;
  std::set<std::string_view> names = {kMetadata};
  for (const StoredTensor& tensor : tensors) {
    const auto size = static_cast<Index>(tensor.bytes.size());
    if (!names.insert(tensor.name).second) {
      fail<UsageError>("safetensors", "expected tensors of different names, got {} twice",
                       tensor.name);
    }
    if (bytes_for(tensor.shape, tensor.dtype) != size) {
      fail<UsageError>("safetensors", "{}: expected the bytes of a shape {}, got {}", tensor.name,
                       tensor.shape_text(), size);
    }
    detail::write(root[tensor.name], Entry{tensor.dtype, tensor.shape, {offset, offset + size}});
    offset += size;
  }
  std::string header = text.line();
  header.resize((header.size() + kAligned - 1) / kAligned * kAligned, ' ');
  return header;
}

// The header and the tensors of a file, checked.
class Parser {
 public:
  Parser(std::string_view bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  void parse(Metadata& metadata, std::vector<StoredTensor>& tensors) {
    const Json header = Json::parse(header_bytes(), path_);
    for (const std::string& key : header.keys()) {
      if (key == kMetadata) {
        const Json values = header[key];
        for (const std::string& name : values.keys()) metadata[name] = values[name].text();
      } else {
        places_.push_back(place(header[key], key));
      }
    }
    check_order();
    for (Place& each : places_) {
      each.tensor.bytes = data_.substr(static_cast<std::size_t>(each.begin),
                                       static_cast<std::size_t>(each.end - each.begin));
      tensors.push_back(std::move(each.tensor));
    }
  }

 private:
  struct Place {
    StoredTensor tensor;
    Index begin, end;
  };

  template <typename... Arguments>
  [[noreturn]] void refuse(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    throw FormatError(path_ + ": " + fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  std::string_view header_bytes() {
    if (bytes_.size() < kLengthBytes) {
      refuse("not a safetensors file: {} bytes, expected at least {}", bytes_.size(), kLengthBytes);
    }
    std::uint64_t length = 0;
    std::memcpy(&length, bytes_.data(), kLengthBytes);
    if (length > kLongestHeader) {
      refuse("not a safetensors file: a header of {} bytes, expected at most {}", length,
             kLongestHeader);
    }
    if (length > bytes_.size() - kLengthBytes) {
      refuse("the file ends within its header: {} bytes, expected {}", bytes_.size(),
             length + kLengthBytes);
    }
    data_ = bytes_.substr(kLengthBytes + length);
    return bytes_.substr(kLengthBytes, length);
  }

  Place place(const Json& json, const std::string& name) {
    Entry entry;
    detail::read(json, entry, {});
    if (entry.offsets.size() != 2 || entry.offsets[0] > entry.offsets[1]) {
      json.fail(fmt::format("expected data_offsets [begin, end], got [{}]",
                            fmt::join(entry.offsets, ", ")));
    }
    StoredTensor tensor{name, entry.dtype, std::move(entry.shape), {}};
    const auto expected = bytes_for(tensor.shape, tensor.dtype);
    const Index length = entry.offsets[1] - entry.offsets[0];
    if (expected != length) {
      json.fail(fmt::format("{} {} takes {} bytes, but data_offsets have {}", name_of(tensor.dtype),
                            tensor.shape_text(), expected ? fmt::to_string(*expected) : "too many",
                            length));
    }
    return {std::move(tensor), entry.offsets[0], entry.offsets[1]};
  }

  // Tensors lie one after another from the first byte to the last.
  void check_order() {
    std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    const auto size = static_cast<Index>(data_.size());
    Index end = 0;
    for (const Place& each : places_) {
      if (each.end > size) {
        refuse("the file ends within its tensors: {} bytes of data, but {} goes to byte {}", size,
               each.tensor.name, each.end);
      }
      if (each.begin != end) {
        refuse("{}: begins at byte {} of the data, expected {}, where the one before it ends",
               each.tensor.name, each.begin, end);
      }
      end = each.end;
    }
    if (end != size) refuse("{} bytes after the last tensor, expected none", size - end);
  }

  std::string_view bytes_;
  const std::string& path_;
  std::string_view data_;
  std::vector<Place> places_;
};

float from_half(std::uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const auto fraction = static_cast<float>(half & 1023);
  const float sign = (half & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 0) return sign * fraction * 0x1p-24f;
  if (exponent == 31) {
    return fraction == 0.0f ? sign * std::numeric_limits<float>::infinity()
                            : std::numeric_limits<float>::quiet_NaN();
  }
  return sign * std::ldexp(1024.0f + fraction, exponent - 25);
}

float from_bfloat(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

// Bytes may lie anywhere, so each number is copied out before it is used.
template <typename Stored, typename Convert>
void copy_as(std::string_view bytes, float* to, const Convert& convert) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Stored)) {
    Stored value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    *to++ = convert(value);
  }
}

template <typename T>
std::vector<T> vector_of(std::string_view bytes) {
  std::vector<T> result(bytes.size() / sizeof(T));
  if (!result.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

template <typename T>
StoredTensor stored_vector(std::string name, Dtype dtype, std::span<const T> values) {
  return {std::move(name), dtype, {static_cast<Index>(values.size())}, bytes_of(values)};
}

std::vector<Index> sizes(const Shape& shape) {
  std::vector<Index> result(static_cast<std::size_t>(shape.rank()));
  for (int axis = 0; axis < shape.rank(); ++axis) {
    result[static_cast<std::size_t>(axis)] = shape[axis];
  }
  return result;
}

}  // namespace

Index size_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF64:
    case Dtype::kI64:
      return 8;
    case Dtype::kF32:
    case Dtype::kI32:
      return 4;
    case Dtype::kF16:
    case Dtype::kBf16:
      return 2;
    case Dtype::kU8:
      break;
  }
  return 1;
}

std::string StoredTensor::shape_text() const { return fmt::format("({})", fmt::join(shape, ", ")); }

StoredTensor stored(std::string name, const Tensor& tensor) {
  return {std::move(name), Dtype::kF32, sizes(tensor.shape),
          bytes_of(std::span<const float>(tensor.span()))};
}
StoredTensor stored(std::string name, std::span<const float> values) {
  return stored_vector(std::move(name), Dtype::kF32, values);
}
StoredTensor stored(std::string name, std::span<const double> values) {
  return stored_vector(std::move(name), Dtype::kF64, values);
}
StoredTensor stored(std::string name, std::span<const Index> values) {
  return stored_vector(std::move(name), Dtype::kI64, values);
}
StoredTensor stored(std::string name, std::span<const std::uint8_t> values) {
  return stored_vector(std::move(name), Dtype::kU8, values);
}

std::string write_safetensors(const std::string& path, std::span<const StoredTensor> tensors,
                              Metadata metadata) {
  std::string sum = content_checksum(tensors, metadata);
  metadata[kChecksum] = sum;
  const std::string header = header_text(tensors, metadata);
  const std::uint64_t length = header.size();
  FileWriter file(path);
  file.write(bytes_of(std::span(&length, 1)));
  file.write(header);
  for (const StoredTensor& tensor : tensors) file.write(tensor.bytes);
  file.finish();
  return sum;
}

SafetensorsFile::SafetensorsFile(std::string bytes, std::string path)
    : bytes_(std::move(bytes)), path_(std::move(path)) {
  Parser(bytes_, path_).parse(metadata_, tensors_);
  for (std::size_t i = 0; i < tensors_.size(); ++i) numbers_[tensors_[i].name] = i;
  const auto recorded = metadata_.find(kChecksum);
  if (recorded == metadata_.end() || !recorded->second.starts_with("crc32c:")) return;
  const std::string actual = content_checksum(tensors_, metadata_);
  if (recorded->second != actual) {
    throw FormatError(
        fmt::format("{}: the file was altered or damaged: its checksum is {}, "
                    "expected {}; take an intact copy",
                    path_, actual, recorded->second));
  }
}

SafetensorsFile SafetensorsFile::open(const std::string& path) { return {read_file(path), path}; }

const StoredTensor* SafetensorsFile::find(std::string_view name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? nullptr : &tensors_[found->second];
}

const StoredTensor& SafetensorsFile::operator[](std::string_view name) const {
  const StoredTensor* found = find(name);
  if (found == nullptr) {
    throw FormatError(fmt::format("{}: the tensor {} is missing", path_, name));
  }
  return *found;
}

const StoredTensor& SafetensorsFile::of_type(std::string_view name, Dtype dtype) const {
  const StoredTensor& tensor = (*this)[name];
  if (tensor.dtype != dtype) {
    throw FormatError(fmt::format("{}: {}: expected type {}, found {}", path_, name, name_of(dtype),
                                  name_of(tensor.dtype)));
  }
  return tensor;
}

std::vector<float> SafetensorsFile::floats(std::string_view name) const {
  const StoredTensor& tensor = (*this)[name];
  std::vector<float> result(static_cast<std::size_t>(tensor.count()));
  copy_floats(tensor, result.data());
  return result;
}

std::vector<double> SafetensorsFile::doubles(std::string_view name) const {
  return vector_of<double>(of_type(name, Dtype::kF64).bytes);
}

std::vector<Index> SafetensorsFile::integers(std::string_view name) const {
  return vector_of<Index>(of_type(name, Dtype::kI64).bytes);
}

std::vector<std::uint8_t> SafetensorsFile::octets(std::string_view name) const {
  return vector_of<std::uint8_t>(of_type(name, Dtype::kU8).bytes);
}

void copy_floats(const StoredTensor& tensor, float* to) {
  const auto plain = [](auto value) { return static_cast<float>(value); };
  switch (tensor.dtype) {
    case Dtype::kF32:
      return copy_as<float>(tensor.bytes, to, plain);
    case Dtype::kF64:
      return copy_as<double>(tensor.bytes, to, plain);
    case Dtype::kF16:
      return copy_as<std::uint16_t>(tensor.bytes, to, from_half);
    case Dtype::kBf16:
      return copy_as<std::uint16_t>(tensor.bytes, to, from_bfloat);
    case Dtype::kI64:
      return copy_as<Index>(tensor.bytes, to, plain);
    case Dtype::kI32:
      return copy_as<std::int32_t>(tensor.bytes, to, plain);
    case Dtype::kU8:
      return copy_as<std::uint8_t>(tensor.bytes, to, plain);
  }
}

void load_parameters(Parameters& parameters, const SafetensorsFile& file) {
  const auto refuse = [&](const std::string& name, const std::string& sentence) {
    throw FormatError(fmt::format("{}: {}: {}", file.path(), name, sentence));
  };
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  for (const StoredTensor& tensor : file.tensors()) {
    if (std::find(names.begin(), names.end(), tensor.name) == names.end()) {
      refuse(tensor.name, "the model has no such tensor" + did_you_mean(tensor.name, names));
    }
  }
  for (const Parameter& parameter : parameters) {
    const StoredTensor* tensor = file.find(parameter.name);
    if (tensor == nullptr) {
      refuse(parameter.name, "expected " + parameter.value.shape.text() + ", found no such tensor");
    } else if (tensor->shape != sizes(parameter.value.shape)) {
      refuse(parameter.name, fmt::format("expected {}, found {}", parameter.value.shape.text(),
                                         tensor->shape_text()));
    }
  }
  for (const Parameter& parameter : parameters) {
    copy_floats(file[parameter.name], parameter.value.data);
  }
}

std::string save_parameters(const Parameters& parameters, const std::string& path,
                            Metadata metadata) {
  std::vector<StoredTensor> tensors;
  for (const Parameter& parameter : parameters) {
    tensors.push_back(stored(parameter.name, parameter.value));
  }
  return write_safetensors(path, tensors, std::move(metadata));
}

}  // namespace heed
