#include "tests/support/golden.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/support/compare.h"

namespace heed::test {
namespace {

Shape shape_of(const std::vector<Index>& sizes) {
  switch (sizes.size()) {
    case 0:
      return {};
    case 1:
      return {sizes[0]};
    case 2:
      return {sizes[0], sizes[1]};
    case 3:
      return {sizes[0], sizes[1], sizes[2]};
    case 4:
      return {sizes[0], sizes[1], sizes[2], sizes[3]};
    default:
      fail<FormatError>("golden", "expected at most 4 sizes, got {}", sizes.size());
  }
}

template <typename T>
std::vector<T> numbers(std::span<const char> bytes) {
  std::vector<T> result(bytes.size() / sizeof(T));
  std::memcpy(result.data(), bytes.data(), result.size() * sizeof(T));
  return result;
}

float largest_magnitude(std::span<const float> values) {
  float largest = 0.0f;
  for (const float value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

}  // namespace

// 8 bytes: the length of the header, little-endian. The header: JSON. Then the data.
Golden::Golden(const std::string& name) : file_(name + ".safetensors") {
  std::ifstream stream(std::string(HEED_SOURCE_DIR) + "/tests/golden/" + file_, std::ios::binary);
  if (!stream) fail<IoError>("golden", "{} is not there; tests/golden/write.py writes it", file_);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
  std::uint64_t length = 0;
  if (bytes.size() < sizeof(length)) fail<FormatError>("golden", "{} has no header", file_);
  std::memcpy(&length, bytes.data(), sizeof(length));
  if (length > bytes.size() - sizeof(length)) {
    fail<FormatError>("golden", "the header of {} is cut off", file_);
  }
  const char* header = bytes.data() + sizeof(length);
  const std::span<const char> data(header + length, bytes.data() + bytes.size());
  const auto json = nlohmann::json::parse(header, header + length);
  for (const auto& [key, value] : json.items()) {
    if (key == "__metadata__") {
      settings_ = value.get<std::map<std::string, std::string>>();
      continue;
    }
    Entry entry{shape_of(value.at("shape").get<std::vector<Index>>()), {}, {}};
    const auto begin = value.at("data_offsets").at(0).get<std::size_t>();
    const auto end = value.at("data_offsets").at(1).get<std::size_t>();
    // Both kinds of number that occur have four bytes.
    if (end > data.size() || begin > end ||
        end - begin != 4 * static_cast<std::size_t>(entry.shape.count())) {
      fail<FormatError>("golden", "{}: {} does not fit its shape {}", file_, key,
                        entry.shape.text());
    }
    const auto part = data.subspan(begin, end - begin);
    const auto kind = value.at("dtype").get<std::string>();
    if (kind == "F32") {
      entry.floats = numbers<float>(part);
    } else if (kind == "I32") {
      entry.integers = numbers<std::int32_t>(part);
    } else {
      fail<FormatError>("golden", "{}: {} is {}, expected F32 or I32", file_, key, kind);
    }
    entries_.emplace(key, std::move(entry));
  }
}

const Golden::Entry& Golden::entry(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) fail<FormatError>("golden", "{} has no {}", file_, name);
  return found->second;
}

const std::string& Golden::text(const std::string& setting) const {
  const auto found = settings_.find(setting);
  if (found == settings_.end()) fail<FormatError>("golden", "{} has no {}", file_, setting);
  return found->second;
}

double Golden::number(const std::string& setting) const { return std::stod(text(setting)); }

const Shape& Golden::shape(const std::string& name) const { return entry(name).shape; }

std::span<const float> Golden::floats(const std::string& name) const { return entry(name).floats; }

std::span<const std::int32_t> Golden::integers(const std::string& name) const {
  return entry(name).integers;
}

std::vector<Index> Golden::lengths(const std::string& name) const {
  const auto found = integers(name + ".lengths");
  return {found.begin(), found.end()};
}

Tensor Golden::tensor(Context& context, const std::string& name) const {
  const Tensor result = context.arena().tensor(shape(name));
  std::copy(floats(name).begin(), floats(name).end(), result.data);
  return result;
}

Sequences Golden::sequences(Context& context, const std::string& name) const {
  return {context.tape().variable(tensor(context, "input." + name)),
          Layout::of(context.arena(), lengths("input." + name))};
}

void Golden::load(const Parameters& parameters) const {
  Index known = 0;
  for (const auto& [name, unused] : entries_) known += name.starts_with("parameter.") ? 1 : 0;
  if (known != parameters.count()) {
    fail<FormatError>("golden", "{} has {} parameters, the model {}", file_, known,
                      parameters.count());
  }
  for (const Parameter& parameter : parameters) {
    const std::string name = "parameter." + parameter.name;
    if (shape(name) != parameter.value.shape) {
      fail<FormatError>("golden", "{}: {} is {}, the model's is {}", file_, name,
                        shape(name).text(), parameter.value.shape.text());
    }
    std::copy(floats(name).begin(), floats(name).end(), parameter.value.data);
  }
}

void Golden::expect_gradients(Gradients& gradients, double relative, Index step) const {
  const auto expected = [&](const Parameter& parameter) {
    const Index count = parameter.value.count();
    return floats("gradient." + parameter.name)
        .subspan(static_cast<std::size_t>(step * count), static_cast<std::size_t>(count));
  };
  // Some gradients are exactly zero in theory (of a bias that all keys share) and are made of
  // numbers as large as those of the others.
  float largest = 0.0f;
  for (const Parameter& parameter : gradients.parameters()) {
    largest = std::max(largest, largest_magnitude(expected(parameter)));
  }
  for (const Parameter& parameter : gradients.parameters()) {
    expect_close("gradient." + parameter.name, whole_gradient(gradients, parameter),
                 expected(parameter), relative, 0.1 * static_cast<double>(largest));
  }
}

void Golden::expect_input_gradient(Context& context, const std::string& name, const Var& x,
                                   double relative) const {
  expect_close(name, context.tape().gradient(x).span(), floats("gradient.input." + name), relative);
}

void Golden::expect_layer(const Parameters& parameters, const std::vector<std::string>& inputs,
                          double relative, const Layer& layer) const {
  load(parameters);
  Gradients gradients(parameters);
  Context context;
  context.begin(Mode::kTrain, &gradients);
  std::vector<Sequences> x;
  for (const std::string& name : inputs) x.push_back(sequences(context, name));
  const Sequences y = layer(context, x);
  expect_close("output", y.rows.value.span(), floats("output.y"), relative);
  context.tape().backward(y.rows, tensor(context, "output.dy"));
  expect_gradients(gradients, relative);
  for (std::size_t i = 0; i < x.size(); ++i) {
    expect_input_gradient(context, inputs[i], x[i].rows, relative);
  }
}

std::vector<float> whole_gradient(Gradients& gradients, const Parameter& parameter) {
  if (!parameter.rule.sparse) {
    const auto values = gradients.dense(parameter).span();
    return {values.begin(), values.end()};
  }
  const Index width = parameter.value.columns();
  std::vector<float> result(static_cast<std::size_t>(parameter.value.count()), 0.0f);
  const SparseRows& rows = gradients.sparse(parameter);
  for (std::size_t place = 0; place < rows.ids().size(); ++place) {
    const float* row = rows.row(static_cast<Index>(place));
    std::copy(row, row + width, result.begin() + rows.ids()[place] * width);
  }
  return result;
}

}  // namespace heed::test
