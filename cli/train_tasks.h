#pragma once

#include <string>
#include <vector>

#include "heed/data/read_options.h"

namespace heed::cli {

// One thing that heed train learns.
struct Task {
  const char* name;
  const char* output;  // the kind of output
  const char* description;
  const char* footer;
  std::vector<std::string> settings = {};       // beside the defaults of the output
  ContentKind content = ContentKind::kUnknown;  // of the files, where it is not found out
};

extern const std::vector<Task> kTasks;

}  // namespace heed::cli
