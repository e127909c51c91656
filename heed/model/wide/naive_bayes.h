#pragma once

#include "heed/model/wide/labelled_features.h"
#include "heed/tensor/tensor.h"

namespace heed {

// Complement naive Bayes (Rennie et al. 2003) on weighted features: a feature speaks for a class as
// it is missing in all the others,
//   score(class) = log(all features of the other classes / this one's in them),
// less the mean over the classes. It is at its best where texts are few and their words many.
// `scores` (features, classes) gets what each feature of value 1 says about each class.
void learn_naive_bayes(const LabelledFeatures& texts, const Tensor& scores);

}  // namespace heed
