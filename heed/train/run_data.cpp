#include "heed/train/run_data.h"

#include <fmt/format.h>

#include "heed/base/display.h"
#include "heed/base/error.h"
#include "heed/data/inspect.h"

namespace heed {

void tell_what_deceives(const Dataset& all, const Dataset& dev, const Notes& note) {
  const Inspection found = inspect(all);
  const std::vector<std::string> sentences = warnings(found, all);
  if (found.one_class_each()) {
    throw FormatError(fmt::format("{}: {}", all[0].place.text(), sentences.front()));
  }
  for (const std::string& sentence : sentences) note(sentence);
  const Index shared = shared_contents(all, dev);
  if (shared == 0) return;
  note(fmt::format(
      "{} of {} dev examples are also in the training data: the score says nothing of new ones",
      with_commas(shared), with_commas(dev.size())));
}

void fit_parts(Config& config, const Dataset& train) {
  config.input->fit(train);
  config.output->share(config.input->shared_tokenizer());
  config.output->learn(train);
}

void check_lengths(const Config& config, const Dataset& data, const Examples& examples) {
  for (Index i = 0; i < config.ensemble.size; ++i) {
    const Index longest = config.body_of(i)->longest();
    for (Index example = 0; longest > 0 && example < examples.count(); ++example) {
      if (examples.length(example) <= longest) continue;
      throw UsageError(fmt::format(
          "{}: {} rows, and the body {} reads at most {}; let the input give fewer (text: "
          "input.truncation), or the body read in segments (attention: body.segment)",
          data[example].place.text(), with_commas(examples.length(example)),
          config.body_of(i).kind(), with_commas(longest)));
    }
  }
}

}  // namespace heed
