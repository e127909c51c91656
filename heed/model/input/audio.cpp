#include "heed/model/input/audio.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "heed/base/display.h"
#include "heed/base/error.h"
#include "heed/base/workers.h"
#include "heed/data/audio/audio_reader.h"
#include "heed/data/audio/feature_cache.h"
#include "heed/model/input/audio_augment.h"
#include "heed/model/input/audio_network.h"

namespace heed {
namespace {

constexpr float kLeastDeviation = 0.1f;  // of a band; one that is always silent has none
constexpr Index kChunk = 64;             // recordings that a worker takes at a time

// Runs job(begin, end) over all records, a chunk at a time, by all cores.
template <typename Job>
void each_chunk(Index count, const Job& job) {
  std::atomic<Index> next = 0;
  Workers workers(Workers::available());
  workers.run([&](int) {
    for (Index begin = next.fetch_add(kChunk); begin < count; begin = next.fetch_add(kChunk)) {
      job(begin, std::min(begin + kChunk, count));
    }
  });
}

// Takes a recording's own mean off each band.
void center(std::vector<float>& frames, Index bands) {
  const Index count = std::ssize(frames) / bands;
  for (Index band = 0; band < bands; ++band) {
    double sum = 0.0;
    for (Index i = 0; i < count; ++i)
      sum += static_cast<double>(frames[static_cast<std::size_t>(i * bands + band)]);
    const auto mean = static_cast<float>(sum / static_cast<double>(count));
    for (Index i = 0; i < count; ++i) frames[static_cast<std::size_t>(i * bands + band)] -= mean;
  }
}

}  // namespace

void AudioInput::check(const Record& record) const {
  const auto& recording = std::get<Recording>(record.content);
  AudioReader reader(recording);
  const double most = options_.truncation > 0
                          ? static_cast<double>(options_.truncation) * options_.hop
                          : static_cast<double>(kMostFrames) * options_.hop;
  double samples = 0.0;
  for (auto block = reader.read(); !block.empty(); block = reader.read()) {
    samples += static_cast<double>(block.size());
    if (samples > most * reader.rate()) break;
  }
  if (samples == 0.0) throw FormatError(*recording.file + ": has no samples");
}

void AudioInput::align(Record& record) const {
  const auto* spans = std::get_if<Spans>(&record.answer);
  if (spans == nullptr || !reads(record.content)) return;
  AudioReader reader(std::get<Recording>(record.content));
  double seconds = reader.seconds();
  if (seconds == 0.0) {
    seconds = static_cast<double>(reader.read_all(kMostFrames * 1000).size()) / reader.rate();
  }
  const double row = row_seconds();
  const auto rows = rows_of(1 + static_cast<Index>(seconds / options_.settings().hop_seconds()));
  Tags tags;
  tags.names.assign(static_cast<std::size_t>(rows), kNoSpan);
  for (const Span& span : spans->spans) {
    const auto at = [&](double time) {
      return std::clamp<Index>(std::llround(time / row), 0, rows);
    };
    std::fill(tags.names.begin() + at(span.begin), tags.names.begin() + at(span.end), span.name);
  }
  record.answer = std::move(tags);
}

std::vector<float> AudioInput::features(const Recording& recording) const {
  const LogMelSettings settings = options_.settings();
  const Index most = options_.truncation > 0 ? options_.truncation : kMostFrames + 1;
  std::vector<float> frames =
      options_.cache ? FeatureCache::instance().features(recording, settings, most, keeps_)
                     : log_mel(recording, settings, most);
  if (options_.truncation == 0 && std::ssize(frames) > kMostFrames * options_.bands) {
    throw FormatError(fmt::format(
        "{}: longer than {} frames ({:.1f} hours); choose parts of it with the columns start and "
        "end of a table, or read its beginning with input.truncation",
        *recording.file, with_commas(kMostFrames),
        static_cast<double>(kMostFrames) * settings.hop_seconds() / 3600.0));
  }
  if (options_.norm == AudioNorm::kRecording) center(frames, options_.bands);
  return frames;
}

void AudioInput::fit_rate(const Dataset& train) {
  constexpr double kTelephone = 8000.0, kSpeech = 16000.0;
  if (options_.rate > 0.0) return;
  std::atomic<bool> faster = false;
  each_chunk(train.size(), [&](Index begin, Index end) {
    for (Index i = begin; i < end && !faster; ++i) {
      if (AudioReader(std::get<Recording>(train[i].content)).rate() > kTelephone) faster = true;
    }
  });
  options_.rate = faster ? kSpeech : kTelephone;
}

// Sums of each chunk, added in their order: the same whoever computes them.
void AudioInput::fit_norm(const Dataset& train) {
  const auto bands = static_cast<std::size_t>(options_.bands);
  struct Sums {
    std::vector<double> sum, square;
    double count = 0.0;
  };
  std::vector<Sums> chunks(static_cast<std::size_t>((train.size() + kChunk - 1) / kChunk));
  each_chunk(train.size(), [&](Index begin, Index end) {
    Sums& sums = chunks[static_cast<std::size_t>(begin / kChunk)];
    sums.sum.resize(bands);
    sums.square.resize(bands);
    for (Index i = begin; i < end; ++i) {
      const std::vector<float> frames = features(std::get<Recording>(train[i].content));
      for (std::size_t k = 0; k < frames.size(); ++k) {
        const auto value = static_cast<double>(frames[k]);
        sums.sum[k % bands] += value;
        sums.square[k % bands] += value * value;
      }
      sums.count += static_cast<double>(frames.size() / bands);
    }
  });
  options_.mean.clear();
  options_.deviation.clear();
  for (std::size_t band = 0; band < bands; ++band) {
    double sum = 0.0, square = 0.0, count = 0.0;
    for (const Sums& sums : chunks) {
      sum += sums.sum[band];
      square += sums.square[band];
      count += sums.count;
    }
    const double mean = sum / count;
    const double variance = std::max(0.0, square / count - mean * mean);
    options_.mean.push_back(static_cast<float>(mean));
    options_.deviation.push_back(
        std::max(kLeastDeviation, static_cast<float>(std::sqrt(variance))));
  }
}

void AudioInput::fit(const Dataset& train) {
  keeps_ = true;
  fit_rate(train);
  fit_norm(train);
  if (options_.norm != AudioNorm::kNone) return;
  std::fill(options_.mean.begin(), options_.mean.end(), 0.0f);
  std::fill(options_.deviation.begin(), options_.deviation.end(), 1.0f);
}

void AudioInput::prepare(const Content& content, Batch& batch) const {
  const std::vector<float> frames = features(std::get<Recording>(content));
  const auto bands = static_cast<std::size_t>(options_.bands);
  Ragged<float>& column = batch.input.numbers(0);
  std::vector<float>& values = column.buffer();
  for (std::size_t i = 0; i < frames.size(); ++i) {
    values.push_back((frames[i] - options_.mean[i % bands]) / options_.deviation[i % bands]);
  }
  const Index rows = rows_of(static_cast<Index>(frames.size() / bands));
  while (column.open() < rows * options_.stride * options_.bands) column.push(0.0f);
  column.close();
  batch.lengths.push_back(rows);
}

Index AudioInput::varied_length(Index rows) const {
  return options_.segment == 0 ? rows : std::min(rows, rows_of(options_.segment));
}

Input::Rows AudioInput::vary(Batch& batch, Random& random) const {
  Ragged<float>& column = batch.input.numbers(0);
  Rows kept{0, batch.lengths.back()};
  const Index row = options_.stride * options_.bands;  // numbers
  if (options_.augment.speed > 0.0f) {
    change_speed(options_.augment.speed, options_, random, column);
    kept.count = batch.lengths.back() = column.lengths().back() / row;
  }
  const Index count = varied_length(kept.count);
  if (count < kept.count) {
    kept.first = random.below(static_cast<std::uint32_t>(kept.count - count + 1));
    kept.count = batch.lengths.back() = count;
    column.keep(kept.first * row, count * row);
  }
  change_gain(options_, random, column.last());
  mask(options_, random, column.last());
  return kept;
}

// The frames that both have; those behind a shorter one stay as they are.
void AudioInput::mix(Batch& batch, const Batch& other, float share) const {
  const std::span<float> to = batch.input.numbers(0).last();
  const std::span<const float> from = other.input.numbers(0).part(other.sequences() - 1);
  for (std::size_t i = 0; i < std::min(to.size(), from.size()); ++i) {
    to[i] += share * (from[i] - to[i]);
  }
}

double AudioInput::row_seconds() const {
  return options_.settings().hop_seconds() * static_cast<double>(options_.stride);
}

std::string AudioInput::summary() const {
  return fmt::format("{} mel bands at {} Hz", options_.bands,
                     with_commas(static_cast<Index>(options_.settings().rate)));
}

std::string AudioInput::row_problem() const {
  if (options_.augment.speed == 0.0f) return {};
  return fmt::format("augment.speed {}: spans of time are learned at their own speed, expected 0",
                     options_.augment.speed);
}

std::unique_ptr<InputNetwork> AudioInput::network(const Scope& scope, Index width) const {
  return std::make_unique<AudioNetwork>(scope, options_, width);
}

}  // namespace heed
