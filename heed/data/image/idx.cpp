#include "heed/data/image/idx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "heed/base/display.h"
#include "heed/base/error.h"
#include "heed/data/image/decode.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr std::uint8_t kBytes = 0x08;  // the type of the numbers

Index channels_of(const std::vector<Index>& sizes, bool& planes, const std::string& name) {
  if (sizes.size() == 3) return 1;
  const auto fits = [](Index channels) { return channels == 1 || channels == 3; };
  planes = !fits(sizes[3]);
  const Index channels = planes ? sizes[1] : sizes[3];
  if (fits(channels)) return channels;
  throw FormatError(
      fmt::format("{}: {} numbers along its dimensions, expected 1 or 3 channels in "
                  "the last or the second place",
                  name, fmt::join(sizes, " x ")));
}

// (channels, pixels) → (pixels, channels)
void interleave(std::vector<std::uint8_t>& values, Index channels) {
  const std::vector<std::uint8_t> planes = values;
  const Index count = std::ssize(planes) / channels;
  for (Index i = 0; i < count; ++i) {
    for (Index c = 0; c < channels; ++c) {
      values[static_cast<std::size_t>(i * channels + c)] =
          planes[static_cast<std::size_t>(c * count + i)];
    }
  }
}

std::string replaced(std::string name, const std::string& from, const std::string& to) {
  const std::size_t at = name.find(from);
  if (at != std::string::npos) name.replace(at, from.size(), to);
  return name;
}

}  // namespace

IdxFile::IdxFile(ByteSource source) : source_(std::move(source)) {
  std::array<std::uint8_t, 4> magic{};
  read(magic);
  if (magic[0] != 0 || magic[1] != 0 || magic[3] == 0) {
    throw FormatError(source_.name() + ": is not an IDX file; one begins with two zero bytes");
  }
  if (magic[2] != kBytes) {
    throw FormatError(
        fmt::format("{}: an IDX file of numbers of type 0x{:02X}, expected bytes, "
                    "0x08",
                    source_.name(), magic[2]));
  }
  for (int dimension = 0; dimension < magic[3]; ++dimension) {
    std::array<std::uint8_t, 4> size{};
    read(size);
    sizes_.push_back((Index{size[0]} << 24) | (Index{size[1]} << 16) | (Index{size[2]} << 8) |
                     Index{size[3]});
  }
}

void IdxFile::read(std::span<std::uint8_t> to) {
  auto* data = reinterpret_cast<char*>(to.data());
  for (std::size_t count = 0; count < to.size();) {
    const std::size_t more = source_.read(data + count, to.size() - count);
    if (more == 0) {
      throw FormatError(sizes_.empty()
                            ? source_.name() + ": ends within its header, expected an IDX file"
                            : fmt::format("{}: ends too early: its header announces {} bytes",
                                          source_.name(), fmt::join(sizes_, " x ")));
    }
    count += more;
  }
}

void IdxFile::expect_end() {
  char more = 0;
  if (source_.read(&more, 1) == 0) return;
  throw FormatError(fmt::format("{}: goes on behind the {} bytes that its header announces",
                                source_.name(), fmt::join(sizes_, " x ")));
}

namespace {

// The labels beside a file of pictures.
std::optional<IdxFile> find_labels(const std::string& path, Answers answers) {
  const std::vector<std::string> candidates = label_files(path);
  for (const std::string& name : candidates) {
    if (fs::exists(name)) return IdxFile(ByteSource::open(name));
  }
  if (answers == Answers::kOptional) return {};
  throw FormatError(fmt::format("{}: its labels are not beside it{}", path,
                                candidates.empty()
                                    ? ": a file whose name says images finds one that says labels"
                                    : ", expected " + candidates.front()));
}

}  // namespace

IdxSource::IdxSource(const std::string& path, Answers answers)
    : IdxSource(IdxFile(ByteSource::open(path)), find_labels(path, answers)) {}

IdxSource::IdxSource(IdxFile pictures, std::optional<IdxFile> labels)
    : pictures_(std::move(pictures)),
      labels_(std::move(labels)),
      file_(std::make_shared<const std::string>(pictures_.name())) {
  const std::vector<Index>& sizes = pictures_.sizes();
  if (sizes.size() != 3 && sizes.size() != 4) {
    throw FormatError(fmt::format(
        "{}: an IDX file of {} dimensions, expected pictures in 3 or 4{}", *file_, sizes.size(),
        sizes.size() == 1 ? "; if these are the labels, give the file of the images" : ""));
  }
  count_ = sizes[0];
  channels_ = channels_of(sizes, planes_, *file_);
  height_ = sizes[planes_ ? 2 : 1];
  width_ = sizes[planes_ ? 3 : 2];
  if (height_ < 1 || width_ < 1 || width_ > kMostPixels / height_) {
    throw FormatError(fmt::format(
        "{}: its header announces {} pictures of {} x {} pixels, expected at most {} pixels each",
        *file_, with_commas(count_), with_commas(width_), with_commas(height_),
        with_commas(kMostPixels)));
  }
  if (labels_ && (labels_->sizes().size() != 1 || labels_->sizes()[0] != count_)) {
    throw FormatError(fmt::format("{}: {} labels, expected {}, one for each picture of {}",
                                  labels_->name(), fmt::join(labels_->sizes(), " x "), count_,
                                  *file_));
  }
}

bool IdxSource::next(Record& record) {
  if (done_ == count_) {
    pictures_.expect_end();
    if (labels_) labels_->expect_end();
    return false;
  }
  Pixels pixels{height_, width_, channels_, {}};
  pixels.values.resize(static_cast<std::size_t>(height_ * width_ * channels_));
  pictures_.read(pixels.values);
  if (planes_) interleave(pixels.values, channels_);
  record = make_record(Picture{.pixels = std::make_shared<const Pixels>(std::move(pixels))});
  record.place = {file_, ++done_};
  if (labels_) {
    std::uint8_t label = 0;
    labels_->read({&label, 1});
    record.answer = Label{std::to_string(label)};
  }
  return true;
}

bool is_idx_of_pictures(std::string_view first) {
  return first.size() >= 4 && first[0] == 0 && first[1] == 0 && first[2] == kBytes &&
         (first[3] == 3 || first[3] == 4);
}

std::vector<std::string> label_files(const std::string& path) {
  const fs::path whole(path);
  std::string name = whole.filename().string();
  const bool packed = name.ends_with(".gz");
  if (packed) name.resize(name.size() - 3);
  std::string other = replaced(name, "images", "labels");
  if (other == name) other = replaced(name, "Images", "Labels");
  if (other == name) return {};
  for (const char* dimensions : {"idx3", "idx4"}) other = replaced(other, dimensions, "idx1");
  const std::string plain = (whole.parent_path() / other).string();
  if (packed) return {plain + ".gz", plain};
  return {plain, plain + ".gz"};
}

}  // namespace heed
