#pragma once

#include <string>

#include "heed/train/options.h"
#include "heed/train/run.h"

namespace heed {

template <>
struct Names<ContentKind> {
  static constexpr Name<ContentKind> kTable[] = {{ContentKind::kUnknown, "unknown"},
                                                 {ContentKind::kText, "text"},
                                                 {ContentKind::kAudio, "audio"},
                                                 {ContentKind::kImage, "image"}};
};
template <>
struct Names<AnswerKind> {
  static constexpr Name<AnswerKind> kTable[] = {{AnswerKind::kLabel, "label"},
                                                {AnswerKind::kLabels, "labels"},
                                                {AnswerKind::kTags, "tags"},
                                                {AnswerKind::kSequence, "sequence"},
                                                {AnswerKind::kItself, "itself"}};
};

template <class Archive>
void describe(Archive& archive, TrainingOptions& options);

// A run as JSON: checkpoint/run.json while it goes, training.json when it is done. With a checksum:
// a run that was changed since is a FormatError.
std::string run_text(const RunOptions& options, std::uint64_t fingerprint);
RunOptions parse_run(const std::string& text, const std::string& file, std::uint64_t& fingerprint);

// metrics.json: how good the model was on what is held out, and what one has without a network.
std::string metrics_text(const RunResult& result);

// Where the program runs; empty where that has no name that can be written.
std::string current_directory();

}  // namespace heed
