#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "heed/grad/context.h"

namespace heed::test {

// A file of tests/golden: what PyTorch computed. tests/golden/write.py says what is in it.
class Golden {
 public:
  // The name without folder and ending. A file that is not there or not whole is an Error.
  explicit Golden(const std::string& name);

  // From the metadata: "heads", "width", … and as text "order", "torch".
  const std::string& text(const std::string& setting) const;
  double number(const std::string& setting) const;
  Index size(const std::string& setting) const { return static_cast<Index>(number(setting)); }

  const Shape& shape(const std::string& name) const;
  std::span<const float> floats(const std::string& name) const;
  std::span<const std::int32_t> integers(const std::string& name) const;
  // Of the sequences of input `name`.
  std::vector<Index> lengths(const std::string& name) const;

  // input.NAME as a batch whose gradient is wanted.
  Sequences sequences(Context& context, const std::string& name) const;
  Tensor tensor(Context& context, const std::string& name) const;

  // Gives every parameter the file's value. A parameter that only one side has is an Error.
  void load(const Parameters& parameters) const;
  // Every gradient must agree to `relative` of the largest numbers. Where a file follows training,
  // `step` says which ones.
  void expect_gradients(Gradients& gradients, double relative, Index step = 0) const;
  void expect_input_gradient(Context& context, const std::string& name, const Var& x,
                             double relative) const;

  // Runs a layer with the file's parameters on the inputs named, and compares output.y and every
  // gradient.
  using Layer = std::function<Sequences(Context&, std::span<const Sequences>)>;
  void expect_layer(const Parameters& parameters, const std::vector<std::string>& inputs,
                    double relative, const Layer& layer) const;

 private:
  struct Entry {
    Shape shape;
    std::vector<float> floats;
    std::vector<std::int32_t> integers;
  };
  const Entry& entry(const std::string& name) const;

  std::string file_;
  std::map<std::string, Entry> entries_;
  std::map<std::string, std::string> settings_;
};

// A parameter's gradient as a whole, zeros where a sparse one has no rows.
std::vector<float> whole_gradient(Gradients& gradients, const Parameter& parameter);

}  // namespace heed::test
