#pragma once

#include <string>

#include "heed/model/config.h"
#include "heed/model/options.h"

// A model's config by name: config.json, and the same names on the command line.
namespace heed {

template <>
struct Names<InputKind> {
  static constexpr Name<InputKind> kTable[] = {{InputKind::kText, "text"}};
};
template <>
struct Names<BodyKind> {
  static constexpr Name<BodyKind> kTable[] = {{BodyKind::kAttention, "attention"},
                                              {BodyKind::kBag, "bag"},
                                              {BodyKind::kWindow, "window"},
                                              {BodyKind::kRecurrent, "recurrent"}};
};
template <>
struct Names<OutputKind> {
  static constexpr Name<OutputKind> kTable[] = {{OutputKind::kLabel, "label"},
                                                {OutputKind::kTags, "tags"}};
};
template <>
struct Names<nn::Pool> {
  static constexpr Name<nn::Pool> kTable[] = {
      {nn::Pool::kMean, "mean"},       {nn::Pool::kSum, "sum"},
      {nn::Pool::kMax, "max"},         {nn::Pool::kFirst, "first"},
      {nn::Pool::kLast, "last"},       {nn::Pool::kAttention, "attention"},
      {nn::Pool::kMeanMax, "mean-max"}};
};
template <>
struct Names<ClueKind> {
  static constexpr Name<ClueKind> kTable[] = {
      {ClueKind::kNone, "none"}, {ClueKind::kWords, "words"}, {ClueKind::kLetters, "letters"}};
};
template <>
struct Names<Beyond> {
  static constexpr Name<Beyond> kTable[] = {{Beyond::kCut, "cut"}, {Beyond::kSegments, "segments"}};
};
template <>
struct Names<nn::RecurrentKind> {
  static constexpr Name<nn::RecurrentKind> kTable[] = {{nn::RecurrentKind::kRnn, "rnn"},
                                                       {nn::RecurrentKind::kLstm, "lstm"},
                                                       {nn::RecurrentKind::kGru, "gru"}};
};
template <>
struct Names<TokenizerOptions::Kind> {
  static constexpr Name<TokenizerOptions::Kind> kTable[] = {
      {TokenizerOptions::Kind::kWord, "word"},
      {TokenizerOptions::Kind::kCharacter, "character"},
      {TokenizerOptions::Kind::kBpe, "bpe"},
      {TokenizerOptions::Kind::kUnigram, "unigram"}};
};
template <>
struct Names<Normalization> {
  static constexpr Name<Normalization> kTable[] = {
      {Normalization::kNone, "none"}, {Normalization::kNfc, "nfc"}, {Normalization::kNfkc, "nfkc"}};
};

template <class Archive>
void describe(Archive& archive, Config& config);

std::string config_text(const Config& config);
// Reading is strict: a wrong or unknown key is a FormatError that names it, what was expected and
// the nearest right one. `file` is for messages.
Config parse_config(const std::string& text, const std::string& file);

// One option by its path, as JSON that has nothing else: "body.encoder.layers", "4" →
// {"body": {"encoder": {"layers": 4}}}. What is not a number, true, false, null or a list is text.
std::string option_json(const std::string& path, const std::string& value);

}  // namespace heed
