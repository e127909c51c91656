#include "heed/nn/position.h"

#include <cmath>
#include <numbers>

namespace heed::nn {
namespace {

// A wave of the period and phase of sin that goes straight from −1 to 1 and back.
double triangle(double angle) { return std::asin(std::sin(angle)) * 2.0 / std::numbers::pi; }

}  // namespace

Positions::Positions(const Scope& scope, const PositionOptions& options) : options_(options) {
  if (added_to_input(options.kind) && (options.width < 1 || options.longest < 1)) {
    fail<UsageError>("positions", "expected a width and a longest of at least 1, got {} and {}",
                     options.width, options.longest);
  }
  if (options.kind == Position::kLearned) {
    learned_ = &scope.add("weight", {options.longest, options.width}, Init::normal(0.02f),
                          {.decay = false});
    return;
  }
  if (!added_to_input(options.kind)) return;
  fixed_ = Buffer(static_cast<std::size_t>(options.longest * options.width) * sizeof(float));
  for (Index p = 0; p < options.longest; ++p) {
    for (Index column = 0; column < options.width; ++column) {
      const double exponent =
          static_cast<double>(column - column % 2) / static_cast<double>(options.width);
      double angle = static_cast<double>(p) / std::pow(10000.0, exponent);
      if (column % 2 == 1) angle += std::numbers::pi / 2.0;  // cos
      fixed_.floats()[p * options.width + column] = static_cast<float>(
          options.kind == Position::kSinusoidal ? std::sin(angle) : triangle(angle));
    }
  }
}

Sequences Positions::operator()(Context& context, const Sequences& x, const Layout& seen) const {
  if (!added_to_input(options_.kind)) return x;
  const Var table = learned_ != nullptr
                        ? context.parameter(*learned_)
                        : Var{{fixed_.floats(), {options_.longest, options_.width}}, -1};
  return {grad::add_positions(context, x, seen, table), x.layout};
}

std::vector<float> alibi_slopes(Index heads) {
  std::vector<float> slopes;
  for (Index h = 1; h <= heads; ++h) {
    slopes.push_back(
        static_cast<float>(std::exp2(-8.0 * static_cast<double>(h) / static_cast<double>(heads))));
  }
  return slopes;
}

}  // namespace heed::nn
