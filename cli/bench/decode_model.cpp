#include "cli/bench/decode_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>

#include "heed/base/file.h"
#include "heed/data/lines.h"
#include "heed/model/folder.h"
#include "heed/train/settings.h"

namespace heed::cli {
namespace {

Model load_searching(const ModelDecodingOptions& options) {
  return load_model(options.model, [&](Config& config) {
    if (config.output->answer_kind() != AnswerKind::kSequence ||
        config.input->content() != ContentKind::kText) {
      throw UsageError(
          fmt::format("--model {}: expected a model that writes texts for texts", options.model));
    }
    Settings settings{config, {}};
    apply_setting(fmt::format("output.search.beam={}", options.beam), settings);
    apply_setting("output.search.temperature=0", settings);
    config = settings.config;
  });
}

}  // namespace

ModelDecoding::ModelDecoding(const ModelDecodingOptions& options)
    : model_(load_searching(options)) {
  LineReader lines(options.texts);
  std::vector<Batch> each;
  for (std::string line; lines.next(line);) {
    Batch& one = each.emplace_back();
    model_.prepare(make_record(Text{line}), one);
    const auto tokens = one.input.integers(0).values();
    sources_.emplace_back(tokens.begin(), tokens.end());
  }
  if (each.empty()) throw FormatError(options.texts + ": there is nothing to write for");
  written_.resize(each.size());
  std::vector<std::size_t> order(each.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sources_[a].size() > sources_[b].size();
  });
  for (std::size_t first = 0; first < order.size();) {
    const std::size_t end =
        std::min(order.size(), first + static_cast<std::size_t>(options.together));
    std::vector<std::size_t>& group = groups_.emplace_back();
    Batch& batch = batches_.emplace_back();
    for (; first < end; ++first) {
      group.push_back(order[first]);
      batch.append(each[order[first]], 0);
    }
  }
}

void ModelDecoding::write(Workers& workers) {
  std::atomic<std::size_t> taken = 0;
  while (std::ssize(contexts_) < workers.count()) contexts_.emplace_back().keep_weights();
  workers.run([&](int worker) {
    Context& context = contexts_[static_cast<std::size_t>(worker)];
    for (std::size_t i = taken++; i < batches_.size(); i = taken++) {
      context.begin(Mode::kEvaluate);
      std::vector<Prediction> found = model_.predict(context, batches_[i]);
      for (std::size_t j = 0; j < found.size(); ++j) {
        written_[groups_[i][j]] = std::move(found[j].written.front().tokens);
      }
    }
  });
}

Index ModelDecoding::tokens() const {
  Index sum = 0;
  for (const std::vector<std::int32_t>& tokens : written_) sum += std::ssize(tokens);
  return sum;
}

void ModelDecoding::save(const std::string& path) const {
  std::string lines;
  for (std::size_t i = 0; i < written_.size(); ++i) {
    const nlohmann::ordered_json line = {{"source", sources_[i]}, {"written", written_[i]}};
    lines += line.dump() + "\n";
  }
  write_file(path, lines);
}

}  // namespace heed::cli
