#pragma once

#include <span>
#include <string>

#include "heed/base/json.h"
#include "heed/eval/classification.h"
#include "heed/eval/spans.h"

namespace heed {

struct ReportOptions {
  enum class Order { kSupport, kName };
  Order order = Order::kSupport;  // of classes and types of spans; the most frequent first
  Index largest_matrix = 30;      // classes; with more, the largest confusions are told instead
  Index confusions = 15;          // how many of those
};

// Tables for people: scores with their intervals, a row for each class that occurs, and the
// confusion matrix. `names` (classes) are those of the class indices.
std::string report(const Classification& result, std::span<const std::string> names,
                   const ReportOptions& options = {});
std::string report(const Tagging& result, const ReportOptions& options = {});

// The same for programs, as one JSON object put into `place`. Shares are of 1.
void write_json(const JsonPlace& place, const Classification& result,
                std::span<const std::string> names);
void write_json(const JsonPlace& place, const Tagging& result);

}  // namespace heed
