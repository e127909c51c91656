#include "heed/train/compare_runs.h"

#include <fmt/format.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/json.h"

namespace heed {

std::optional<CompareRuns::Kept> CompareRuns::find(const std::string& name,
                                                   std::uint64_t key) const {
  if (!file_exists(path(name))) return {};
  const Json json = Json::parse(read_file(path(name)), path(name));
  if (json["key"].natural() != key) {
    throw UsageError(path(name) +
                     ": is of another comparison, with other data or options; choose another "
                     "folder, or --force to begin anew");
  }
  Kept kept;
  kept.parameters = json["parameters"].whole(at_least(0));
  kept.score_name = json["measure"].text();
  ComparedRun& run = kept.run;
  run.amount = json["amount"].number(between(0, 1));
  run.examples = json["examples"].whole(at_least(1));
  run.seed = json["seed"].natural();
  run.score = json["score"].number();
  run.seconds = json["seconds"].number(at_least(0));
  for (const Json& evaluation : json["evaluations"].list()) {
    run.evaluations.push_back({evaluation["seconds"].number(), evaluation["score"].number()});
  }
  for (const Json& right : json["right"].list()) run.right.push_back(right.whole(at_least(0)));
  return kept;
}

void CompareRuns::keep(const std::string& name, std::uint64_t key, const Kept& kept) const {
  const ComparedRun& run = kept.run;
  const JsonText text;
  const JsonPlace root = text.root();
  root["key"].set(key);
  root["measure"].set(std::string_view(kept.score_name));
  root["score"].set(run.score);
  root["amount"].set(run.amount);
  root["examples"].set(static_cast<std::int64_t>(run.examples));
  root["seed"].set(run.seed);
  root["seconds"].set(run.seconds);
  root["parameters"].set(static_cast<std::int64_t>(kept.parameters));
  root["evaluations"].set_list();
  for (const ComparedRun::Evaluation& evaluation : run.evaluations) {
    const JsonPlace place = root["evaluations"].append();
    place["seconds"].set(evaluation.seconds);
    place["score"].set(evaluation.score);
  }
  root["right"].set_list();
  for (const Index right : run.right) root["right"].append().set(static_cast<std::int64_t>(right));
  make_folder(folder_);
  write_file(path(name), text.line() + "\n");
}

}  // namespace heed
