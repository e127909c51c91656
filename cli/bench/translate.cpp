#include "cli/bench/translate.h"

#include <array>

#include "cli/bench/parts.h"
#include "heed/grad/loss.h"
#include "heed/nn/decoder.h"
#include "heed/nn/embedding.h"
#include "heed/nn/position.h"
#include "heed/train/step.h"

namespace heed::cli {
namespace {

constexpr Index kSubwords = 8000, kWidth = 256, kHeads = 8, kHidden = 512, kLayers = 3;

// Subwords of source and target of real pairs, as bench/lengths.py took them from Multi30k.
constexpr std::array<Index, 128> kPairLengths = {
#include "bench/translate_lengths.txt"
};

std::vector<Index> every_second(std::size_t first) {
  std::vector<Index> lengths;
  for (std::size_t i = first; i < kPairLengths.size(); i += 2) lengths.push_back(kPairLengths[i]);
  return lengths;
}

nn::DecoderOptions decoder_options() {
  const nn::EncoderOptions like = encoder_options(kWidth, kHeads, kHidden, kLayers);
  nn::DecoderOptions options;
  options.attention = like.attention;
  options.feed_forward = like.feed_forward;
  options.dropout = like.dropout;
  options.layers = like.layers;
  return options;
}

class TranslateWorkload : public Workload {
 public:
  TranslateWorkload()
      : source_lengths_(every_second(0)),
        target_lengths_(every_second(1)),
        source_(Scope(parameters_) / "source", kSubwords, kWidth),
        target_(Scope(parameters_) / "target", kSubwords, kWidth),
        positions_(Scope(parameters_) / "positions", {nn::Position::kSinusoidal, kWidth, 256}),
        encoder_(Scope(parameters_) / "encoder", encoder_options(kWidth, kHeads, kHidden, kLayers)),
        decoder_(Scope(parameters_) / "decoder", decoder_options()),
        last_(Scope(parameters_) / "last", kWidth, kSubwords),
        source_ids_(random_ids(sum(source_lengths_), kSubwords, 1)),
        target_ids_(random_ids(sum(target_lengths_), kSubwords, 2)),
        answers_(random_ids(sum(target_lengths_), kSubwords, 3)) {}

  void deal_to(int workers) override {
    std::vector<Index> both;
    for (std::size_t i = 0; i < source_lengths_.size(); ++i) {
      both.push_back(source_lengths_[i] + 2 * target_lengths_[i]);  // a target row costs more
    }
    const std::vector<Index> bounds = deal(both, workers);
    source_parts_ = parts_of(source_lengths_, bounds);
    target_parts_ = parts_of(target_lengths_, bounds);
  }

  Var loss(Context& context, int worker) const override {
    const Part& from = source_parts_[static_cast<std::size_t>(worker)];
    const Part& to = target_parts_[static_cast<std::size_t>(worker)];
    if (from.sequences == 0) return {};
    const auto embed = [&](const nn::Embedding& words, const std::vector<std::int32_t>& ids,
                           const std::vector<Index>& lengths, const Part& part) {
      const Layout layout =
          Layout::of(context.arena(), slice(lengths, part.first_sequence, part.sequences),
                     part.first_sequence);
      return positions_(context, words(context, slice(ids, part.first_row, part.rows), layout));
    };
    const Sequences memory = encoder_(context, embed(source_, source_ids_, source_lengths_, from));
    const Sequences decoded =
        decoder_(context, embed(target_, target_ids_, target_lengths_, to), memory);
    return grad::cross_entropy(context, last_(context, decoded.rows),
                               slice(answers_, to.first_row, to.rows),
                               {.divisor = static_cast<float>(answers_.size())});
  }

  Index tokens() const override { return sum(source_lengths_) + sum(target_lengths_); }

  double forward_flops() const override {
    double flops = encoder_.flops(source_lengths_) + last_.flops(sum(target_lengths_));
    for (std::size_t i = 0; i < source_lengths_.size(); ++i) {
      flops += decoder_.flops(target_lengths_[i], source_lengths_[i]);
    }
    return flops;
  }

 private:
  std::vector<Index> source_lengths_, target_lengths_;
  nn::Embedding source_, target_;
  nn::Positions positions_;
  nn::Encoder encoder_;
  nn::Decoder decoder_;
  nn::Linear last_;
  std::vector<std::int32_t> source_ids_, target_ids_, answers_;
  std::vector<Part> source_parts_, target_parts_;
};

}  // namespace

std::unique_ptr<Workload> make_translate_workload() {
  return std::make_unique<TranslateWorkload>();
}

}  // namespace heed::cli
