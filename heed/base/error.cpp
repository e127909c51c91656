#include "heed/base/error.h"

namespace heed::detail {

std::string failure(const char* operation, fmt::string_view format, fmt::format_args arguments) {
  return fmt::format("[{}] {}", operation, fmt::vformat(format, arguments));
}

}  // namespace heed::detail
