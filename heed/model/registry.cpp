#include "heed/model/body/attention.h"
#include "heed/model/body/bag.h"
#include "heed/model/body/recurrent.h"
#include "heed/model/body/window.h"
#include "heed/model/input/text.h"
#include "heed/model/output/label.h"
#include "heed/model/output/tags.h"
#include "heed/model/parts.h"

namespace heed {

std::unique_ptr<Input> make_input(const Config& config, const Scope& scope) {
  switch (config.input) {
    case InputKind::kText:
      return std::make_unique<TextInput>(scope, config);
  }
  fail<UsageError>("model", "unknown input");
}

std::unique_ptr<Body> make_body(const Config& config, const Scope& scope) {
  switch (config.body.kind) {
    case BodyKind::kAttention:
      return std::make_unique<AttentionBody>(scope, config);
    case BodyKind::kBag:
      return std::make_unique<BagBody>();
    case BodyKind::kWindow:
      return std::make_unique<WindowBody>(scope, config);
    case BodyKind::kRecurrent:
      return std::make_unique<RecurrentBody>(scope, config);
  }
  fail<UsageError>("model", "unknown body");
}

std::unique_ptr<Output> make_output(const Config& config, const Scope& scope,
                                    const Scope& counted) {
  switch (config.output.kind) {
    case OutputKind::kLabel:
      return std::make_unique<LabelOutput>(scope, counted, config);
    case OutputKind::kTags:
      return std::make_unique<TagsOutput>(scope, config);
  }
  fail<UsageError>("model", "unknown output");
}

}  // namespace heed
