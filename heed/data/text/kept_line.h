#pragma once

#include <memory>
#include <string>
#include <utility>

#include "heed/data/lines.h"
#include "heed/data/text/kept_row.h"

namespace heed {

// The line that was read last as a row of its own; what stood before it moves into it.
inline std::shared_ptr<const KeptRow> kept_line(const LineReader& lines, KeptRow::Form form,
                                                std::string& before) {
  KeptRow row;
  row.form = form;
  row.before = std::exchange(before, {});
  add_line(row, lines.bytes());
  return std::make_shared<const KeptRow>(std::move(row));
}

}  // namespace heed
