#pragma once

#include <string>

#include "heed/data/dataset.h"
#include "heed/model/config.h"
#include "heed/train/baseline.h"
#include "heed/train/trainer.h"

namespace heed {

// What a user gets who says nothing: for each pair of an input and an output that heed knows well a
// file in defaults/, and for any other pair the parts' own defaults.
struct PairDefaults {
  const char* input;
  const char* output;
  const char* body;  // that suits them
  // Before anything is read. `said` is what the user chose, for defaults that depend on it.
  void (*start)(const Config& said, Config& config);
  ReadingPace reads;  // by what texts of that amount are read for a label
  // What one would have without a network. May be null.
  MakeBaseline baseline;
  // Fills in the epochs and the rows of a batch where they are 0. Null: by `reads`.
  void (*pace)(const Examples& train, TrainingOptions& training) = nullptr;
  // How such models are trained, where it differs from TrainingOptions. May be null.
  void (*training)(TrainingOptions& options) = nullptr;
  // The width for so many examples, where the user says nothing of the size. Null: as in start().
  Index (*width)(Index examples) = nullptr;
};

// Text → label: train/defaults/text_label.cpp; text → tags: text_tags.cpp; and so on.
extern const PairDefaults kTextLabel, kTextLabels, kTextTags, kTextSequence, kTextNextToken,
    kAudioLabel, kAudioLabels, kAudioTags, kAudioSequence, kImageLabel, kImageLabels, kImageTags;

// The config to begin with, for the kinds of input, body and output that `said` has.
Config default_config(const Config& said);
// The same where only the data and the output are known, with the body that suits the two.
Config default_config(const std::string& output, ContentKind content = ContentKind::kText);
// Of the pair that a config has; nothing where it has none, or where it would take too long.
std::optional<Baseline> baseline_of(const Config& config, const BaselineData& data, double seconds,
                                    int workers);
// The width that such models have with so many examples to learn from.
Index default_width(const Config& config, Index examples);
// How such models read data where the user leaves that to it.
ReadingPace default_pace(const Config& config);
// Fills in what the user left to the data: the times through it, and the rows of a batch.
void settle_training(const Config& config, const Examples& train, TrainingOptions& training);
// Sets how models of the pair that a config has are trained, before anything the user says.
void start_training(const Config& config, TrainingOptions& options);

}  // namespace heed
