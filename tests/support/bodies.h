#pragma once

#include <memory>

#include "heed/model/body.h"

namespace heed::test {

inline constexpr Index kBodyWidth = 16;  // as in made_config

// A network of a body, with parameters of its own.
struct BodyReader {
  explicit BodyReader(const Body& body, std::uint64_t seed = 3)
      : parameters(seed), network(body.network(parameters, kBodyWidth)) {}

  Sequences operator()(Context& context, const Sequences& x) const {
    return (*network)(context, x);
  }

  Parameters parameters;
  std::unique_ptr<BodyNetwork> network;
};

}  // namespace heed::test
