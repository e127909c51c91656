#include "heed/model/safetensors.h"

#include "fuzz/fuzz.h"

namespace heed {

using namespace std::string_view_literals;

std::span<const std::string_view> fuzz::seeds() {
  static constexpr std::string_view kSeeds[] = {
      "\x38\0\0\0\0\0\0\0"
      "{\"a\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]}}"
      "12345678"sv,
      "\x3d\0\0\0\0\0\0\0"
      "{\"__metadata__\":{\"checksum\":\"crc32c:741c64b4\",\"format\":\"pt\"}}"sv,
      "{\"h\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[8,10]},"
      "\"i\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[0,8]},"
      "\"u\":{\"dtype\":\"U8\",\"shape\":[3,0],\"data_offsets\":[10,10]}}0123456789"sv};
  return kSeeds;
}

namespace {

void read(std::string bytes) {
  const std::size_t size = bytes.size();
  const SafetensorsFile file(std::move(bytes), "input");
  std::size_t used = 0;
  for (const StoredTensor& tensor : file.tensors()) {
    used += tensor.bytes.size();
    fuzz::require(file.find(tensor.name) == &tensor, "a tensor is found by its name");
    fuzz::require(file.floats(tensor.name).size() == static_cast<std::size_t>(tensor.count()),
                  "a tensor has as many numbers as it says");
  }
  fuzz::require(used <= size, "tensors do not overlap");
}

// The bytes with a length in front that makes a header of all up to the last brace: the length
// seldom survives an edit.
std::string with_length(const std::string& bytes) {
  std::uint64_t length = bytes.rfind('}') + 1;  // 0 where there is none
  std::string result;
  for (int i = 0; i < 8; ++i, length >>= 8) result += static_cast<char>(length & 0xFF);
  return result + bytes;
}

}  // namespace
}  // namespace heed

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heed::fuzz::run(data, size, [](const std::string& bytes) { heed::read(bytes); });
  return heed::fuzz::run(data, size,
                         [](const std::string& bytes) { heed::read(heed::with_length(bytes)); });
}
