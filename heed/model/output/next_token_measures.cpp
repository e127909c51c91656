#include "heed/model/output/next_token_measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/base/display.h"
#include "heed/eval/error_rate.h"

namespace heed {
namespace {

Index words_of(std::string_view text) {
  Index count = 0;
  bool inside = false;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    count += !space && !inside;
    inside = !space;
  }
  return count;
}

Index characters_of(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

}  // namespace

void NextTokenMeasures::add(const Answer& truth, const Prediction& prediction) {
  const auto* sequence = std::get_if<Sequence>(&truth);
  if (sequence == nullptr || prediction.tokens == 0) return;
  std::vector<std::int32_t> tokens;
  tokenizer_->encode(sequence->text, tokens);
  Counts counts{-prediction.log_probability, prediction.tokens, 0, 0};
  std::string text = sequence->text;
  if (std::ssize(tokens) >= prediction.tokens) {  // of a long text only the beginning was read
    tokens.resize(static_cast<std::size_t>(prediction.tokens));
    text = tokenizer_->decode(tokens);
  } else {
    counts.words = counts.characters = 1;
  }
  counts.words += words_of(text);
  counts.characters += characters_of(text);
  texts_.push_back(counts);
}

NextTokenMeasures::Counts NextTokenMeasures::sum() const {
  Counts all;
  for (const Counts& text : texts_) {
    all.loss += text.loss;
    all.tokens += text.tokens;
    all.words += text.words;
    all.characters += text.characters;
  }
  return all;
}

double NextTokenMeasures::score() const {
  const Counts all = sum();
  if (all.words == 0) return 0.0;
  return 1.0 / perplexity(all.loss, static_cast<double>(all.words));
}

Measure NextTokenMeasures::per_word() const {
  if (texts_.empty()) return {};
  const std::vector<Index> counts(texts_.size(), 1);
  const auto scores = [&](std::span<const Index> drawn, std::span<double> result) {
    double loss = 0.0, words = 0.0;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      loss += static_cast<double>(drawn[i]) * texts_[i].loss;
      words += static_cast<double>(drawn[i] * texts_[i].words);
    }
    result[0] = perplexity(loss, words);
  };
  return bootstrap(counts, 1, scores, {}).front();
}

std::string NextTokenMeasures::report() const {
  const Counts all = sum();
  const Measure measure = per_word();
  return fmt::format(
      "{} texts, {} words, {} tokens, the ends of texts counted\n"
      "perplexity per word   {:.2f}  (95 % interval {:.2f} to {:.2f})\n"
      "perplexity per token  {:.2f}\n"
      "bits per character    {:.3f}\n",
      with_commas(std::ssize(texts_)), with_commas(all.words), with_commas(all.tokens),
      measure.value, measure.interval.low, measure.interval.high,
      perplexity(all.loss, static_cast<double>(all.tokens)),
      all.loss / std::log(2.0) / static_cast<double>(std::max<Index>(1, all.characters)));
}

void NextTokenMeasures::write(const JsonPlace& place) const {
  const Counts all = sum();
  const Measure measure = per_word();
  place["texts"].set(static_cast<std::int64_t>(texts_.size()));
  place["words"].set(static_cast<std::int64_t>(all.words));
  place["tokens"].set(static_cast<std::int64_t>(all.tokens));
  const JsonPlace word = place["perplexity"];
  word["value"].set(measure.value);
  word["interval"].append().set(measure.interval.low);
  word["interval"].append().set(measure.interval.high);
  place["perplexity_per_token"].set(perplexity(all.loss, static_cast<double>(all.tokens)));
  place["bits_per_character"].set(all.loss / std::log(2.0) /
                                  static_cast<double>(std::max<Index>(1, all.characters)));
}

}  // namespace heed
