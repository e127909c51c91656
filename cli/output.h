#pragma once

namespace heed::cli {

// What was printed on standard output so far has arrived when this returns; an IoError if it could
// not, as on a full disk.
void flush_output();

}  // namespace heed::cli
