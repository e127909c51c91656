#pragma once

#include <optional>
#include <string>

#include "heed/eval/comparison.h"

namespace heed {

// The results of a comparison's runs, a file each: FOLDER/runs/NAME.json.
class CompareRuns {
 public:
  explicit CompareRuns(std::string folder) : folder_(std::move(folder) + "/runs") {}

  struct Kept {
    ComparedRun run;
    Index parameters = 0;  // of the whole model
    std::string score_name;
  };
  // None where it was not trained yet. `key` tells runs of other options or data apart: one that
  // was kept under the same name is a UsageError.
  std::optional<Kept> find(const std::string& name, std::uint64_t key) const;
  // Whole or not at all.
  void keep(const std::string& name, std::uint64_t key, const Kept& kept) const;

 private:
  std::string path(const std::string& name) const { return folder_ + "/" + name + ".json"; }

  std::string folder_;
};

}  // namespace heed
