#include "cli/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "heed/base/error.h"

namespace heed::cli {

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw IoError(std::string("standard output: cannot write: ") +
                std::strerror(errno != 0 ? errno : EIO));
}

}  // namespace heed::cli
