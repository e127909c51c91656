#include "heed/model/output/sequence.h"
#include "heed/train/defaults.h"
#include "heed/train/defaults/audio.h"

namespace heed {
namespace {

void start_audio_sequence(const Config& said, Config& config) {
  start_audio(said, config);
  AudioOptions& audio = config.input.as<AudioInput>()->options();
  audio.segment = 0;  // what is said belongs to all of a recording
  config.width = 128;
  if (auto* body = config.body.as<AttentionBody>()) {
    // The decoder reads a recording from its beginning to its end: rows must know where they stand.
    body->options().position.kind = nn::Position::kSinusoidal;
    body->options().encoder.attention.position = nn::Position::kRotary;
    body->options().encoder.layers = 3;
  }
  SequenceOptions& output = config.output.as<SequenceOutput>()->options();
  output.tokenizer = {.kind = TokenizerOptions::Kind::kCharacter,
                      .vocabulary = 1000,
                      .lowercase = false,
                      .normalization = UnicodeForm::kNfc};
  output.measure = SequenceMeasure::kWordErrors;
  output.ctc = 0.3f;
  output.decoder.attention.dropout = 0.1f;
  output.decoder.layers = 1;
}

void train_audio_sequence(TrainingOptions& options) {
  options.rate = 2e-3f;
  options.warmup = 0.1f;
  options.adamw.beta2 = 0.98f;
}

}  // namespace

const PairDefaults kAudioSequence = {"audio", "sequence", "attention", start_audio_sequence,
                                     {10.0},  nullptr,    nullptr,     train_audio_sequence};

}  // namespace heed
