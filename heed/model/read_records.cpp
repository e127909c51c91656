#include "heed/model/read_records.h"

#include <fmt/format.h>

#include <atomic>

#include "heed/base/display.h"
#include "heed/base/error.h"
#include "heed/base/workers.h"

namespace heed {
namespace {

constexpr Index kListed = 20;

// What is wrong with each record; empty where nothing is.
std::vector<std::string> problems_of(const Dataset& data, const Input& input) {
  std::vector<std::string> problems(data.records.size());
  std::atomic<std::size_t> next = 0;
  Workers workers(Workers::available());
  workers.run([&](int) {
    for (std::size_t i = next++; i < problems.size(); i = next++) {
      try {
        input.check(data.records[i]);
      } catch (const Error& error) {
        problems[i] = error.what();
      }
    }
  });
  return problems;
}

void skip_bad(Dataset& data, const Input& input, const Notes& notes) {
  const std::vector<std::string> problems = problems_of(data, input);
  std::deque<Record> good;
  std::string list;
  Index bad = 0;
  for (const std::string& problem : problems) {
    if (problem.empty()) {
      good.push_back(std::move(data.records.front()));
    } else if (bad++ < kListed) {
      list += "\n  " + problem;
    }
    data.records.pop_front();
  }
  data.records = std::move(good);
  if (bad == 0) return;
  if (bad > kListed) list += fmt::format("\n  and {} more", with_commas(bad - kListed));
  const std::string sentence =
      fmt::format("{} of {} files cannot be read and are left out:{}", with_commas(bad),
                  with_commas(std::ssize(problems)), list);
  if (data.size() == 0) throw FormatError(sentence);
  if (notes) notes(sentence);
}

}  // namespace

Dataset read_records(const std::vector<std::string>& paths, const ReadOptions& options,
                     const Input& input, const Notes& notes) {
  Dataset data = read_dataset(paths, options);
  if (options.skip_bad) skip_bad(data, input, notes);
  return data;
}

}  // namespace heed
