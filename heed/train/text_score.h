#pragma once

#include <span>
#include <vector>

#include "heed/eval/spans.h"
#include "heed/model/parts.h"
#include "heed/model/text_examples.h"
#include "heed/train/text_data.h"

namespace heed {

// The examples of a file as a model takes them.
std::vector<Example> text_examples(const TextData& data, const TextExamples& prepare);

// Right answers beside those of a model, for each text or for each word of each sentence.
struct LabelAnswers {
  std::vector<std::int32_t> truth, predicted;
};
struct TagAnswers {
  std::vector<std::vector<std::int32_t>> truth, predicted;
};
LabelAnswers label_answers(const TextData& data, const TextExamples& prepare,
                           std::span<const Prediction> predictions);
// Words that the model does not read are not right.
TagAnswers tag_answers(const TextData& data, const TextExamples& prepare,
                       std::span<const Prediction> predictions);

// One number: the accuracy of labels or tags; F1 of spans where the tags are of that kind.
double score_text(const TextData& data, const TextExamples& prepare,
                  std::span<const Prediction> predictions);

}  // namespace heed
