#pragma once

#include <string>
#include <vector>

#include "heed/data/byte_source.h"
#include "heed/data/record_source.h"

namespace heed {

inline constexpr Index kCifarSide = 32;
inline constexpr Index kCifarPixels = 3 * kCifarSide * kCifarSide;  // all red, green, then blue
inline constexpr Index kCifar100Bytes = kCifarPixels + 2;
inline constexpr const char* kFineNames = "fine_label_names.txt";

// The pictures of a CIFAR binary: see archive.h.
class CifarSource : public RecordSource {
 public:
  enum class Classes { kTen, kHundred };

  CifarSource(const std::string& path, Classes classes);
  // Without names.
  CifarSource(ByteSource source, Classes classes);

  bool next(Record& record) override;

 private:
  ByteSource source_;
  std::shared_ptr<const std::string> file_;
  std::vector<std::string> names_;  // of the classes; empty: their numbers
  Index labels_;                    // of each picture, the last of which counts
  Index done_ = 0;
};

}  // namespace heed
