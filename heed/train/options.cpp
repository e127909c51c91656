#include "heed/train/options.h"

#include <fmt/format.h>

namespace heed {

template <class Archive>
void describe(Archive& archive, AdamWOptions& options) {
  archive.field("beta1", options.beta1, part_of_one());
  archive.field("beta2", options.beta2, part_of_one());
  archive.field("epsilon", options.epsilon, above(0));
  archive.field("decay", options.decay, at_least(0));
  archive.field("table_rate", options.table_rate, at_least(0));
}

template <class Archive>
void describe(Archive& archive, SgdOptions& options) {
  archive.field("momentum", options.momentum, part_of_one());
  archive.field("decay", options.decay, at_least(0));
  archive.field("nesterov", options.nesterov);
}

template <class Archive>
void describe(Archive& archive, ScheduleOptions& options) {
  archive.field("kind", options.kind);
  archive.field("rate", options.rate, above(0));
  archive.field("floor", options.floor, at_least(0));
  archive.field("warmup", options.warmup, at_least(0));
  archive.field("steps", options.steps, at_least(1));
  archive.check("warmup", options.warmup <= options.steps,
                fmt::format("at most the {} steps of the whole run", options.steps));
}

template <class Archive>
void describe(Archive& archive, StepOptions& options) {
  archive.field("seed", options.seed);
  archive.field("clip", options.clip, at_least(0));
}

template void describe(JsonReader&, AdamWOptions&);
template void describe(JsonWriter&, AdamWOptions&);
template void describe(JsonReader&, SgdOptions&);
template void describe(JsonWriter&, SgdOptions&);
template void describe(JsonReader&, ScheduleOptions&);
template void describe(JsonWriter&, ScheduleOptions&);
template void describe(JsonReader&, StepOptions&);
template void describe(JsonWriter&, StepOptions&);

}  // namespace heed
