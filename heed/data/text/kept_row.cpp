#include "heed/data/text/kept_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "heed/base/display.h"
#include "heed/base/error.h"

namespace heed {
namespace {

[[noreturn]] void refuse_name(const std::string& place, const char* noun, const std::string& name) {
  throw FormatError(fmt::format(
      "{}: has a {} \"{}\" already, where the answers would go; rename it, or leave out --keep",
      place, noun, name));
}

std::string quoted_where_needed(const std::string& value, char delimiter) {
  const bool plain = value.find_first_of("\"\r\n") == std::string::npos &&
                     value.find(delimiter) == std::string::npos && !value.starts_with(' ') &&
                     !value.ends_with(' ');
  if (plain) return value;
  std::string quoted = "\"";
  for (const char c : value) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string in_object(const KeptRow& row, std::span<const std::string> names,
                      std::span<const KeptCell> cells, const std::string& place) {
  // Bytes that are not UTF-8 were repaired for whoever read the object; here they stay.
  const nlohmann::json object = nlohmann::json::parse(row.text, nullptr, false);
  const std::size_t end = row.text.rfind('}');
  std::string added;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (object.contains(names[i])) refuse_name(place, "key", names[i]);
    const std::string& value = cells[i].value;
    const bool first = i == 0 && object.is_object() && object.empty();
    added += fmt::format("{}{}: {}", first ? "" : ", ", nlohmann::json(names[i]).dump(),
                         cells[i].is_text ? nlohmann::json(value).dump() : value);
  }
  return row.text.substr(0, end) + added + row.text.substr(end);
}

}  // namespace

std::string with_cells(const KeptRow& row, std::span<const std::string> names,
                       std::span<const KeptCell> cells, const std::string& place) {
  if (row.form == KeptRow::Form::kObject) {
    return row.before + in_object(row, names, cells, place) + row.end;
  }
  std::string text = row.before + row.text;
  for (const KeptCell& cell : cells) {
    text += row.delimiter;
    text += row.form == KeptRow::Form::kColumns ? quoted_where_needed(cell.value, row.delimiter)
                                                : printable(cell.value);
  }
  return text + row.end;
}

std::string with_names(const KeptRow& head, std::span<const std::string> names,
                       const std::string& file) {
  std::vector<KeptCell> cells;
  for (const std::string& name : names) {
    if (std::find(head.names.begin(), head.names.end(), name) != head.names.end()) {
      refuse_name(file, "column", name);
    }
    cells.push_back({name});
  }
  return with_cells(head, names, cells, file);
}

void add_line(KeptRow& row, std::string_view bytes) {
  row.text += row.end;
  const std::size_t end = bytes.ends_with("\r\n") ? 2 : bytes.ends_with('\n') ? 1 : 0;
  row.text += bytes.substr(0, bytes.size() - end);
  row.end = bytes.substr(bytes.size() - end);
}

}  // namespace heed
