#include "heed/model/output.h"

#include <fmt/format.h>

#include "heed/base/display.h"
#include "heed/grad/linear.h"

namespace heed {

Var OutputNetwork::add(Context& context, const Var& scores, const Var& wide) {
  return wide.value.data == nullptr ? scores : grad::add(context, scores, wide);
}

std::string Output::summary() const { return fmt::format("{} classes", with_commas(classes())); }

std::vector<std::string> Output::column_names(Index) const { return {"predicted"}; }

std::vector<KeptCell> Output::cells(const Record& record, const Prediction& prediction,
                                    Index) const {
  const JsonText text;
  write_answer(text.root(), record, prediction);
  return {{text.line(), false}};
}

}  // namespace heed
