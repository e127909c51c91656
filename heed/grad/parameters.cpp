#include "heed/grad/parameters.h"

#include <algorithm>
#include <functional>

namespace heed {
namespace {

constexpr Index kAlignedNumbers = kAlignment / sizeof(float);

// Drawn by name, so that a layer begins the same whatever was built before it.
std::uint64_t key_of(std::uint64_t seed, std::string_view name) {
  std::uint64_t key = mix(seed);
  for (const char letter : name) key = mix(key, static_cast<unsigned char>(letter));
  return key;
}

void draw(const Tensor& tensor, Init init, Random random) {
  for (float& value : tensor.span()) {
    switch (init.kind) {
      case Init::Kind::kConstant:
        value = init.value;
        break;
      case Init::Kind::kUniform:
        value = (2.0f * random.uniform() - 1.0f) * init.value;
        break;
      case Init::Kind::kNormal:
        value = random.normal() * init.value;
        break;
    }
  }
}

}  // namespace

const Parameter& Parameters::add(const std::string& name, const Shape& shape, Init init,
                                 ParameterRule rule) {
  return add_stack({name}, shape, init, rule);
}

const Parameter& Parameters::add_stack(const std::vector<std::string>& names, const Shape& shape,
                                       Init init, ParameterRule rule) {
  const Index each = shape.count();
  const auto total = each * static_cast<Index>(names.size());
  const double gigabytes = 1e-9 * static_cast<double>(size() + total) * sizeof(float);
  const double machine = 1e-9 * static_cast<double>(machine_memory());
  if (gigabytes > machine) {
    fail<UsageError>("parameters",
                     "with {} {} the model needs {:.1f} GB of memory, and this machine has {:.1f} "
                     "GB; make it smaller",
                     names.front(), shape.text(), gigabytes, machine);
  }
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (find(*name) != nullptr || std::find(names.begin(), name, *name) != name) {
      fail<UsageError>("parameters", "two parameters have the name {}", *name);
    }
  }
  float* values = reserve(total);
  const Index first = count();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Index skip = each * static_cast<Index>(i);
    parameters_.push_back({.name = names[i],
                           .value = {values + skip, shape},
                           .rule = rule,
                           .number = count(),
                           .offset = rule.frozen ? -1 : flat_size_ + skip});
    waiting_.push_back(init);
  }
  if (values_ == Values::kAtOnce) fill();
  if (!rule.frozen) {
    flat_size_ += (total + kAlignedNumbers - 1) / kAlignedNumbers * kAlignedNumbers;
  }
  return (*this)[first];
}

std::uint64_t Parameters::key(const Parameter& parameter) const {
  return key_of(seed_, parameter.name);
}

void Parameters::fill() {
  std::size_t next = parameters_.size() - waiting_.size();
  for (const Init& init : waiting_) {
    const Parameter& parameter = parameters_[next++];
    draw(parameter.value, init, Random(key(parameter)));
  }
  waiting_.clear();
}

const Parameter* Parameters::find(std::string_view name) const {
  const auto found =
      std::find_if(parameters_.begin(), parameters_.end(),
                   [&](const Parameter& parameter) { return parameter.name == name; });
  return found == parameters_.end() ? nullptr : &*found;
}

Index Parameters::size() const {
  Index total = 0;
  for (const Parameter& parameter : parameters_) total += parameter.value.count();
  return total;
}

float* Parameters::reserve(Index numbers) {
  const std::size_t bytes = round_up(static_cast<std::size_t>(numbers) * sizeof(float), kAlignment);
  if (blocks_.empty() || used_ + bytes > blocks_.back().bytes()) {
    blocks_.emplace_back(std::max(bytes, std::size_t{1} << 20));
    used_ = 0;
  }
  float* result = blocks_.back().floats() + used_ / sizeof(float);
  used_ += bytes;
  return result;
}

}  // namespace heed
