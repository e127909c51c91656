#include "heed/model/network_reader.h"

#include <algorithm>
#include <limits>

namespace heed {

Sequences NetworkReader::begin(Context& context) {
  state_ = body_.begin();
  return body_.next(context, input_(context, batch_), *state_);  // (rows, width)
}

Sequences NetworkReader::next(Context& context, std::span<const std::int32_t> tokens,
                              std::span<const Index> counts) {
  const Layout layout = Layout::of(context.arena(), counts);
  return body_.next(context, input_.embed(context, tokens, layout), *state_);  // (rows, width)
}

Index NetworkReader::room(Index sequence) const {
  if (longest_ == 0) return std::numeric_limits<Index>::max();
  // The last token that is written is not read.
  return std::max<Index>(0, longest_ + 1 - batch_.lengths[static_cast<std::size_t>(sequence)]);
}

}  // namespace heed
