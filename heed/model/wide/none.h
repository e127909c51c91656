#pragma once

#include "heed/model/wide.h"

namespace heed {

struct NoWideOptions {};
template <class Archive>
void describe(Archive&, NoWideOptions&) {}

// Nothing beside the network.
class NoWide : public PartOf<NoWide, Wide, NoWideOptions> {
 public:
  bool present() const override { return false; }
  bool reads(const Content&) const override { return true; }
  void fit(const Dataset&, Index) override {}
  void prepare(const Content&, Batch&) const override {}
  std::string summary() const override { return {}; }
  std::unique_ptr<WideNetwork> network(const Scope&, Index) const override { return nullptr; }
};

}  // namespace heed
