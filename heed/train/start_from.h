#pragma once

#include <string>

#include "heed/model/model.h"
#include "heed/model/safetensors.h"

namespace heed {

// Weights to begin with, from a model that was trained before. Where they come from is a list of
// tensors with names, so that those of other programs can be read here too, once their names are
// given as heed's.
//
// Every tensor that the model has must be there in its shape, or be a row for each class: rows of
// classes that both have are taken by the names of the classes, and a class that is new begins as
// in a new model. Anything else is a UsageError that names the tensor and both shapes.
struct StartingWeights {
  const SafetensorsFile& file;
  const Config& config;  // of the model that the file belongs to
};
struct StartedFrom {
  Index tensors = 0;      // taken as they are
  Index new_classes = 0;  // that the other model did not have
  bool wide = false;      // the wide part was taken too: its classes are the same
};
StartedFrom start_from(Model& model, const StartingWeights& from);

}  // namespace heed
