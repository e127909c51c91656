#include "heed/train/defaults.h"

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr const PairDefaults* kPairs[] = {
    &kTextLabel,   &kTextLabels, &kTextTags,      &kTextSequence, &kTextNextToken, &kAudioLabel,
    &kAudioLabels, &kAudioTags,  &kAudioSequence, &kImageLabel,   &kImageLabels,   &kImageTags};

const PairDefaults* find_pair(const Config& config) {
  for (const PairDefaults* pair : kPairs) {
    if (config.input.kind() == pair->input && config.output.kind() == pair->output) return pair;
  }
  return nullptr;
}

// The first one that reads such content.
Choice<Input> input_for(ContentKind content) {
  for (const std::string& name : Registry<Input>::instance().names()) {
    Choice<Input> input(name);
    if (input->content() == content) return input;
  }
  throw UsageError("there is no input for data of this kind");
}

}  // namespace

Config default_config(const Config& said) {
  Config config;
  config.input = Choice<Input>(said.input.kind());
  config.body = Choice<Body>(said.body.kind());
  config.output = Choice<Output>(said.output.kind());
  apply_preset("small", config);
  if (const PairDefaults* pair = find_pair(config)) pair->start(said, config);
  return config;
}

Config default_config(const std::string& output, ContentKind content) {
  Config said;
  said.input = input_for(content);
  said.output = Choice<Output>(output);
  if (const PairDefaults* pair = find_pair(said)) said.body = Choice<Body>(pair->body);
  return default_config(said);
}

std::optional<Baseline> baseline_of(const Config& config, const BaselineData& data, double seconds,
                                    int workers) {
  const PairDefaults* pair = find_pair(config);
  if (pair == nullptr || pair->baseline == nullptr) return {};
  return pair->baseline(data, seconds, workers);
}

Index default_width(const Config& config, Index examples) {
  const PairDefaults* pair = find_pair(config);
  return pair != nullptr && pair->width != nullptr ? pair->width(examples) : config.width;
}

ReadingPace default_pace(const Config& config) {
  const PairDefaults* pair = find_pair(config);
  return pair == nullptr ? ReadingPace() : pair->reads;
}

void settle_training(const Config& config, const Examples& train, TrainingOptions& training) {
  const PairDefaults* pair = find_pair(config);
  if (pair != nullptr && pair->pace != nullptr) pair->pace(train, training);
  settle_by_examples(training, train, *config.input, default_pace(config));
}

void start_training(const Config& config, TrainingOptions& options) {
  const PairDefaults* pair = find_pair(config);
  if (pair != nullptr && pair->training != nullptr) pair->training(options);
}

}  // namespace heed
