#include "heed/data/audio/resampler.h"

#include "heed/base/error.h"

namespace heed {

Resampler::Resampler(double from, double to) : ratio_(to / from) {
  soxr_error_t error = nullptr;
  const soxr_io_spec_t io = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I);
  const soxr_quality_spec_t quality = soxr_quality_spec(SOXR_HQ, 0);
  const soxr_runtime_spec_t runtime = soxr_runtime_spec(1);
  state_.reset(soxr_create(from, to, 1, &error, &io, &quality, &runtime));
  if (state_ == nullptr) fail<UsageError>("resample", "from {} to {}: {}", from, to, error);
}

std::span<const float> Resampler::operator()(std::span<const float> block) {
  std::size_t used = 0, made = 0;
  // At the end it gives what it still has, piece by piece.
  const std::size_t room =
      static_cast<std::size_t>(static_cast<double>(block.size()) * ratio_) + 4096;
  out_.resize(room);
  for (;;) {
    std::size_t taken = 0, given = 0;
    const soxr_error_t error =
        soxr_process(state_.get(), block.empty() ? nullptr : block.data() + used,
                     block.size() - used, &taken, out_.data() + made, out_.size() - made, &given);
    if (error != nullptr) fail<FormatError>("resample", "{}", error);
    used += taken;
    made += given;
    if (made < out_.size() && used == block.size()) break;
    out_.resize(2 * out_.size());
  }
  return std::span<const float>(out_).first(made);
}

}  // namespace heed
