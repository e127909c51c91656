#include "cli/check.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/read_flags.h"
#include "heed/base/display.h"
#include "heed/base/json.h"
#include "heed/data/content.h"
#include "heed/data/inspect.h"
#include "heed/data/open.h"

namespace heed::cli {
namespace {

struct CheckFlags {
  std::vector<std::string> data;
  ReadOptions read;
  std::string task;
  bool json = false;
};

struct TaskAnswer {
  const char* task;
  AnswerKind answer;
};
constexpr TaskAnswer kTaskAnswers[] = {{"classify", AnswerKind::kLabel},
                                       {"label", AnswerKind::kLabels},
                                       {"tag", AnswerKind::kTags},
                                       {"translate", AnswerKind::kSequence}};

struct Read {
  Dataset data;
  TaskAnswer task{};
};

// As the first task that can read it; what is wrong is what the first of them says.
Read read_for_task(const CheckFlags& flags) {
  std::optional<FormatError> wrong;
  for (const TaskAnswer& task : kTaskAnswers) {
    if (!flags.task.empty() && flags.task != task.task) continue;
    if (flags.task.empty() && task.answer == AnswerKind::kSequence) continue;
    ReadOptions read = flags.read;
    read.answer = task.answer;
    try {
      return {read_dataset(flags.data, read), task};
    } catch (const FormatError& error) {
      if (!wrong) wrong = error;
    } catch (const UsageError&) {
      // A format that does not hold such answers.
      if (!flags.task.empty()) throw;
    }
  }
  if (wrong) throw *wrong;
  throw UsageError(flags.data.front() + ": cannot tell what it is; say with --task and --format");
}

std::vector<std::string> columns_of(const CheckFlags& flags, const TaskAnswer& task) {
  ReadOptions read = flags.read;
  read.answer = task.answer;
  try {
    const std::unique_ptr<RecordSource> source = open_records(flags.data.front(), read);
    Record record;
    source->next(record);
    return source->column_names();
  } catch (const Error&) {
    return {};
  }
}

const char* content_name(const Dataset& data) {
  switch (kind_of(data[0].content)) {
    case ContentKind::kAudio:
      return "recordings";
    case ContentKind::kImage:
      return "pictures";
    default:
      return std::holds_alternative<Sentence>(data[0].content) ? "sentences" : "texts";
  }
}

std::string sizes_text(const char* unit, const Inspection::Sizes& sizes) {
  return fmt::format("{} {} to {}, median {}; the longest at {}\n", pad_right(unit, 12),
                     with_commas(sizes.shortest), with_commas(sizes.longest),
                     with_commas(sizes.median), sizes.longest_at.text());
}

std::string report(const Inspection& found, const Read& read,
                   const std::vector<std::string>& names) {
  constexpr std::size_t kMostClasses = 20;
  const KnownColumns& columns = read.data.columns;
  std::string text = fmt::format("{} {}, for heed train {}\n", with_commas(found.records),
                                 content_name(read.data), read.task.task);
  if (!names.empty()) {
    text += pad_right("columns", 12);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string& name = names[i];
      const char* role = name == columns.text     ? " (text)"
                         : name == columns.second ? " (second text)"
                         : name == columns.label  ? " (label)"
                                                  : "";
      text += fmt::format("{}{}{}", i == 0 ? " " : ", ", printable(name), role);
    }
    text += '\n';
  }
  if (!columns.separator.empty()) {
    text += fmt::format("{} \"{}\"\n", pad_right("separator", 12), columns.separator);
  }
  if (found.characters.longest > 0) {
    text += sizes_text("words", found.words) + sizes_text("characters", found.characters);
  }
  if (!found.classes.empty()) {
    const bool tags = read.task.answer == AnswerKind::kTags;
    Index total = 0;
    for (const Inspection::Class& one : found.classes) total += one.count;
    text += fmt::format("\n{} {}{}\n", with_commas(std::ssize(found.classes)),
                        tags                                      ? "tags"
                        : read.task.answer == AnswerKind::kLabels ? "labels"
                                                                  : "classes",
                        found.unanswered > 0 ? fmt::format("; examples without any: {}",
                                                           with_commas(found.unanswered))
                                             : "");
    for (std::size_t i = 0; i < std::min(kMostClasses, found.classes.size()); ++i) {
      const Inspection::Class& one = found.classes[i];
      text += fmt::format(
          "  {} {:>9} {:>6.2f} %\n", pad_right(shorten(one.name, 32), 32), with_commas(one.count),
          100.0 * static_cast<double>(one.count) /
              static_cast<double>(read.task.answer == AnswerKind::kLabels ? found.records : total));
    }
    if (found.classes.size() > kMostClasses) {
      text += fmt::format("  and {} more, of which the rarest, \"{}\", has {}\n",
                          with_commas(std::ssize(found.classes) - static_cast<Index>(kMostClasses)),
                          shorten(found.classes.back().name, 32),
                          with_commas(found.classes.back().count));
    }
  }
  return text;
}

void write_found(const JsonPlace& place, const Inspection::Found& found) {
  place["count"].set(found.count);
  if (found.count > 0) place["first"].set(std::string_view(found.first.text()));
}

void write_sizes(const JsonPlace& place, const Inspection::Sizes& sizes) {
  place["shortest"].set(sizes.shortest);
  place["median"].set(sizes.median);
  place["longest"].set(sizes.longest);
}

void write_json(const JsonPlace& place, const Inspection& found, const Read& read,
                const std::vector<std::string>& names, const std::vector<std::string>& sentences) {
  place["examples"].set(found.records);
  place["task"].set(std::string_view(read.task.task));
  place["columns"].set_list();
  for (const std::string& name : names) place["columns"].append().set(std::string_view(name));
  place["text_column"].set(std::string_view(read.data.columns.text));
  place["label_column"].set(std::string_view(read.data.columns.label));
  write_sizes(place["words"], found.words);
  write_sizes(place["characters"], found.characters);
  place["classes"].set_list();
  for (const Inspection::Class& one : found.classes) {
    const JsonPlace line = place["classes"].append();
    line["name"].set(std::string_view(one.name));
    line["count"].set(one.count);
  }
  place["unanswered"].set(found.unanswered);
  place["repeated"].set(found.repeated);
  place["copies"].set(found.copies);
  place["conflicts"].set(found.conflicts);
  place["conflicting"].set(found.conflicting);
  place["not_utf8"].set(found.repaired);
  write_found(place["empty"], found.empty);
  write_found(place["replaced"], found.replaced);
  write_found(place["control"], found.control);
  write_found(place["invisible"], found.invisible);
  write_found(place["mojibake"], found.mojibake);
  place["warnings"].set_list();
  for (const std::string& sentence : sentences) {
    place["warnings"].append().set(std::string_view(sentence));
  }
}

void check(const CheckFlags& flags) {
  const Read read = read_for_task(flags);
  const std::vector<std::string> names = columns_of(flags, read.task);
  const Inspection found = inspect(read.data);
  std::vector<std::string> sentences = warnings(found, read.data);
  if (found.repaired > 0) {
    sentences.push_back(
        fmt::format("lines or files that are not UTF-8, read as Latin-1 or with � for what is "
                    "broken: {}",
                    with_commas(found.repaired)));
  }
  if (found.invisible.count > 0) {
    sentences.push_back(
        fmt::format("texts with invisible characters (U+FEFF, U+200B): {}, the "
                    "first at {}",
                    with_commas(found.invisible.count), found.invisible.first.text()));
  }
  if (flags.json) {
    const JsonText json;
    write_json(json.root(), found, read, names, sentences);
    fmt::print("{}", json.pages());
    return;
  }
  fmt::print("{}\n", report(found, read, names));
  if (sentences.empty()) fmt::print("nothing odd was found\n");
  for (const std::string& sentence : sentences) fmt::print("! {}\n", printable(sentence));
}

}  // namespace

void add_check(CLI::App& app) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* check_app =
      app.add_subcommand("check", "Look at data before training: what it holds, what is odd");
  check_app->add_option("DATA", flags->data, "Files (or one folder) with answers")->required();
  check_app->add_option("--task", flags->task, "What is to be learned; found out when not given")
      ->type_name("classify|label|tag|translate")
      ->check(CLI::IsMember({"classify", "label", "tag", "translate"}));
  add_read_flags(*check_app, flags->read, Answers::kRequired);
  check_app->add_flag("--json", flags->json, "For programs: one JSON object");
  check_app->footer(
      "Columns, sizes, classes and lengths; and what may deceive: contents that occur\n"
      "more than once, the same content with different labels, classes with a single\n"
      "example, a label column that looks like a number or an id, text that was read\n"
      "in the wrong encoding. heed train says the same before it begins.\n"
      "\n"
      "Examples:\n"
      "  heed check reviews.csv\n"
      "  heed check posts.jsonl --task label --json");
  check_app->callback([flags] { check(*flags); });
}

}  // namespace heed::cli
