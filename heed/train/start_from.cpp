#include "heed/train/start_from.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "heed/base/error.h"

namespace heed {
namespace {

bool same_shape(const Tensor& value, const StoredTensor& tensor) {
  if (std::ssize(tensor.shape) != value.shape.rank()) return false;
  for (int i = 0; i < value.shape.rank(); ++i) {
    if (tensor.shape[static_cast<std::size_t>(i)] != value.shape[i]) return false;
  }
  return true;
}

// The class of the old model that each class of the new one is; −1: none.
std::vector<Index> class_rows(const Output& now, const Output& before) {
  std::map<std::string, Index> known;
  for (Index i = 0; i < before.classes(); ++i) {
    known[before.name_of(static_cast<std::int32_t>(i))] = i;
  }
  std::vector<Index> rows;
  for (Index i = 0; i < now.classes(); ++i) {
    const auto place = known.find(now.name_of(static_cast<std::int32_t>(i)));
    rows.push_back(place == known.end() ? -1 : place->second);
  }
  return rows;
}

// Whether a tensor of the output has a row (and perhaps a column) for each class, in both models.
bool has_class_rows(const Parameter& parameter, const StoredTensor& tensor, Index now,
                    Index before) {
  const auto [network, name] = in_network(parameter.name);
  return name.starts_with("output.") && !tensor.shape.empty() && tensor.shape[0] == before &&
         parameter.value.shape[0] == now &&
         std::ssize(tensor.shape) == parameter.value.shape.rank();
}

// Rows by the names of their classes; where columns are classes too (a CRF's), those as well.
void copy_class_rows(const Parameter& parameter, const StoredTensor& tensor,
                     const std::vector<Index>& rows, Index before) {
  const Index width = parameter.value.shape.rank() == 1 ? 1 : parameter.value.columns();
  const Index old_width = tensor.count() / before;
  std::vector<float> values(static_cast<std::size_t>(tensor.count()));
  copy_floats(tensor, values.data());
  const bool square = width == std::ssize(rows) && old_width == before && width > 1;
  if (!square && width != old_width) {
    throw UsageError(
        fmt::format("--from: {} is {} there and {} here; --from takes a model as it is",
                    parameter.name, tensor.shape_text(), parameter.value.shape.text()));
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows[row] < 0) continue;
    for (Index column = 0; column < width; ++column) {
      const Index from = square ? rows[static_cast<std::size_t>(column)] : column;
      if (from < 0) continue;
      parameter.value.data[static_cast<Index>(row) * width + column] =
          values[static_cast<std::size_t>(rows[row] * old_width + from)];
    }
  }
}

}  // namespace

StartedFrom start_from(Model& model, const StartingWeights& from) {
  StartedFrom result;
  const Output& now = *model.config().output;
  const Output& before = *from.config.output;
  const std::vector<Index> rows = class_rows(now, before);
  result.new_classes = std::count(rows.begin(), rows.end(), -1);
  const bool same = result.new_classes == 0 && now.classes() == before.classes();
  result.wide = same && model.config().wide->present();
  for (const Parameter& parameter : model.parameters()) {
    if (parameter.name.starts_with("wide.") && !same) continue;  // learned anew
    const StoredTensor* tensor = from.file.find(parameter.name);
    if (tensor == nullptr) {
      throw UsageError(fmt::format("--from: {} has no {}; --from takes a model as it is",
                                   from.file.path(), parameter.name));
    }
    if (!same && has_class_rows(parameter, *tensor, now.classes(), before.classes())) {
      copy_class_rows(parameter, *tensor, rows, before.classes());
    } else if (same_shape(parameter.value, *tensor)) {
      copy_floats(*tensor, parameter.value.data);
    } else {
      throw UsageError(
          fmt::format("--from: {} is {} there and {} here; --from takes a model as it is",
                      parameter.name, tensor->shape_text(), parameter.value.shape.text()));
    }
    ++result.tensors;
  }
  return result;
}

}  // namespace heed
