#include "heed/train/baseline.h"

#include <linear.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <unordered_map>

#include "heed/base/workers.h"
#include "heed/model/output/label.h"
#include "heed/model/output/tags.h"
#include "heed/model/wide/tfidf_network.h"

namespace heed {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Texts as liblinear takes them: features from 1 on, each list ended by −1.
class Documents {
 public:
  Documents(const Dataset& data, const TfidfWide& features, const Tensor& idf) {
    Batch batch;
    std::vector<float> values;
    for (const Record& record : data.records) {
      batch.clear();
      features.prepare(record.content, batch);
      const auto ids = batch.wide.integers(TfidfWide::kFeatures).values();
      values.resize(ids.size());
      tfidf_values(ids, batch.wide.integers(TfidfWide::kCounts).values(), idf, values);
      begins_.push_back(nodes_.size());
      for (std::size_t i = 0; i < ids.size(); ++i) nodes_.push_back({ids[i] + 1, values[i]});
      nodes_.push_back({-1, 0.0});
    }
    for (const std::size_t begin : begins_) rows_.push_back(nodes_.data() + begin);
  }

  std::vector<feature_node*>& rows() { return rows_; }

 private:
  std::vector<feature_node> nodes_;
  std::vector<std::size_t> begins_;
  std::vector<feature_node*> rows_;
};

// 1 + log((1 + texts) / (1 + texts that have it))
std::vector<float> idf_of(const Dataset& train, const TfidfWide& features) {
  std::vector<double> texts(static_cast<std::size_t>(features.options().entries), 0.0);
  Batch batch;
  for (const Record& record : train.records) {
    batch.clear();
    features.prepare(record.content, batch);
    for (const std::int32_t id : batch.wide.integers(TfidfWide::kFeatures).values()) {
      ++texts[static_cast<std::size_t>(id)];
    }
  }
  return idf_values(texts, train.size());
}

std::vector<std::int32_t> labels_of(const Dataset& data, const LabelOutput& output) {
  Batch batch;
  for (const Record& record : data.records) output.prepare(record.answer, batch);
  const auto labels = batch.answer.integers(0).values();
  return {labels.begin(), labels.end()};
}

// One class against all others. Scores of `dev` go into `scores`.
void learn_class(std::vector<feature_node*>& train, std::span<const std::int32_t> labels,
                 std::int32_t label, Index features, std::vector<feature_node*>& dev,
                 std::span<double> scores) {
  std::vector<double> targets;
  for (const std::int32_t other : labels) targets.push_back(other == label ? 1.0 : -1.0);
  const problem task{static_cast<int>(train.size()), static_cast<int>(features), targets.data(),
                     train.data(), -1.0};
  parameter how{};
  how.solver_type = L2R_L2LOSS_SVC_DUAL;
  how.C = 1.0;
  how.eps = 0.1;
  model* learned = ::train(&task, &how);
  // The first class that liblinear met is the one that positive values speak for.
  const double sign = learned->label[0] == 1 ? 1.0 : -1.0;
  for (std::size_t i = 0; i < dev.size(); ++i) {
    double value = 0.0;
    predict_values(learned, dev[i], &value);
    scores[i] = sign * value;
  }
  free_and_destroy_model(&learned);
}

}  // namespace

std::optional<Baseline> tfidf_svm(const Dataset& train, const Dataset& dev, double seconds,
                                  int workers) {
  const double begin = now();
  const auto late = [&] { return now() - begin > 0.5 * seconds; };
  set_print_string_function([](const char*) {});
  TfidfWide features;
  features.options().min_count = 2;
  features.options().pairs = 1'000'000;
  features.fit(train);
  if (late()) return {};
  LabelOutput output;
  output.fit(train, false);
  std::vector<float> idf = idf_of(train, features);
  const Tensor weights{idf.data(), {static_cast<Index>(idf.size())}};
  Documents learned(train, features, weights), asked(dev, features, weights);
  if (late()) return {};
  const std::vector<std::int32_t> labels = labels_of(train, output), truth = labels_of(dev, output);
  const auto classes = static_cast<std::size_t>(output.classes());
  std::vector<std::vector<double>> scores(classes, std::vector<double>(truth.size()));
  std::atomic<std::size_t> next = 0, done = 0;
  std::atomic<bool> left_out = false;
  const double ready = now();
  Workers team(workers);
  team.run([&](int) {
    for (std::size_t c = next++; c < classes && !left_out; c = next++) {
      learn_class(learned.rows(), labels, static_cast<std::int32_t>(c), features.options().entries,
                  asked.rows(), scores[c]);
      // What is done shows what the rest will take.
      const double share = static_cast<double>(++done) / static_cast<double>(classes);
      const double here = now();
      if (ready - begin + (here - ready) / share > seconds) left_out = true;
    }
  });
  if (left_out) return {};
  Index right = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    std::size_t best = 0;
    for (std::size_t c = 1; c < classes; ++c) {
      if (scores[c][i] > scores[best][i]) best = c;
    }
    right += truth[i] == static_cast<std::int32_t>(best) ? 1 : 0;
  }
  return Baseline{"TF-IDF + linear SVM",
                  static_cast<double>(right) / static_cast<double>(std::max<Index>(1, dev.size()))};
}

std::optional<Baseline> most_frequent_tag(const Dataset& train, const Dataset& dev, double, int) {
  TagsOutput output;
  output.fit(train, false);
  std::unordered_map<std::string, std::map<std::int32_t, Index>> counts;
  std::map<std::int32_t, Index> all;
  Batch batch;
  // Calls take(word, tag) with all words of a data set.
  const auto each = [&](const Record& record, const auto& take) {
    const auto& words = std::get<Sentence>(record.content).words;
    batch.clear();
    batch.lengths.push_back(std::ssize(words));
    output.prepare(record.answer, batch);
    const auto tags = batch.answer.integers(0).values();
    for (std::size_t i = 0; i < words.size(); ++i) take(words[i], tags[i]);
  };
  const auto most = [](const std::map<std::int32_t, Index>& tags) {
    return std::max_element(tags.begin(), tags.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  };
  for (const Record& record : train.records) {
    each(record, [&](const std::string& word, std::int32_t tag) {
      ++counts[word][tag];
      ++all[tag];
    });
  }
  const std::int32_t unknown = most(all);
  const std::unique_ptr<Measures> measures = output.measures();
  for (const Record& record : dev.records) {
    Prediction prediction;
    each(record, [&](const std::string& word, std::int32_t) {
      const auto known = counts.find(word);
      prediction.rows.push_back({{known == counts.end() ? unknown : most(known->second), 1.0f}});
    });
    measures->add(record.answer, prediction);
  }
  return Baseline{"each word's most frequent tag", measures->score()};
}

}  // namespace heed
