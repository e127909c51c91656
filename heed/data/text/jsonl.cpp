#include "heed/data/text/jsonl.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "heed/base/error.h"
#include "heed/data/text/columns.h"
#include "heed/data/text/kept_line.h"
#include "heed/data/utf8.h"

namespace heed {
namespace {

using Json = nlohmann::json;

Json parse_object(const LineReader& lines, const std::string& line) {
  if (line.starts_with('[')) {
    lines.refuse(lines.line(),
                 "a JSON array, expected one object per line (jq -c '.[]' makes that of it)");
  }
  Json object;
  try {
    object = Json::parse(line);
  } catch (const Json::parse_error& error) {
    lines.refuse(lines.line(), "not JSON at column {}: \"{}\"; expected one object per line",
                 error.byte, shortened(line));
  } catch (const Json::exception& error) {  // a number beyond any range
    lines.refuse(lines.line(), "not JSON: {}", error.what());
  }
  if (!object.is_object()) {
    lines.refuse(lines.line(), "{}, expected an object {{…}} on each line", object.type_name());
  }
  return object;
}

const Json& at(const LineReader& lines, const Json& object, const std::string& key) {
  const auto place = object.find(key);
  if (place != object.end()) return *place;
  std::vector<std::string> keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  lines.refuse(lines.line(), "no key \"{}\"; the keys are {}", key, listed(keys));
}

std::string text_of(const LineReader& lines, const Json& value, const std::string& key) {
  if (!value.is_string()) {
    lines.refuse(lines.line(), "\"{}\" is {} {}, expected a string", key,
                 value.is_array() || value.is_object() ? "an" : "a", value.type_name());
  }
  return value.get<std::string>();
}

std::string label_of(const LineReader& lines, const Json& value, const std::string& key) {
  if (value.is_number() || value.is_boolean()) return value.dump();
  if (!value.is_string()) {
    lines.refuse(lines.line(), "\"{}\" is {} {}, expected a string, a number or true or false{}",
                 key, value.is_array() || value.is_object() ? "an" : "a", value.type_name(),
                 value.is_array() ? "; heed train label learns several labels at once" : "");
  }
  std::string label(trimmed(value.get_ref<const std::string&>()));
  if (label.empty()) lines.refuse(lines.line(), "\"{}\" is empty, expected a label", key);
  return label;
}

// A list of labels, or one label; a separator divides those that are strings.
Labels labels_at(const LineReader& lines, const Json& value, const std::string& key,
                 const std::string& separator) {
  if (value.is_null()) return {};
  if (value.is_string()) return split_labels(value.get_ref<const std::string&>(), separator);
  if (!value.is_array()) return {{label_of(lines, value, key)}};
  Labels all;
  for (const Json& item : value) {
    std::string name = label_of(lines, item, key);
    if (std::find(all.names.begin(), all.names.end(), name) == all.names.end()) {
      all.names.push_back(std::move(name));
    }
  }
  return all;
}

// May be empty, unlike a label.
std::string group_of(const LineReader& lines, const Json& value, const std::string& key) {
  const bool empty =
      value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty());
  return empty ? std::string() : label_of(lines, value, key);
}

// A time; 0 where there is none.
double seconds_at(const LineReader& lines, const Json& object,
                  const std::optional<std::string>& key) {
  const auto value = key ? object.find(*key) : object.end();
  if (value == object.end() || value->is_null()) return 0.0;
  const bool text = value->is_string();
  return seconds_of(text ? value->get_ref<const std::string&>() : value->dump(),
                    lines.place().text(), *key);
}

}  // namespace

JsonlSource::JsonlSource(LineReader lines, ReadOptions options)
    : lines_(std::move(lines)), options_(std::move(options)) {}

bool JsonlSource::next(Record& record) {
  for (;;) {
    if (!lines_.next(line_)) return false;
    if (!is_blank(line_)) break;
    if (options_.keep) blank_ += lines_.bytes();
  }
  const Json object = parse_object(lines_, line_);
  if (!chosen_) {
    std::vector<std::string>& keys = keys_;
    for (const auto& item : object.items()) keys.push_back(item.key());
    const TextColumns columns =
        choose_columns(keys, options_, fmt::format("{}:{}", lines_.path(), lines_.line()), "key");
    text_key_ = keys[static_cast<std::size_t>(columns.text)];
    const auto key = [&](Index column) {
      return column == TextColumns::kNone ? std::optional<std::string>()
                                          : keys[static_cast<std::size_t>(column)];
    };
    second_key_ = key(columns.second);
    label_key_ = key(columns.label);
    group_key_ = key(columns.group);
    begin_key_ = key(columns.begin);
    end_key_ = key(columns.end);
    id_key_ = key(columns.id);
    chosen_ = true;
  }
  record = {};
  record.place = lines_.place();
  std::string text = text_of(lines_, at(lines_, object, text_key_), text_key_);
  if (options_.content == ContentKind::kAudio) {
    record.content = Recording{.file = std::move(text),
                               .begin = seconds_at(lines_, object, begin_key_),
                               .end = seconds_at(lines_, object, end_key_)};
  } else {
    record.content = Text{std::move(text)};
    if (second_key_) {
      std::get<Text>(record.content).second =
          text_of(lines_, at(lines_, object, *second_key_), *second_key_);
    }
  }
  if (options_.keep) {
    record.extras.edit().row = kept_line(lines_, KeptRow::Form::kObject, blank_);
  }
  if (const auto id = id_key_ ? object.find(*id_key_) : object.end(); id != object.end()) {
    record.extras.edit().id = id->is_string() ? id->get<std::string>() : id->dump();
  }
  if (group_key_) {
    record.extras.edit().group = group_of(lines_, at(lines_, object, *group_key_), *group_key_);
  }
  if (!label_key_) return true;
  if (options_.answer == AnswerKind::kLabels) {
    const bool required = options_.answers == Answers::kRequired;
    const auto value = object.find(*label_key_);
    if (value == object.end() && !required) return true;
    record.answer = labels_at(lines_, required ? at(lines_, object, *label_key_) : *value,
                              *label_key_, label_separator_from(options_.label_separator));
  } else if (options_.answers == Answers::kRequired) {
    record.answer = Label{label_of(lines_, at(lines_, object, *label_key_), *label_key_)};
  } else if (const auto label = object.find(*label_key_); label != object.end()) {
    if (label->is_primitive() && !label->is_null()) {
      Label answer{label->is_string() ? label->get<std::string>() : label->dump()};
      answer.name = std::string(trimmed(answer.name));
      if (!answer.name.empty()) record.answer = std::move(answer);
    }
  }
  return true;
}

std::vector<std::string> keys_of(const std::string& line) {
  std::vector<std::string> keys;
  const Json object = Json::parse(line, nullptr, false);
  if (!object.is_object()) return keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

KnownColumns JsonlSource::columns() const {
  KnownColumns known;
  known.text = text_key_;
  known.second = second_key_.value_or("");
  known.label = label_key_.value_or("");
  return known;
}

}  // namespace heed
