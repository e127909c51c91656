#include "heed/model/output/sequence_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/base/display.h"
#include "heed/base/error.h"
#include "heed/decode/ctc.h"
#include "heed/decode/decoder_steps.h"
#include "heed/grad/ctc.h"
#include "heed/grad/embedding.h"
#include "heed/grad/linear.h"
#include "heed/grad/loss.h"

namespace heed {
namespace {

constexpr Index kMoreTokens = 20;  // beyond `ratio` times the input's rows

nn::DecoderOptions decoder_options(const SequenceOptions& options, Index width) {
  nn::DecoderOptions decoder = options.decoder;
  decoder.attention.width = width;
  return decoder;
}

// The vocabulary before the tokenizer is trained is as large as it may become.
Index entries_of(const SequenceOptions& options) {
  return 1 + (options.entries > 0 ? options.entries : options.tokenizer.vocabulary);
}

// All tokens of the best hypotheses.
void tell(const decode::Hypotheses& found, const TokenWritten& written) {
  for (std::size_t s = 0; s < found.size(); ++s) {
    for (const std::int32_t token : found[s].front().tokens) {
      written(static_cast<Index>(s), token);
    }
  }
}

}  // namespace

SequenceNetwork::SequenceNetwork(const Scope& scope, const SequenceOptions& options, Index width)
    : options_(options), entries_(entries_of(options)), width_(width) {
  if (options.ctc > 0.0f) ctc_.emplace(scope / "ctc", width, entries_);
  if (!decodes()) return;
  words_ = &scope.add("words.weight", {entries_, width},
                      Init::normal(1.0f / std::sqrt(static_cast<float>(width))));
  positions_.emplace(scope / "positions",
                     nn::PositionOptions{options.position.kind, width,
                                         std::max<Index>(2, options.position.longest)});
  decoder_.emplace(scope / "decoder", decoder_options(options, width));
  if (options.copy) {
    copy_query_.emplace(scope / "copy" / "query", width, width);
    copy_key_.emplace(scope / "copy" / "key", width, width);
  }
}

Var SequenceNetwork::scores(Context&, const Sequences&) const {
  fail<UsageError>("sequence", "a written text has no scores of classes");
}

Sequences SequenceNetwork::embed(Context& context, std::span<const std::int32_t> tokens,
                                 const Layout& layout, const Layout& seen) const {
  const float scale = std::sqrt(static_cast<float>(width_));
  const Var x = grad::embedding(context, tokens, *words_, scale);      // (tokens, width)
  const Sequences placed = (*positions_)(context, {x, layout}, seen);  // (tokens, width)
  return {grad::dropout(context, placed.rows, context.dropout(options_.dropout, layout)), layout};
}

Var SequenceNetwork::logits(Context& context, const Var& rows) const {
  return grad::linear(context, rows, context.parameter(*words_), {});  // (tokens, entries + 1)
}

grad::CopySource SequenceNetwork::copied(Context& context, const Sequences& x,
                                         const Batch& batch) const {
  return {(*copy_key_)(context, x), batch.input.integers(0).values()};
}

Var SequenceNetwork::logits(Context& context, const Sequences& rows,
                            const grad::CopySource& source) const {
  return grad::copy_scores(context, logits(context, rows.rows), (*copy_query_)(context, rows),
                           source);
}

Sequences SequenceNetwork::decode(Context& context, const Sequences& memory,
                                  std::span<const std::int32_t> targets,
                                  std::span<const Index> lengths) const {
  const Layout layout = Layout::of(context.arena(), lengths, memory.layout.first());
  const auto read = context.arena().array<std::int32_t>(layout.rows());
  for (Index s = 0; s < layout.count(); ++s) {
    for (Index i = layout.begin(s); i < layout.end(s); ++i) {
      read[static_cast<std::size_t>(i)] =
          i == layout.begin(s) ? end() : targets[static_cast<std::size_t>(i - 1)];
    }
  }
  return (*decoder_)(context, embed(context, read, layout, layout), memory);  // (tokens, width)
}

Var SequenceNetwork::loss(Context& context, const Sequences& x, const Batch& batch,
                          const WideScores&) const {
  if (!decodes()) return ctc_loss(context, x, batch);
  const Ragged<std::int32_t>& targets = batch.answer.integers(0);
  const Sequences y = decode(context, x, targets.values(), targets.lengths());
  const Var scores = copy_key_ ? logits(context, y, copied(context, x, batch))
                               : logits(context, y.rows);  // (tokens, entries + 1)
  const Var written = grad::cross_entropy(
      context, scores, targets.values(),
      {.divisor = static_cast<float>(batch.whole_weight), .smoothing = options_.smoothing});
  if (!ctc_) return written;
  return grad::add(context, written, ctc_loss(context, x, batch), 1.0f - options_.ctc,
                   options_.ctc);
}

// Of a token, as the decoder's. What has fewer rows than tokens cannot be aligned, and teaches
// nothing.
Var SequenceNetwork::ctc_loss(Context& context, const Sequences& x, const Batch& batch) const {
  const Ragged<std::int32_t>& targets = batch.answer.integers(0);
  const auto lengths = context.arena().array<Index>(targets.count());
  const auto ids = context.arena().array<std::int32_t>(std::ssize(targets.values()));
  std::size_t count = 0;
  for (Index s = 0; s < targets.count(); ++s) {
    std::span<const std::int32_t> tokens = targets.part(s);
    if (!tokens.empty() && tokens.back() == end()) tokens = tokens.first(tokens.size() - 1);
    std::copy(tokens.begin(), tokens.end(), ids.begin() + static_cast<Index>(count));
    lengths[static_cast<std::size_t>(s)] = std::ssize(tokens);
    count += tokens.size();
  }
  return grad::ctc(context, (*ctc_)(context, x), {ids.first(count), lengths},
                   {.blank = end(),
                    .divisor = static_cast<float>(batch.whole_weight),
                    .impossible = grad::Impossible::kZero});
}

std::vector<std::vector<decode::Hypothesis>> SequenceNetwork::ctc_search(Context& context,
                                                                         const Sequences& x,
                                                                         Index beam,
                                                                         Index best) const {
  const Tensor all = (*ctc_)(context, x).rows.value;  // (rows, entries + 1)
  std::vector<std::vector<decode::Hypothesis>> found;
  for (Index s = 0; s < x.layout.count(); ++s) {
    const Tensor rows{all.row(x.layout.begin(s)), {x.layout.length(s), all.columns()}};
    found.push_back(
        decode::ctc_search(rows, {.blank = end(), .never = 0, .beam = beam, .best = best}));
  }
  return found;
}

decode::Hypotheses SequenceNetwork::search(Context& context, const Sequences& x, const Batch& batch,
                                           Index top, const TokenWritten& written) const {
  const SequenceSearch& options = options_.search;
  const Index best = std::max<Index>(1, top);
  if (!decodes()) {
    const Index beam = top == kQuickly ? 1 : std::max(options.beam, best);
    decode::Hypotheses found = ctc_search(context, x, beam, best);
    if (written) tell(found, written);
    return found;
  }
  decode::Hypotheses heard;
  if (ctc_) heard = ctc_search(context, x, 1, 1);
  const auto silent = [&heard](Index s) {
    return !heard.empty() && heard[static_cast<std::size_t>(s)].front().tokens.empty();
  };
  TokenWritten heard_token;
  if (written) {
    heard_token = [&](Index s, std::int32_t token) {
      if (!silent(s)) written(s, token);
    };
  }
  const decode::SearchOptions asked{
      .begin = end(), .end = end(), .never = 0, .longest = longest(x.layout), .prompts = {}};
  grad::CopySource source;
  if (copy_key_) source = copied(context, x, batch);
  decode::DecoderSteps steps(
      context, *decoder_, x,
      {.embed = [this](Context& step, std::span<const std::int32_t> tokens, const Layout& layout,
                       const Layout& seen) { return embed(step, tokens, layout, seen); },
       .score =
           [&](Context& step, const Sequences& last, std::span<const Index> sources) {
             if (!copy_key_) return logits(step, last.rows).value;
             grad::CopySource of_rows = source;
             of_rows.of_query = sources;
             return logits(step, last, of_rows).value;  // (sequences, entries + 1)
           }});
  decode::Hypotheses found =
      search_for(steps, options, {.asked = asked, .top = top, .written = heard_token});
  for (std::size_t s = 0; s < found.size(); ++s) {
    if (silent(static_cast<Index>(s))) found[s] = heard[s];
  }
  return found;
}

std::vector<Index> SequenceNetwork::longest(const Layout& layout) const {
  const SequenceSearch& search = options_.search;
  const Index positions = most_positions(options_);
  const Index longest = positions > 0 ? std::min(search.longest, positions) : search.longest;
  std::vector<Index> most;
  for (Index s = 0; s < layout.count(); ++s) {
    const Index of_input =
        kMoreTokens + static_cast<Index>(search.ratio * static_cast<float>(layout.length(s)));
    most.push_back(search.ratio > 0.0f ? std::min(longest, of_input) : longest);
  }
  return most;
}

std::vector<Prediction> SequenceNetwork::predict(Context& context, const Sequences& x,
                                                 const Batch& batch, const WideScores&,
                                                 Index top) const {
  return write(context, x, batch, top, {});
}

std::vector<Prediction> SequenceNetwork::write(Context& context, const Sequences& x,
                                               const Batch& batch, Index top,
                                               const TokenWritten& written) const {
  decode::Hypotheses found = search(context, x, batch, top, written);
  const bool traces = context.trace != nullptr && decodes();
  std::vector<Prediction> predictions(found.size());
  std::vector<std::int32_t> targets;
  std::vector<Index> lengths;
  for (std::size_t s = 0; s < found.size(); ++s) {
    if (traces) {
      const std::vector<std::int32_t>& best = found[s].front().tokens;
      targets.insert(targets.end(), best.begin(), best.end());
      targets.push_back(end());
      lengths.push_back(std::ssize(best) + 1);
    }
    for (decode::Hypothesis& one : found[s]) {
      predictions[s].written.push_back({std::move(one.tokens), one.score});
    }
  }
  if (traces) decode(context, x, targets, lengths);
  return predictions;
}

void SequenceNetwork::describe(Plan& plan) const {
  const Index rows = plan.rows(), width = width_, entries = entries_;
  if (ctc_) {
    plan.add("CTC", {rows, entries},
             {"ctc", ctc_->flops(rows),
              decodes() ? fmt::format("{} of the loss; finds silence", options_.ctc)
                        : std::string("a token or none for each row")});
  }
  if (!decodes()) return;
  plan.add("target tokens", {rows, width},
           {.scope = "words",
            .note = fmt::format("{}, a vector for each of {}; a target as long as the source",
                                name_of(options_.tokenizer.kind), with_commas(entries))});
  const nn::DecoderOptions& decoder = options_.decoder;
  plan.add("decoder", {rows, width},
           {"decoder", decoder_->flops(rows, rows),
            fmt::format("{} layer{}: {} heads, causal{}; attention to the source; feed-forward {}",
                        decoder.layers, decoder.layers == 1 ? "" : "s", decoder.attention.heads,
                        decoder.attention.position == nn::Position::kRotary ? ", rotary" : "",
                        decoder.feed_forward.hidden)});
  plan.add(
      "next token", {rows, entries},
      {.flops = nn::product_flops(rows, entries, width), .note = "scored by the same vectors"});
  if (copy_key_) {
    plan.add("copies", {rows, entries},
             {"copy", 2 * copy_key_->flops(rows) + nn::product_flops(rows, rows, width),
              "+ the places of the source that have the token"});
  }
}

void SequenceNetwork::describe_answer(Plan& plan) const {
  plan.add("answer", {plan.rows()},
           {.note = options_.search.temperature > 0.0f
                        ? fmt::format("drawn at temperature {}", options_.search.temperature)
                        : fmt::format("beam search, {} hypotheses", options_.search.beam)});
}

}  // namespace heed
