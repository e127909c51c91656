#pragma once

#include <string>
#include <utility>
#include <vector>

#include "heed/eval/comparison.h"

namespace heed {

// A comparison for people and for programs.
class ComparisonReport {
 public:
  explicit ComparisonReport(Comparison comparison, const BootstrapOptions& options = {});

  // One page that needs nothing from outside, for small and large screens, light and dark.
  std::string html() const;
  std::string json() const;
  // The plots by the names of their files: "amount.svg", …; those that have something to show.
  const std::vector<std::pair<std::string, std::string>>& plots() const { return plots_; }
  const std::vector<std::string>& sentences() const { return findings_; }

 private:
  std::string table(const std::vector<Standing>& places) const;
  void make_plots();

  Comparison comparison_;
  std::vector<std::vector<Standing>> by_amount_;
  std::vector<std::string> findings_;
  std::vector<std::pair<std::string, std::string>> plots_;
};

}  // namespace heed
