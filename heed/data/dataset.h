#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/read_options.h"
#include "heed/data/record.h"

namespace heed {

// Records in memory.
struct Dataset {
  std::deque<Record> records;  // grows without being copied
  Index repaired = 0;          // lines or files that were not UTF-8
  KnownColumns columns;        // of the first file

  Index size() const { return static_cast<Index>(records.size()); }
  const Record& operator[](Index i) const { return records[static_cast<std::size_t>(i)]; }
};

// All records of the files. A file without a single one is a FormatError.
Dataset read_dataset(const std::vector<std::string>& paths, const ReadOptions& options);

// Deals records into a part to learn from and a part that is held out: seeded, and with the same
// share of every label (where there are labels).
//
// Records with the same content are on the same side.
//
// With groups, all records of a group are on the same side, a record without one being a group of
// its own; the share is then about right, and every label is among what is to be learned from. A
// FormatError where the groups are too large for that.
struct Split {
  std::vector<Index> train, held_out;
};
Split split(const Dataset& data, double share, std::uint64_t seed);
// The two sides by themselves, in the order of the data: every record is on one of them. The
// records are moved, not copied.
std::pair<Dataset, Dataset> divide(Dataset data, const Split& split);

// Keeps about so many records, the same share of every label and at least one of each, at even
// distances; 0: all.
void keep_some(Dataset& data, Index most);

// A number that changes when any content, answer or group does, or the border between two of them:
// a checkpoint belongs to its data. The same on every platform.
std::uint64_t fingerprint(const Dataset& data);

}  // namespace heed
