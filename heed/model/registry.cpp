#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heed/base/error.h"
#include "heed/model/body/attention.h"
#include "heed/model/body/bag.h"
#include "heed/model/body/cnn.h"
#include "heed/model/body/conformer.h"
#include "heed/model/body/recurrent.h"
#include "heed/model/body/window.h"
#include "heed/model/input/audio.h"
#include "heed/model/input/image.h"
#include "heed/model/input/text.h"
#include "heed/model/output/label.h"
#include "heed/model/output/labels.h"
#include "heed/model/output/next_token.h"
#include "heed/model/output/sequence.h"
#include "heed/model/output/tags.h"
#include "heed/model/wide/linear_crf.h"
#include "heed/model/wide/none.h"
#include "heed/model/wide/tfidf.h"

namespace heed {
namespace {

template <class Axis, class Concrete>
std::unique_ptr<Axis> make() {
  return std::make_unique<Concrete>();
}

template <nn::RecurrentKind kind>
std::unique_ptr<Body> make_recurrent() {
  return std::make_unique<RecurrentBody>(kind);
}

// Every choice there is, a line each.

void add_choices(Registry<Input>& inputs) {
  inputs.add("text", make<Input, TextInput>);
  inputs.add("audio", make<Input, AudioInput>);
  inputs.add("image", make<Input, ImageInput>);
}

void add_choices(Registry<Body>& bodies) {
  bodies.add("attention", make<Body, AttentionBody>);
  bodies.add("conformer", make<Body, ConformerBody>);
  bodies.add("cnn", make<Body, CnnBody>);
  bodies.add("lstm", make_recurrent<nn::RecurrentKind::kLstm>);
  bodies.add("gru", make_recurrent<nn::RecurrentKind::kGru>);
  bodies.add("rnn", make_recurrent<nn::RecurrentKind::kRnn>);
  bodies.add("window", make<Body, WindowBody>);
  bodies.add("bag", make<Body, BagBody>);
}

void add_choices(Registry<Output>& outputs) {
  outputs.add("label", make<Output, LabelOutput>);
  outputs.add("labels", make<Output, LabelsOutput>);
  outputs.add("tags", make<Output, TagsOutput>);
  outputs.add("sequence", make<Output, SequenceOutput>);
  outputs.add("next_token", make<Output, NextTokenOutput>);
}

void add_choices(Registry<Wide>& wides) {
  wides.add("none", make<Wide, NoWide>);
  wides.add("tfidf", make<Wide, TfidfWide>);
  wides.add("linear_crf", make<Wide, LinearCrfWide>);
}

}  // namespace

template <class Axis>
Registry<Axis>& Registry<Axis>::instance() {
  static Registry registry = [] {
    Registry first;
    add_choices(first);
    return first;
  }();
  return registry;
}

template <class Axis>
std::unique_ptr<Axis> Registry<Axis>::make(const std::string& name) const {
  for (const auto& [known, maker] : choices_) {
    if (known == name) return maker();
  }
  throw UsageError(fmt::format("{}: expected one of {}", name, fmt::join(names(), ", ")));
}

template <class Axis>
std::vector<std::string> Registry<Axis>::names() const {
  std::vector<std::string> names;
  for (const auto& choice : choices_) names.push_back(choice.first);
  return names;
}

template class Registry<Input>;
template class Registry<Body>;
template class Registry<Output>;
template class Registry<Wide>;

}  // namespace heed
