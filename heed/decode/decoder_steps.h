#pragma once

#include <functional>

#include "heed/decode/steps.h"
#include "heed/nn/decoder.h"

namespace heed::decode {

// A decoder, token by token, over the vectors of its sources, which lie in another context.
//
// Keys and values are kept, those of the sources once, and weights that are used again and again
// are laid out for that. Each step begins a context of its own anew: everything else that a step
// makes is gone with the next, so that memory stays flat.
class DecoderSteps : public Steps {
 public:
  // What stands around the decoder.
  struct Ends {
    // Tokens (rows) → (rows, width). `seen` has all rows of the sequences so far, of which those of
    // `layout` are the last.
    std::function<Sequences(Context&, std::span<const std::int32_t>, const Layout& layout,
                            const Layout& seen)>
        embed;
    // The last rows of some open sequences, (some, width) → logits (some, vocabulary). `sources`
    // has the number of the source of each.
    std::function<Tensor(Context&, const Sequences& last, std::span<const Index> sources)> score;
  };

  // Decoder and memory, which lies in `context`, must outlive it.
  DecoderSteps(Context& context, const nn::Decoder& decoder, const Sequences& memory, Ends ends);

  void next(std::span<const std::int32_t> tokens, std::span<const Index> counts,
            const Take& take) override;
  void keep(std::span<const Index> sequences) override;

 private:
  const nn::Decoder& decoder_;
  Sequences memory_;
  Ends ends_;
  Context& context_;  // of the steps
  nn::DecoderCache cache_;
  std::vector<Index> sources_;  // of each open sequence
};

}  // namespace heed::decode
