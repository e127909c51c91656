#pragma once

#include "heed/data/text/tokenizer.h"
#include "heed/model/json_options.h"
#include "heed/nn/decoder.h"
#include "heed/nn/pooling.h"

// The engine's options by name, in config.json and on the command line.
namespace heed {

// Sizes that no model has: what is beyond them is a slip of the pen, and is called that before
// anybody tries to find the memory for it.
inline constexpr double kMostWidth = 65536;
inline constexpr double kMostLayers = 1000;
inline constexpr double kMostRows = 1e6;     // of a sequence
inline constexpr double kMostEntries = 1e8;  // of a table

template <>
struct Names<TokenizerOptions::Kind> {
  static constexpr Name<TokenizerOptions::Kind> kTable[] = {
      {TokenizerOptions::Kind::kWord, "word"},
      {TokenizerOptions::Kind::kCharacter, "character"},
      {TokenizerOptions::Kind::kBpe, "bpe"},
      {TokenizerOptions::Kind::kUnigram, "unigram"}};
};

template <>
struct Names<UnicodeForm> {
  static constexpr Name<UnicodeForm> kTable[] = {
      {UnicodeForm::kNone, "none"}, {UnicodeForm::kNfc, "nfc"}, {UnicodeForm::kNfkc, "nfkc"}};
};

template <>
struct Names<nn::Score> {
  static constexpr Name<nn::Score> kTable[] = {
      {nn::Score::kScaledDot, "scaled-dot"}, {nn::Score::kDot, "dot"},
      {nn::Score::kAdditive, "additive"},    {nn::Score::kBilinear, "bilinear"},
      {nn::Score::kCosine, "cosine"},        {nn::Score::kLocation, "location"}};
};

template <>
struct Names<nn::Position> {
  static constexpr Name<nn::Position> kTable[] = {{nn::Position::kNone, "none"},
                                                  {nn::Position::kSinusoidal, "sinusoidal"},
                                                  {nn::Position::kTriangular, "triangular"},
                                                  {nn::Position::kLearned, "learned"},
                                                  {nn::Position::kRotary, "rotary"},
                                                  {nn::Position::kAlibi, "alibi"},
                                                  {nn::Position::kRelative, "relative"}};
};

template <>
struct Names<nn::HeadJoin> {
  static constexpr Name<nn::HeadJoin> kTable[] = {{nn::HeadJoin::kConcatenate, "concatenate"},
                                                  {nn::HeadJoin::kAverage, "average"}};
};

template <>
struct Names<nn::Linear::Bias> {
  static constexpr Name<nn::Linear::Bias> kTable[] = {{nn::Linear::Bias::kNone, "none"},
                                                      {nn::Linear::Bias::kLearned, "learned"}};
};

template <>
struct Names<nn::NormOrder> {
  static constexpr Name<nn::NormOrder> kTable[] = {{nn::NormOrder::kPre, "pre"},
                                                   {nn::NormOrder::kPost, "post"}};
};

template <>
struct Names<kernel::Norm> {
  static constexpr Name<kernel::Norm> kTable[] = {{kernel::Norm::kLayer, "layer"},
                                                  {kernel::Norm::kRms, "rms"}};
};

template <>
struct Names<kernel::Activation> {
  static constexpr Name<kernel::Activation> kTable[] = {
      {kernel::Activation::kNone, "none"}, {kernel::Activation::kRelu, "relu"},
      {kernel::Activation::kGelu, "gelu"}, {kernel::Activation::kSilu, "silu"},
      {kernel::Activation::kTanh, "tanh"}, {kernel::Activation::kSigmoid, "sigmoid"}};
};

template <>
struct Names<nn::PoolingKind> {
  static constexpr Name<nn::PoolingKind> kTable[] = {
      {nn::PoolingKind::kMean, "mean"},       {nn::PoolingKind::kSum, "sum"},
      {nn::PoolingKind::kMax, "max"},         {nn::PoolingKind::kFirst, "first"},
      {nn::PoolingKind::kLast, "last"},       {nn::PoolingKind::kAttention, "attention"},
      {nn::PoolingKind::kMeanMax, "mean-max"}};
};

// For JsonReader and JsonWriter. A width of 0 is one that the model fills in.
template <class Archive>
void describe(Archive& archive, nn::Mask& mask);
template <class Archive>
void describe(Archive& archive, nn::Temperature& temperature);
template <class Archive>
void describe(Archive& archive, nn::AttentionOptions& options);
template <class Archive>
void describe(Archive& archive, nn::FeedForwardOptions& options);
template <class Archive>
void describe(Archive& archive, nn::PositionOptions& options);
template <class Archive>
void describe(Archive& archive, nn::NeighbourOptions& options);
// feed_forward has no width of its own here: it is that of attention.
template <class Archive>
void describe(Archive& archive, nn::EncoderOptions& options);
// The same of a decoder, whose attention to the memory is as that to itself.
template <class Archive>
void describe(Archive& archive, nn::DecoderOptions& options);
template <class Archive>
void describe(Archive& archive, TokenizerOptions& options);

}  // namespace heed
