#include "heed/train/text_score.h"

#include <functional>
#include <numeric>

namespace heed {

std::vector<Example> text_examples(const TextData& data, const TextExamples& prepare) {
  std::vector<Example> examples;
  for (std::size_t i = 0; i < data.places.size(); ++i) {
    examples.push_back(data.kind == OutputKind::kLabel
                           ? prepare.labelled(data.texts[i], data.labels[i])
                           : prepare.tagged(data.words[i], data.tags[i]));
  }
  return examples;
}

LabelAnswers label_answers(const TextData& data, const TextExamples& prepare,
                           std::span<const Prediction> predictions) {
  LabelAnswers answers;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    answers.truth.push_back(prepare.answer(data.labels[i]));
    answers.predicted.push_back(predictions[i].answers.front().front().index);
  }
  return answers;
}

TagAnswers tag_answers(const TextData& data, const TextExamples& prepare,
                       std::span<const Prediction> predictions) {
  TagAnswers answers;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    std::vector<std::int32_t>& truth = answers.truth.emplace_back();
    for (const std::string& tag : data.tags[i]) truth.push_back(prepare.answer(tag));
    std::vector<std::int32_t>& predicted = answers.predicted.emplace_back();
    for (const auto& best : predictions[i].answers) predicted.push_back(best.front().index);
    predicted.resize(truth.size(), kNoAnswer);
  }
  return answers;
}

double score_text(const TextData& data, const TextExamples& prepare,
                  std::span<const Prediction> predictions) {
  if (data.kind == OutputKind::kTags) {
    const TagAnswers answers = tag_answers(data, prepare, predictions);
    const Tagging tagging =
        score_tags(TagScheme(prepare.names()), answers.truth, answers.predicted, {.resamples = 0});
    return tagging.has_spans ? tagging.micro_f1.value : tagging.token_accuracy.value;
  }
  const LabelAnswers answers = label_answers(data, prepare, predictions);
  const auto right = std::transform_reduce(
      answers.truth.begin(), answers.truth.end(), answers.predicted.begin(), Index{0},
      std::plus<>(), [](std::int32_t truth, std::int32_t said) { return Index{truth == said}; });
  return static_cast<double>(right) / static_cast<double>(answers.truth.size());
}

}  // namespace heed
