#pragma once

#include <string>
#include <vector>

#include "heed/model/body.h"
#include "heed/model/input.h"
#include "heed/model/output.h"
#include "heed/model/wide.h"

namespace heed {

// Several networks that differ in their first weights, and perhaps in their bodies, learn side by
// side and answer with the mean of their probabilities.
struct EnsembleOptions {
  Index size = 1;
  std::vector<Choice<Body>> bodies;  // of the networks after the first; empty: the same
};

// Everything needed to rebuild a model: config.json in its folder. Three independent choices, what
// stands beside them, and how large it all is.
struct Config {
  Choice<Input> input{"text"};
  Choice<Body> body{"attention"};
  Choice<Output> output{"label"};
  Choice<Wide> wide{"none"};
  Index width = 128;  // of the vectors
  EnsembleOptions ensemble{};
  KnownColumns columns{};  // of the files that it was trained on
  std::uint64_t seed = 1;

  // Of network `i` of the ensemble.
  const Choice<Body>& body_of(Index i) const {
    return i == 0 || ensemble.bodies.empty() ? body
                                             : ensemble.bodies[static_cast<std::size_t>(i - 1)];
  }
};

template <class Archive>
void describe(Archive& archive, Config& config);

std::string config_text(const Config& config);
// Reading is strict: a wrong or unknown key is a FormatError that names it, what was expected and
// the nearest right one. `file` is for messages.
Config parse_config(const std::string& text, const std::string& file);

// One option by its path, as JSON that has nothing else: "body.layers", "4" → {"body": {"layers":
// 4}}. What is not a number, true, false, null or a list is text.
std::string option_json(const std::string& path, const std::string& value);

// Width, layers and the like by name: tiny, small, base. An unknown name is a UsageError.
void apply_preset(const std::string& name, Config& config);
SizePreset size_preset(const std::string& name);

}  // namespace heed
