#pragma once

#include <string>
#include <vector>

#include "heed/data/read_options.h"
#include "heed/data/record.h"

namespace heed {

// Records one after another, as a reader finds them, with flat memory. What is wrong with the file
// is a FormatError with its place; after one the source is of no more use.
class RecordSource {
 public:
  RecordSource() = default;
  RecordSource(const RecordSource&) = delete;
  RecordSource& operator=(const RecordSource&) = delete;
  virtual ~RecordSource() = default;

  // False at the end. `record` is written anew.
  virtual bool next(Record& record) = 0;

  // Whether next() can answer without waiting for whoever writes into a pipe or a terminal.
  virtual bool ready() { return true; }

  // How many lines (files, in a folder for each class) were not UTF-8 and had to be repaired.
  virtual Index repaired() const { return 0; }

  // Where rows are kept (ReadOptions::keep): what stands above the first of them, such as the names
  // of columns, and what stands behind the last.
  virtual const KeptRow* head() const { return nullptr; }
  virtual std::string rest() const { return {}; }

  // The names of all columns, where they have names, once the first record is read.
  virtual std::vector<std::string> column_names() const { return {}; }

  // Which columns are read, once the first record is; empty where there are none.
  virtual KnownColumns columns() const { return {}; }
};

}  // namespace heed
