#include "heed/train/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "heed/base/display.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/folder_lock.h"
#include "heed/base/random.h"
#include "heed/eval/comparison_report.h"
#include "heed/model/predictor.h"
#include "heed/train/compare_runs.h"
#include "heed/train/defaults.h"
#include "heed/train/match.h"
#include "heed/train/probe.h"
#include "heed/train/run_costs.h"
#include "heed/train/run_json.h"

namespace heed {
namespace {

// How many answers a record has, and how many of them an answer got right.
Index answers_of(const Record& record) {
  const auto* tags = std::get_if<Tags>(&record.answer);
  return tags == nullptr ? 1 : std::ssize(tags->names);
}

Index right_of(const Answer& truth, const Answer& said) {
  if (const auto* label = std::get_if<Label>(&truth)) {
    const auto* other = std::get_if<Label>(&said);
    return other != nullptr && other->name == label->name ? 1 : 0;
  }
  const auto* tags = std::get_if<Tags>(&truth);
  const auto* others = std::get_if<Tags>(&said);
  Index right = 0;
  if (tags == nullptr || others == nullptr) return 0;
  for (std::size_t i = 0; i < std::min(tags->names.size(), others->names.size()); ++i) {
    right += tags->names[i] == others->names[i] ? 1 : 0;
  }
  return right;
}

// Letters that a file's name may have; others are written as their numbers.
std::string file_name(const std::string& name) {
  std::string result;
  for (const char letter : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-' ||
                       letter == '_' || letter == '.';
    result +=
        plain ? std::string(1, letter) : fmt::format("%{:02x}", static_cast<unsigned char>(letter));
  }
  return result;
}

std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = text.size();
  for (const char letter : text) hash = mix(hash, static_cast<unsigned char>(letter));
  return hash;
}

struct PlannedRun {
  std::size_t variant;
  double amount;
  Index seed;  // counted from 0
  double work;
};

class Comparing {
 public:
  Comparing(const std::string& folder, const CompareOptions& options, const CompareEvents& events)
      : folder_(folder), runs_(folder), options_(options), events_(events) {}

  std::optional<std::vector<std::string>> operator()(const std::atomic<bool>& stop) {
    read();
    match();
    plan();
    measure_bodies(stop);
    for (; next_ < plans_.size(); ++next_) {
      if (stop || !run(plans_[next_], stop)) return {};
    }
    return write();
  }

 private:
  const RunOptions& common() const { return options_.variants.front().run; }

  void read();
  void match();
  void plan();
  void measure_bodies(const std::atomic<bool>& stop);
  bool run(const PlannedRun& plan, const std::atomic<bool>& stop);
  std::optional<CompareRuns::Kept> train(const PlannedRun& plan, const std::atomic<bool>& stop);
  Dataset part_of(double amount) const;
  std::vector<std::string> write() const;
  void note(const std::string& sentence) const {
    if (events_.note) events_.note(sentence);
  }
  void progress(const std::string& text, double share = 0.0) const;

  std::string folder_;
  CompareRuns runs_;
  CompareOptions options_;
  const CompareEvents& events_;
  Comparison result_;
  Dataset train_, dev_, test_;
  std::vector<Index> order_;  // of train_
  std::uint64_t data_ = 0;    // the fingerprint of all three
  std::vector<PlannedRun> plans_;
  std::size_t next_ = 0;  // of these
  RunCosts costs_;
  double seconds_ = 0.0;  // that the runs before took
};

void Comparing::read() {
  const RunOptions& run = common();
  const auto hold_out = [&](Dataset& data, const char* what) {
    const Index most = 20000;  // they tell an accuracy to half a point
    const Split parts = split(data, run.held_out_of(data.size(), most), run.training.seed);
    if (parts.held_out.empty() || parts.train.empty()) {
      throw FormatError(fmt::format("{}: {} examples are too few to hold some out; give --{}",
                                    data[0].place.text(), data.size(), what));
    }
    auto [rest, out] = divide(std::move(data), parts);
    data = std::move(rest);
    return std::move(out);
  };
  train_ = read_dataset(run.train, run.read);
  Choice<Input> input = run.config.input;
  input->survey(train_);
  for (Record& record : train_.records) input->align(record);
  test_ = run.test.empty() ? hold_out(train_, "test") : read_dataset(run.test, run.read_others());
  dev_ = run.dev.empty() ? hold_out(train_, "dev") : read_dataset(run.dev, run.read_others());
  for (Dataset* data : {&dev_, &test_}) {
    for (Record& record : data->records) input->align(record);
  }
  data_ = mix(fingerprint(train_), mix(fingerprint(dev_), fingerprint(test_)));
  order_ = nested_order(train_, run.training.seed);
  for (const Record& record : test_.records) result_.answers.push_back(answers_of(record));
  result_.judged_on =
      fmt::format("on {} test examples{}; {} others chose the best weights of each run",
                  with_commas(test_.size()), run.test.empty() ? " that were held out" : "",
                  with_commas(dev_.size()));
  note(fmt::format("{} examples to learn from, {} for dev, {} for test", with_commas(train_.size()),
                   with_commas(dev_.size()), with_commas(test_.size())));
}

void Comparing::match() {
  // One width for all of them, for any amount of the data and any time.
  for (CompareVariant& variant : options_.variants) {
    RunOptions& run = variant.run;
    if (run.width_by_data && !run.size_by_time)
      run.config.width = default_width(run.config, train_.size());
    run.width_by_data = run.size_by_time = false;
  }
  const Index target = body_parameters(common().config);
  for (CompareVariant& variant : options_.variants) {
    Index size = body_parameters(variant.run.config);
    const bool first = &variant == &options_.variants.front();
    if (options_.match == Match::kParameters && variant.matched && !first) {
      size = match_parameters(variant.run.config, target);
    }
    result_.variants.push_back({variant.name, variant.flags, 0, size, {}});
    const double times =
        static_cast<double>(size) / static_cast<double>(std::max<Index>(1, target));
    if (options_.match == Match::kParameters && variant.matched && std::abs(times - 1.0) > 0.05) {
      note(fmt::format("{}: a body of {} parameters, where {} has {}; it cannot be made as large",
                       variant.name, with_commas(size), options_.variants.front().name,
                       with_commas(target)));
    }
  }
  const std::string& first = options_.variants.front().name;
  if (options_.match == Match::kParameters) {
    result_.matched = fmt::format(
        "Input, output and data are the same for all. The bodies were scaled to about the {} "
        "parameters of {}, but for those that are as their flags say and those that have none.",
        with_commas(target), first);
  } else if (options_.match == Match::kTime) {
    result_.matched = fmt::format(
        "Input, output and data are the same for all, and each was trained for {:.3g} seconds.",
        common().training.seconds);
  } else {
    result_.matched = "Input, output and data are the same for all.";
  }
}

void Comparing::plan() {
  std::sort(options_.amounts.begin(), options_.amounts.end());
  result_.task = options_.task;
  result_.command = options_.command;
  result_.data = fmt::format("{}", common().train.front());
  result_.seeds = options_.seeds;
  result_.amounts = options_.amounts;
  // Where the amount of data says how often it is read, small data is read more often.
  const double power = common().training.epochs > 0 ? 1.0 : 0.6;
  for (const double amount : options_.amounts) {
    for (Index seed = 0; seed < options_.seeds; ++seed) {
      for (std::size_t v = 0; v < options_.variants.size(); ++v) {
        // The overhead of a run, and what grows with its data.
        const double work = options_.match == Match::kTime ? 1.0 : 0.05 + std::pow(amount, power);
        plans_.push_back({v, amount, seed, work});
      }
    }
  }
}

// Before anything is trained: how fast the bodies are says what the first runs will take.
void Comparing::measure_bodies(const std::atomic<bool>& stop) {
  std::vector<double> row_seconds;
  for (std::size_t v = 0; v < result_.variants.size() && !stop; ++v) {
    if (events_.progress) {
      events_.progress(0.0, std::numeric_limits<double>::quiet_NaN(),
                       fmt::format("{}: speed against length", result_.variants[v].name));
    }
    std::vector<LengthSpeed>& speeds = result_.variants[v].speeds;
    speeds = measure_lengths(options_.variants[v].run.config, options_.lengths);
    // Most examples are short.
    row_seconds.push_back(
        speeds.empty() ? 1.0
                       : 1.0 / speeds[std::min<std::size_t>(1, speeds.size() - 1)].rows_per_second);
  }
  row_seconds.resize(result_.variants.size(), 1.0);  // where it was stopped
  costs_ = RunCosts(std::move(row_seconds));
  if (options_.match != Match::kTime) return;
  for (std::size_t v = 0; v < result_.variants.size(); ++v) {
    costs_.learn(v, 1.0, options_.variants[v].run.training.seconds);
  }
}

// `share`: of the run at hand.
void Comparing::progress(const std::string& text, double share) const {
  if (!events_.progress) return;
  const auto seconds = [&](const PlannedRun& plan) {
    return costs_.seconds(plan.variant, plan.work);
  };
  const double done = seconds_ + share * seconds(plans_[next_]);
  double left = (1.0 - share) * seconds(plans_[next_]);
  for (std::size_t i = next_ + 1; i < plans_.size(); ++i) left += seconds(plans_[i]);
  const double part = done / (done + left);
  events_.progress(std::isfinite(part) ? part : 0.0, left, text);
}

Dataset Comparing::part_of(double amount) const {
  const auto count = static_cast<std::size_t>(
      std::max(1.0, std::round(amount * static_cast<double>(train_.size()))));
  std::vector<Index> members(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(count));
  std::sort(members.begin(), members.end());
  Dataset part;
  part.columns = train_.columns;
  for (const Index i : members) part.records.push_back(train_[i]);
  return part;
}

bool Comparing::run(const PlannedRun& plan, const std::atomic<bool>& stop) {
  const CompareVariant& variant = options_.variants[plan.variant];
  const std::string name =
      file_name(fmt::format("{}-{}-{}", variant.name, plan.amount,
                            variant.run.training.seed + static_cast<std::uint64_t>(plan.seed)));
  const std::uint64_t key = mix(data_, hash_of(run_text(variant.run, data_)));
  std::optional<CompareRuns::Kept> kept = runs_.find(name, key);
  if (!kept) {
    if (stop) return false;
    kept = train(plan, stop);
    if (!kept) return false;
    runs_.keep(name, key, *kept);
    if (events_.finished) events_.finished(kept->run, variant.name);
  }
  kept->run.variant = plan.variant;
  if (kept->run.right.size() != result_.answers.size()) {
    throw FormatError(name + ".json: is of another test set; begin anew with --force");
  }
  result_.variants[plan.variant].parameters = kept->parameters;
  result_.score_name = kept->score_name;
  costs_.learn(plan.variant, plan.work, kept->run.seconds);
  seconds_ += kept->run.seconds;
  result_.runs.push_back(std::move(kept->run));
  return true;
}

std::optional<CompareRuns::Kept> Comparing::train(const PlannedRun& plan,
                                                  const std::atomic<bool>& stop) {
  const CompareVariant& variant = options_.variants[plan.variant];
  RunOptions run = variant.run;
  run.training.seed += static_cast<std::uint64_t>(plan.seed);
  run.config.seed += static_cast<std::uint64_t>(plan.seed);
  CompareRuns::Kept kept;
  kept.run.amount = plan.amount;
  kept.run.seed = run.training.seed;
  RunEvents events;
  const std::string text = fmt::format(
      "{}{}, seed {}", variant.name,
      plan.amount == 1.0 ? "" : fmt::format(" on {}", amount_text(plan.amount)), run.training.seed);
  events.step = [&](const TrainingState& state, const StepResult&, float,
                    const Evaluation* so_far) {
    if (options_.match != Match::kTime) {
      costs_.learn(plan.variant, plan.work * state.progress, state.seconds);
    }
    progress(so_far == nullptr ? text
                               : fmt::format("{}  kept: {} {}", text, so_far->score.name,
                                             score_text(so_far->score)),
             state.progress);
    kept.run.seconds = state.seconds;
  };
  events.evaluated = [&](const Evaluation& evaluation) {
    kept.run.evaluations.push_back({evaluation.seconds, evaluation.score.value});
    kept.run.seconds = std::max(kept.run.seconds, evaluation.seconds);
  };
  progress(text);
  Dataset part = part_of(plan.amount);
  kept.run.examples = part.size();
  const std::unique_ptr<Model> model = train_records(std::move(part), dev_, run, events, stop);
  if (model == nullptr) return {};
  const Output& output = *model->config().output;
  const Predictor predictor(*model, run.training.workers);
  const std::vector<Record> records(test_.records.begin(), test_.records.end());
  const std::vector<Prediction> predictions = predictor(records);
  const std::unique_ptr<Measures> measures = output.measures();
  for (std::size_t i = 0; i < records.size(); ++i) {
    measures->add(records[i].answer, predictions[i]);
    kept.run.right.push_back(
        right_of(records[i].answer, output.answer(records[i], predictions[i])));
  }
  kept.run.score = measures->score();
  kept.score_name = measures->score_name();
  kept.parameters = model->parameters().size();
  return kept;
}

std::vector<std::string> Comparing::write() const {
  const ComparisonReport report(result_);
  for (const auto& [name, svg] : report.plots()) write_file(folder_ + "/" + name, svg);
  write_file(folder_ + "/report.json", report.json());
  write_file(folder_ + "/report.html", report.html());
  return report.sentences();
}

}  // namespace

std::vector<Index> nested_order(const Dataset& data, std::uint64_t seed) {
  std::vector<Index> shuffled(static_cast<std::size_t>(data.size()));
  for (std::size_t i = 0; i < shuffled.size(); ++i) shuffled[i] = static_cast<Index>(i);
  Random random(mix(seed, 0xA3087));
  shuffle(shuffled, random);
  const auto label_of = [&](Index i) {
    const auto* label = std::get_if<Label>(&data[i].answer);
    return label == nullptr ? std::string() : label->name;
  };
  std::map<std::string, Index> counts, seen;
  for (const Index i : shuffled) ++counts[label_of(i)];
  // The k-th of n examples of a label stands at k / n: the first of every label come first.
  std::vector<std::tuple<double, std::size_t, Index>> places;
  for (std::size_t rank = 0; rank < shuffled.size(); ++rank) {
    const std::string label = label_of(shuffled[rank]);
    places.emplace_back(static_cast<double>(seen[label]++) / static_cast<double>(counts[label]),
                        rank, shuffled[rank]);
  }
  std::sort(places.begin(), places.end());
  std::vector<Index> order;
  for (const auto& place : places) order.push_back(std::get<2>(place));
  return order;
}

std::optional<std::vector<std::string>> compare(const std::string& folder,
                                                const CompareOptions& options,
                                                const CompareEvents& events,
                                                const std::atomic<bool>& stop) {
  if (options.variants.empty()) throw UsageError("there is nothing to compare");
  make_folder(folder);
  const FolderLock lock(folder);
  return Comparing(folder, options, events)(stop);
}

}  // namespace heed
