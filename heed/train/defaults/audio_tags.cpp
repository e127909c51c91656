#include "heed/train/defaults.h"
#include "heed/train/defaults/audio.h"

namespace heed {
namespace {

void start_audio_tags(const Config& said, Config& config) {
  start_audio(said, config);
  AudioOptions& audio = config.input.as<AudioInput>()->options();
  audio.truncation = 0;  // no time without a tag
  audio.segment = 1024;  // what is tagged may be far apart
  if (auto* body = config.body.as<AttentionBody>()) body->options().segment = 512;
}

}  // namespace

const PairDefaults kAudioTags = {"audio", "tags", "attention", start_audio_tags, {10.0}, nullptr};

}  // namespace heed
