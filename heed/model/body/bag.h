#pragma once

#include "heed/model/parts.h"

namespace heed {

// No body: vectors stay as they came, and only pooling brings them together. What attention is
// compared with when order and context do not matter.
class BagBody : public Body {
 public:
  Sequences operator()(Context&, const Sequences& x) const override { return x; }
};

}  // namespace heed
