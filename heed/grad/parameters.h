#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/buffer.h"
#include "heed/base/random.h"
#include "heed/tensor/tensor.h"

namespace heed {

// How a parameter begins.
struct Init {
  enum class Kind { kConstant, kUniform, kNormal } kind = Kind::kConstant;
  float value = 0.0f;  // the constant, the bound ±value, or the standard deviation

  static Init constant(float value) { return {Kind::kConstant, value}; }
  static Init uniform(float bound) { return {Kind::kUniform, bound}; }
  static Init normal(float deviation) { return {Kind::kNormal, deviation}; }
};

// What the optimizer does with a parameter.
struct ParameterRule {
  bool decay = true;    // weight decay applies (not to biases, norms and the like)
  bool frozen = false;  // it stays as it is: no gradient, no update, no place in flat buffers
  bool sparse = false;  // only the rows that a step touched have a gradient (embeddings)
};

// A named tensor that training changes. Owned by Parameters; its address does not change.
struct Parameter {
  std::string name;  // "layers.0.attention.q.weight"
  Tensor value;
  ParameterRule rule;
  Index number = 0;  // its place among all parameters
  Index offset = 0;  // where its numbers begin in a flat buffer of all that learn; −1 if frozen
};

class Scope;

// All parameters of a model, in the order in which its layers were built. Layers hold pointers into
// it, so it outlives them and does not move.
class Parameters {
 public:
  // When parameters get their first values. Later is for models that may turn out to be too large,
  // or whose values come from elsewhere: until then memory is only reserved, not used.
  enum class Values { kAtOnce, kLater };

  explicit Parameters(std::uint64_t seed = 1, Values values = Values::kAtOnce)
      : seed_(seed), values_(values) {}
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  const Parameter& add(const std::string& name, const Shape& shape, Init init,
                       ParameterRule rule = {});

  // Several parameters of one shape, one after another in memory, so that they can also be used as
  // one (the projections to queries, keys and values: one product in place of three).
  // Returns the first; the others follow it.
  const Parameter& add_stack(const std::vector<std::string>& names, const Shape& shape, Init init,
                             ParameterRule rule = {});

  // Gives first values to those that have none yet.
  void fill();
  // What a parameter's first values are drawn with: by the seed and its name.
  std::uint64_t key(const Parameter& parameter) const;

  Index count() const { return static_cast<Index>(parameters_.size()); }
  const Parameter& operator[](Index number) const {
    return parameters_[static_cast<std::size_t>(number)];
  }
  const Parameter* find(std::string_view name) const;
  auto begin() const { return parameters_.begin(); }
  auto end() const { return parameters_.end(); }

  // Numbers in all parameters together.
  Index size() const;
  // The length of a flat buffer that has a place for each number that is not frozen (aligned, so a
  // little more).
  Index flat_size() const { return flat_size_; }

 private:
  float* reserve(Index numbers);

  std::uint64_t seed_;
  Values values_;
  std::deque<Parameter> parameters_;
  std::vector<Init> waiting_;  // of the last parameters, those without values
  std::vector<Buffer> blocks_;
  std::size_t used_ = 0;  // bytes of the last block
  Index flat_size_ = 0;
};

// Where a layer puts its parameters: Parameters and a prefix for their names.
//
//   Linear prenet(scope / "prenet", 40, 80);    →  prenet.weight, prenet.bias
class Scope {
 public:
  Scope(Parameters& parameters, std::string prefix = "")  // NOLINT: converts on purpose
      : parameters_(&parameters), prefix_(std::move(prefix)) {}

  Scope operator/(std::string_view name) const { return {*parameters_, path(name)}; }
  Scope operator/(Index number) const { return *this / std::to_string(number); }
  std::string path(std::string_view name) const {
    return prefix_.empty() ? std::string(name) : prefix_ + "." + std::string(name);
  }
  Parameters& parameters() const { return *parameters_; }
  const Parameter& add(std::string_view name, const Shape& shape, Init init,
                       ParameterRule rule = {}) const {
    return parameters_->add(path(name), shape, init, rule);
  }

 private:
  Parameters* parameters_;
  std::string prefix_;
};

}  // namespace heed
