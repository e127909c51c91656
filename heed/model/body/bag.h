#pragma once

#include "heed/model/body.h"

namespace heed {

struct BagOptions {};
template <class Archive>
void describe(Archive&, BagOptions&) {}

// No body: vectors stay as they came, and only pooling brings them together. What attention is
// compared with when order and context do not matter.
class BagBody : public PartOf<BagBody, Body, BagOptions> {
 public:
  std::unique_ptr<BodyNetwork> network(const Scope&, Index) const override {
    return std::make_unique<Network>();
  }

 private:
  class Network : public BodyNetwork {
   public:
    Sequences operator()(Context&, const Sequences& x) const override { return x; }
    void describe(Plan&) const override {}  // vectors go on as they came
  };
};

}  // namespace heed
