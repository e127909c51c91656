#include "heed/data/image/cifar.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/data/utf8.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNames = "batches.meta.txt";

// A name in each line; none where there is no such file.
std::vector<std::string> read_names(const fs::path& path) {
  std::vector<std::string> names;
  if (!file_exists(path.string())) return names;
  ByteSource source = ByteSource::open(path.string());
  std::string line;
  for (const char c : source.read_all(std::size_t{1} << 20) + "\n") {
    if (c == '\r') continue;
    if (c != '\n') {
      line += c;
      continue;
    }
    if (!line.empty()) {
      repair_utf8(line);
      names.push_back(line);
    }
    line.clear();
  }
  return names;
}

}  // namespace

CifarSource::CifarSource(ByteSource source, Classes classes)
    : source_(std::move(source)),
      file_(std::make_shared<const std::string>(source_.name())),
      labels_(classes == Classes::kHundred ? 2 : 1) {}

CifarSource::CifarSource(const std::string& path, Classes classes)
    : CifarSource(ByteSource::open(path), classes) {
  names_ = read_names(fs::path(path).parent_path() /
                      (classes == Classes::kHundred ? kFineNames : kNames));
}

bool CifarSource::next(Record& record) {
  std::array<char, kCifar100Bytes> bytes{};
  const auto size = static_cast<std::size_t>(kCifarPixels + labels_);
  std::size_t count = 0;
  while (count < size) {
    const std::size_t more = source_.read(bytes.data() + count, size - count);
    if (more == 0) break;
    count += more;
  }
  if (count == 0) return false;
  if (count < size) {
    throw FormatError(fmt::format(
        "{}: ends within picture {}: {} bytes, expected {} for each picture of a CIFAR binary",
        *file_, done_ + 1, count, size));
  }
  const auto number = static_cast<std::uint8_t>(bytes[static_cast<std::size_t>(labels_ - 1)]);
  if (!names_.empty() && number >= names_.size()) {
    throw FormatError(fmt::format("{}: picture {} has the label {}, and there are {} names", *file_,
                                  done_ + 1, number, names_.size()));
  }
  Pixels pixels{kCifarSide, kCifarSide, 3, std::vector<std::uint8_t>(kCifarPixels)};
  constexpr Index kPlane = kCifarSide * kCifarSide;
  for (Index i = 0; i < kPlane; ++i) {
    for (Index c = 0; c < 3; ++c) {
      pixels.values[static_cast<std::size_t>(3 * i + c)] =
          static_cast<std::uint8_t>(bytes[static_cast<std::size_t>(labels_ + c * kPlane + i)]);
    }
  }
  record = make_record(Picture{.pixels = std::make_shared<const Pixels>(std::move(pixels))},
                       Label{names_.empty() ? std::to_string(number) : names_[number]});
  record.place = {file_, ++done_};
  return true;
}

}  // namespace heed
