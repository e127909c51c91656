#include "heed/model/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "heed/grad/linear.h"
#include "heed/kernel/rows.h"
#include "heed/model/network_reader.h"
#include "heed/model/output/classes.h"

namespace heed {
namespace {

constexpr std::string_view kNetworks = "networks";

// The mean of what networks say of one row, the most likely first.
std::vector<Candidate> mean_of(std::span<const std::vector<Candidate>* const> opinions, Index top) {
  std::vector<Candidate> mean(opinions.front()->size());
  for (const std::vector<Candidate>* opinion : opinions) {
    for (const Candidate& candidate : *opinion) {
      Candidate& sum = mean[static_cast<std::size_t>(candidate.index)];
      sum.index = candidate.index;
      sum.probability += candidate.probability / static_cast<float>(opinions.size());
    }
  }
  std::stable_sort(mean.begin(), mean.end(), [](const Candidate& a, const Candidate& b) {
    return a.probability > b.probability;
  });
  mean.resize(std::min(mean.size(), static_cast<std::size_t>(std::max<Index>(top, 1))));
  return mean;
}

// The same of whole sequences; the output makes their rows fit each other.
std::vector<Prediction> mean_of(const std::vector<std::vector<Prediction>>& each,
                                const Output& output, Index top) {
  std::vector<Prediction> joined(each.front().size());
  std::vector<const std::vector<Candidate>*> opinions(each.size());
  for (std::size_t s = 0; s < joined.size(); ++s) {
    joined[s].grid = each.front()[s].grid;
    for (std::size_t row = 0; row < each.front()[s].rows.size(); ++row) {
      for (std::size_t i = 0; i < each.size(); ++i) opinions[i] = &each[i][s].rows[row];
      joined[s].rows.push_back(mean_of(opinions, output.classes()));
    }
    output.settle(joined[s]);
    for (auto& row : joined[s].rows) {
      row.resize(std::min(row.size(), static_cast<std::size_t>(std::max<Index>(top, 1))));
    }
    joined[s].truth.assign(each.front()[s].truth.size(), 0.0f);
    for (const std::vector<Prediction>& one : each) {
      for (std::size_t row = 0; row < joined[s].truth.size(); ++row) {
        joined[s].truth[row] += one[s].truth[row] / static_cast<float>(each.size());
      }
    }
  }
  return joined;
}

}  // namespace

Sequences InputNetwork::embed(Context&, std::span<const std::int32_t>, const Layout&) const {
  fail<UsageError>("embed", "the rows of this input are not tokens");
}

Sequences BodyNetwork::next(Context&, const Sequences&, BodyState&) const {
  fail<UsageError>("body", "its rows know those behind them, so it cannot read on");
}

Model::Model(Config config, Parameters::Values values)
    : config_(std::move(config)),
      // Allocate after all parameters are declared: the total decides whether they fit in memory.
      parameters_(std::make_unique<Parameters>(config_.seed, Parameters::Values::kLater)) {
  const double row_seconds = config_.input->row_seconds();
  config_.body->expect_row_seconds(row_seconds);
  for (Choice<Body>& body : config_.ensemble.bodies) body->expect_row_seconds(row_seconds);
  for (Index i = 0; i < config_.ensemble.size; ++i) {
    const Scope scope = scope_of(i);
    networks_.push_back({config_.input->network(scope / "input", config_.width),
                         config_.body_of(i)->network(scope / "body", config_.width),
                         config_.output->network(scope / "output", config_.width)});
    if (config_.output->predicts_input()) {
      const Parameter* table = networks_.back().input->table();
      if (table == nullptr) {
        throw UsageError(
            fmt::format("input {}: {}", config_.input.kind(), config_.input->token_problem()));
      }
      networks_.back().output->tie(*table);
    }
  }
  wide_ = config_.wide->network(Scope(*parameters_, "wide"), config_.output->classes());
  if (values == Parameters::Values::kAtOnce) parameters_->fill();
}

Scope Model::scope_of(Index network) const {
  const Scope whole(*parameters_);
  return config_.ensemble.size == 1 ? whole : whole / kNetworks / network;
}

void Model::prepare(const Record& record, Batch& batch) const {
  prepare_rows(record, batch);
  config_.wide->prepare(record.content, batch);
}

void Model::prepare_rows(const Record& record, Batch& batch) const {
  check_content(record, config_);
  // Without an answer a text is the beginning of one.
  const bool prompt = config_.output->predicts_input() && record.answer.index() == 0;
  if (prompt) {
    config_.input->prepare_prompt(record.content, batch);
  } else {
    config_.input->prepare(record.content, batch);
  }
  config_.output->prepare(record.answer, batch);
}

void Model::vary(Batch& batch, Random& random) const {
  const Index before = batch.lengths.back();
  const Input::Rows kept = config_.input->vary(batch, random);
  if (kept.count != before) config_.output->keep_rows(batch, kept.first, kept.count);
}

void Model::mix(Batch& batch, const Batch& other, Random& random) const {
  const float drawn = random.beta(static_cast<double>(config_.input->mixup()));
  const float share = std::min(drawn, 1.0f - drawn);  // most of a sequence stays its own
  config_.input->mix(batch, other, share);
  config_.output->mix(batch, other, share);
}

void Model::initialize(const FirstValues& from) {
  FirstValues quietly = from;
  quietly.notes = [](const std::string&) {};
  for (Index i = 0; i < config_.ensemble.size; ++i) {
    config_.input->initialize(scope_of(i) / "input", i == 0 ? from : quietly);
    config_.output->initialize(scope_of(i) / "output");
  }
}

void Model::learn_wide(const Examples& train, int workers) {
  if (wide_) wide_->learn(train, workers, std::numeric_limits<double>::infinity());
}

void Model::settle_wide() {
  if (wide_) wide_->settle();
}

void Model::balance_wide(const Examples& held_out) {
  if (wide_) config_.wide->balance(wide_->balance(held_out));
}

void Model::weigh_wide(float ratio) {
  const float weight = std::min(ratio, 1.0f);
  config_.wide->weigh(weight, weight / ratio);
  if (wide_) wide_->weigh(weight);
}

WideScores Model::wide_scores(Context& context, const Batch& batch) const {
  if (!wide_ || parts_ == Parts::kNetwork) return {};
  return {(*wide_)(context, batch), config_.wide->network_weight()};
}

std::vector<Prediction> Model::wide_answers(Context& context, const Batch& batch, Index top) const {
  const Var scores = (*wide_)(context, batch);  // (sequences or rows, classes)
  const bool rows = config_.wide->scores_rows();
  std::vector<Prediction> predictions(static_cast<std::size_t>(batch.sequences()));
  Index next = 0;
  for (std::size_t s = 0; s < predictions.size(); ++s) {
    Prediction& prediction = predictions[s];
    for (Index i = rows ? batch.lengths[s] : 1; i > 0; --i, ++next) {
      const std::span row(scores.value.row(next), static_cast<std::size_t>(scores.columns()));
      prediction.rows.push_back(best_candidates(row, scores.columns()));
    }
    config_.output->settle(prediction);
    for (auto& row : prediction.rows) {
      row.resize(std::min(row.size(), static_cast<std::size_t>(std::max<Index>(top, 1))));
    }
  }
  return predictions;
}

Var Model::loss(Context& context, const Batch& batch) const {
  if (batch.sequences() == 0) return {};
  const WideScores wide = wide_scores(context, batch);
  const float share = 1.0f / static_cast<float>(networks_.size());
  Var mean;
  for (std::size_t i = 0; i < networks_.size(); ++i) {
    const Network& network = networks_[i];
    const Sequences x = network(context, batch);
    const bool twice = context.training() && network.output->compares_passes();
    Var loss = twice ? network.output->loss_of_two(context, x, network(context, batch), batch, wide)
                     : network.output->loss(context, x, batch, wide);
    const Var beside = network.input->loss(context, x, batch);
    if (beside.value.data != nullptr) loss = grad::add(context, loss, beside);
    mean = i == 0 ? loss : grad::add(context, mean, loss, i == 1 ? share : 1.0f, share);
  }
  return mean;
}

std::vector<Prediction> Model::predict(Context& context, const Batch& batch, Index top) const {
  if (batch.sequences() == 0) return {};
  if (config_.output->continues(batch)) return write(context, batch, top, {});
  if (parts_ == Parts::kWide && wide_) return wide_answers(context, batch, top);
  const WideScores wide = wide_scores(context, batch);
  const bool alone = networks_.size() == 1;
  const Index all = config_.output->classes();
  const Index wanted = config_.output->chooses() ? all : top;
  std::vector<std::vector<Prediction>> each;
  for (const Network& network : networks_) {
    each.push_back(network.output->predict(context, network(context, batch), batch, wide,
                                           alone ? wanted : all));
  }
  std::vector<Prediction> predictions =
      alone ? std::move(each.front()) : mean_of(each, *config_.output, wanted);
  for (Prediction& prediction : predictions) {
    prediction.row_seconds = config_.input->row_seconds();
    config_.output->choose(prediction, top);
  }
  return predictions;
}

std::vector<Prediction> Model::write(Context& context, const Batch& batch, Index top,
                                     const TokenWritten& written) const {
  const Network& network = networks_.front();
  if (!config_.output->predicts_input()) {
    return network.output->write(context, network(context, batch), batch, top, written);
  }
  NetworkReader reader(*network.input, *network.body, batch, config_.body->longest());
  return network.output->write(reader, batch, top, written);
}

Model::Scores Model::scores(Context& context, const Batch& batch) const {
  if (networks_.size() > 1) {
    fail<UsageError>("scores",
                     "an ensemble of {} networks answers with the mean of probabilities, "
                     "and has no scores that add up",
                     networks_.size());
  }
  return mean_scores(context, batch);
}

Model::Scores Model::mean_scores(Context& context, const Batch& batch) const {
  const WideScores wide = wide_scores(context, batch);
  const float share = wide.network / static_cast<float>(networks_.size());
  Tensor mean;
  for (const Network& network : networks_) {
    const Tensor each = network.output->scores(context, network(context, batch)).value;
    const bool first = mean.data == nullptr;
    if (first) mean = context.arena().tensor(each.shape);
    kernel::scale(mean.count(), share, each.data, mean.data,
                  first ? kernel::Store::kOverwrite : kernel::Store::kAdd);
  }
  return {{mean, -1}, wide.scores};
}

Plan Model::plan(Index i, Index rows) const {
  const Network& network = networks_[static_cast<std::size_t>(i)];
  Plan plan(rows);
  plan.set_part("input");
  network.input->describe(plan);
  plan.set_part("body");
  network.body->describe(plan);
  plan.set_part("output");
  network.output->describe(plan);
  if (wide_) {
    plan.set_part("wide");
    wide_->describe(plan);
    plan.set_part("output");
  }
  network.output->describe_answer(plan);
  return plan;
}

void check_content(const Record& record, const Config& config) {
  const bool input = config.input->reads(record.content);
  if (input && config.wide->reads(record.content)) return;
  throw UsageError(fmt::format("{}: {} {} does not read records like this", record.place.text(),
                               input ? "the wide part" : "the input",
                               input ? config.wide.kind() : config.input.kind()));
}

std::pair<Index, std::string_view> in_network(std::string_view name) {
  if (!name.starts_with(kNetworks) || name.substr(kNetworks.size(), 1) != ".") return {0, name};
  name.remove_prefix(kNetworks.size() + 1);
  const std::size_t dot = name.find('.');
  Index network = 0;
  std::from_chars(name.data(), name.data() + dot, network);
  return {network, name.substr(dot + 1)};
}

}  // namespace heed
