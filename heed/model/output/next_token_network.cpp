#include "heed/model/output/next_token_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/base/random.h"
#include "heed/grad/linear.h"
#include "heed/grad/loss.h"
#include "heed/grad/sequence.h"
#include "heed/kernel/rows.h"
#include "heed/nn/linear.h"

namespace heed {

// The network, read on step by step. The first step reads the batch, whatever tokens it is given.
class NextTokenNetwork::Stepper : public decode::Steps {
 public:
  Stepper(const NextTokenNetwork& network, Reader& reader) : network_(network), reader_(reader) {}

  void next(std::span<const std::int32_t> tokens, std::span<const Index> counts,
            const Take& take) override {
    context_.begin(Mode::kEvaluate);
    const Sequences y = begun_ ? reader_.next(context_, tokens, counts) : reader_.begin(context_);
    begun_ = true;
    count_ = y.layout.count();
    const Layout ones = Layout::uniform(context_.arena(), count_, 1);
    const Var last = y.layout.rows() == ones.rows() ? y.rows : grad::last_rows(context_, y, ones);
    take(0, network_.scores(context_, {last, ones}).value);  // (sequences, entries + 1)
  }

  void keep(std::span<const Index> sequences) override {
    bool same = std::ssize(sequences) == count_;
    for (Index i = 0; same && i < count_; ++i) same = sequences[static_cast<std::size_t>(i)] == i;
    if (!same) reader_.keep(sequences);
  }

 private:
  const NextTokenNetwork& network_;
  Reader& reader_;
  Context context_;
  bool begun_ = false;
  Index count_ = 0;  // of the open sequences
};

Var NextTokenNetwork::scores(Context& context, const Sequences& x) const {
  return grad::linear(context, x.rows, context.parameter(*table_), {});  // (rows, entries + 1)
}

Var NextTokenNetwork::loss(Context& context, const Sequences& x, const Batch& batch,
                           const WideScores&) const {
  return grad::cross_entropy(
      context, scores(context, x), batch.answer.integers(0).values(),
      {.divisor = static_cast<float>(batch.whole_weight), .smoothing = options_.smoothing});
}

std::vector<Prediction> NextTokenNetwork::predict(Context& context, const Sequences& x,
                                                  const Batch& batch, const WideScores&,
                                                  Index) const {
  const Ragged<std::int32_t>& targets = batch.answer.integers(0);
  const Tensor logits = scores(context, x).value;  // (rows, entries + 1)
  std::vector<Prediction> predictions(static_cast<std::size_t>(batch.sequences()));
  for (Index s = 0; s < batch.sequences(); ++s) {
    const std::span<const std::int32_t> tokens = targets.part(s);
    Prediction& prediction = predictions[static_cast<std::size_t>(s)];
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const float* row = logits.row(x.layout.begin(s) + static_cast<Index>(i));
      const kernel::LogSum sum = kernel::log_sum(logits.columns(), row);
      prediction.log_probability +=
          static_cast<double>(row[tokens[i]]) - sum.largest - std::log(sum.sum);
    }
    prediction.tokens = std::ssize(tokens);
  }
  return predictions;
}

std::vector<Prediction> NextTokenNetwork::write(Reader& reader, const Batch& batch, Index top,
                                                const TokenWritten& written) const {
  const auto end = static_cast<std::int32_t>(table_->value.rows() - 1);
  decode::SearchOptions asked{.begin = end, .end = end, .never = 0, .longest = {}, .prompts = {}};
  std::vector<std::uint64_t> streams;  // the same prompt is continued in the same way
  for (Index s = 0; s < batch.sequences(); ++s) {
    asked.longest.push_back(std::min(options_.search.longest, reader.room(s)));
    std::uint64_t& stream = streams.emplace_back(0);
    for (const std::int32_t token : batch.input.integers(0).part(s)) {
      stream = mix(stream, static_cast<std::uint64_t>(token));
    }
  }
  std::vector<Prediction> predictions(asked.longest.size());
  const bool draws = options_.search.temperature > 0.0f;
  for (Index i = 0; i < (draws ? std::max<Index>(1, top) : 1); ++i) {
    for (std::uint64_t& stream : streams) stream = i == 0 ? stream : mix(stream, 1);
    Stepper steps(*this, reader);
    decode::Hypotheses found = search_for(
        steps, options_.search,
        {asked, draws ? 1 : std::max<Index>(1, top), streams, i == 0 ? written : TokenWritten()});
    for (std::size_t s = 0; s < found.size(); ++s) {
      for (decode::Hypothesis& one : found[s]) {
        predictions[s].written.push_back({std::move(one.tokens), one.score});
      }
    }
  }
  return predictions;
}

void NextTokenNetwork::describe(Plan& plan) const {
  const Index rows = plan.rows(), entries = table_->value.rows();
  plan.add("next token", {rows, entries},
           {.flops = nn::product_flops(rows, entries, table_->value.columns()),
            .note = "scored by the vectors of the input"});
}

void NextTokenNetwork::describe_answer(Plan& plan) const {
  const SequenceSearch& search = options_.search;
  plan.add(
      "answer", {plan.rows()},
      {.note = search.temperature > 0.0f ? fmt::format("drawn at temperature {}, top-p {}",
                                                       search.temperature, search.top_p)
                                         : fmt::format("beam search, {} hypotheses", search.beam)});
}

}  // namespace heed
