#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/byte_source.h"
#include "heed/data/record_source.h"

namespace heed {

// An IDX file of bytes as it comes: a header that says how many numbers there are along each
// dimension, then the numbers. See archive.h.
class IdxFile {
 public:
  explicit IdxFile(ByteSource source);

  const std::vector<Index>& sizes() const { return sizes_; }
  const std::string& name() const { return source_.name(); }
  // The next numbers. Fewer than that are a FormatError.
  void read(std::span<std::uint8_t> to);
  // After the last ones: anything more is a FormatError.
  void expect_end();

 private:
  ByteSource source_;
  std::vector<Index> sizes_;
};

// Pictures of an IDX file, with the labels of the file beside it.
class IdxSource : public RecordSource {
 public:
  // The file of labels beside it is looked for where `path` is its place.
  IdxSource(const std::string& path, Answers answers);
  IdxSource(IdxFile pictures, std::optional<IdxFile> labels);

  bool next(Record& record) override;

 private:
  IdxFile pictures_;
  std::optional<IdxFile> labels_;
  std::shared_ptr<const std::string> file_;
  Index count_ = 0, done_ = 0;
  Index height_ = 0, width_ = 0, channels_ = 1;
  bool planes_ = false;  // the channels of a picture one after another
};

// Whether a file with these first bytes is IDX, of bytes in 3 or 4 dimensions.
bool is_idx_of_pictures(std::string_view first);

// The names under which the labels of an IDX file may lie beside it, the likeliest first; none
// where its name does not say `images`.
std::vector<std::string> label_files(const std::string& path);

}  // namespace heed
