#include "heed/model/options.h"

#include "fuzz/fuzz.h"

namespace heed {

std::span<const std::string_view> fuzz::seeds() {
  static constexpr std::string_view kSeeds[] = {
      R"({"layers": 2, "order": "pre", "norm": "rms", "epsilon": 1e-6, "dropout": 0.1})",
      R"({"attention": {"width": 8, "heads": 2, "score": "cosine", "position": "alibi"}})",
      R"({"attention": {"temperature": {"value": 0.5, "learned": true}, "join": "average"}})",
      R"({"attention": {"mask": {"causal": true, "before": 16, "after": null}, "bias": "none"}})",
      R"({"feed_forward": {"hidden": 32, "activation": "silu", "gated": true, "dropout": 0}})"};
  return kSeeds;
}

}  // namespace heed

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return heed::fuzz::run(data, size, [](const std::string& text) {
    heed::nn::EncoderOptions options, again;
    heed::from_json(text, "input", options);
    const std::string written = heed::to_json(options);
    heed::from_json(written, "input", again);
    heed::fuzz::require(heed::to_json(again) == written, "what is written is read back");
  });
}
