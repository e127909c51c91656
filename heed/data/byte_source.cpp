#include "heed/data/byte_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 16;
constexpr std::string_view kGzip = "\x1f\x8b";

bool named_gz(std::string_view name) { return name.ends_with(".gz"); }

}  // namespace

struct ByteSource::State {
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (packed) inflateEnd(&zlib);
    if (descriptor > STDIN_FILENO) close(descriptor);
  }

  // Reads on behind what is still in the buffer. False at the end.
  bool fill() {
    if (descriptor < 0) return false;
    if (begin == end) begin = end = 0;
    buffer.resize(kBufferSize);
    for (;;) {
      const ssize_t got = ::read(descriptor, buffer.data() + end, buffer.size() - end);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw IoError(name + ": cannot read: " + std::strerror(errno));
      end += static_cast<std::size_t>(got);
      return got > 0;
    }
  }

  // Decides by the first bytes whether to unpack.
  void start() {
    while (end < kGzip.size() && fill()) {
    }
    const std::string_view head(buffer.data(), end);
    if (!head.starts_with(kGzip)) {
      if (named_gz(name) && !head.empty()) {
        throw FormatError(name + ": is named .gz but is not packed by gzip; rename it");
      }
      return;
    }
    if (inflateInit2(&zlib, 15 + 16) != Z_OK) throw IoError(name + ": zlib cannot start");
    packed = true;
  }

  std::size_t unpack(char* data, std::size_t size) {
    zlib.next_out = reinterpret_cast<Bytef*>(data);
    zlib.avail_out = static_cast<uInt>(std::min(size, kBufferSize));
    const std::size_t wanted = zlib.avail_out;
    while (!finished && zlib.avail_out == wanted) {
      if (begin == end && !fill()) {
        throw FormatError(name + ": the .gz ends before its data does; it is truncated");
      }
      zlib.next_in = reinterpret_cast<Bytef*>(buffer.data() + begin);
      zlib.avail_in = static_cast<uInt>(std::min(end - begin, kBufferSize));
      const std::size_t given = zlib.avail_in;
      const int result = inflate(&zlib, Z_NO_FLUSH);
      begin += given - zlib.avail_in;
      if (result == Z_STREAM_END) {
        next_member();
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        throw FormatError(name + ": the .gz is corrupt (" +
                          (zlib.msg != nullptr ? zlib.msg : "unknown data") + ")");
      }
    }
    return wanted - zlib.avail_out;
  }

  // Behind a member comes the end, another member, or zeros that tape drives and tar leave.
  void next_member() {
    for (;;) {
      while (begin < end && buffer[begin] == 0) ++begin;
      if (begin < end) break;
      if (!fill()) {
        finished = true;
        return;
      }
    }
    if (buffer[begin] != kGzip[0] || inflateReset(&zlib) != Z_OK) {
      throw FormatError(name + ": the .gz is corrupt (other bytes follow the packed ones)");
    }
  }

  std::string name;
  int descriptor = -1;  // none for memory
  std::string buffer;
  std::size_t begin = 0, end = 0;  // what is still to be given out of the buffer
  bool packed = false, finished = false;
  z_stream zlib{};
};

ByteSource::ByteSource(std::unique_ptr<State> state) : state_(std::move(state)) {}
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;
ByteSource::~ByteSource() = default;

ByteSource ByteSource::open(const std::string& path) {
  auto state = std::make_unique<State>();
  if (path == "-") {
    state->name = "standard input";
    state->descriptor = STDIN_FILENO;
  } else {
    state->name = path;
    state->descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (state->descriptor < 0 || fstat(state->descriptor, &status) != 0) {
      throw IoError(path + ": cannot read: " + std::strerror(errno));
    }
    if (S_ISDIR(status.st_mode)) throw IoError(path + ": is a folder, expected a file");
  }
  state->start();
  return ByteSource(std::move(state));
}

ByteSource ByteSource::memory(std::string name, std::string bytes) {
  auto state = std::make_unique<State>();
  state->name = std::move(name);
  state->buffer = std::move(bytes);
  state->end = state->buffer.size();
  state->start();
  return ByteSource(std::move(state));
}

std::size_t ByteSource::read(char* data, std::size_t size) {
  State& state = *state_;
  if (size == 0) return 0;
  if (state.packed) return state.unpack(data, size);
  if (state.begin == state.end && !state.fill()) return 0;
  const std::size_t count = std::min(size, state.end - state.begin);
  std::memcpy(data, state.buffer.data() + state.begin, count);
  state.begin += count;
  return count;
}

bool ByteSource::ready() const {
  const State& state = *state_;
  if (state.packed || state.descriptor < 0 || state.begin < state.end) return true;
  pollfd asked{state.descriptor, POLLIN, 0};
  return poll(&asked, 1, 0) != 0;
}

std::string ByteSource::read_all(std::size_t limit) {
  std::string bytes;
  std::string piece(kBufferSize, '\0');
  while (const std::size_t got = read(piece.data(), piece.size())) {
    if (got > limit - bytes.size()) {
      throw FormatError(fmt::format("{}: more than {} MiB, expected a text", name(), limit >> 20));
    }
    bytes.append(piece, 0, got);
  }
  return bytes;
}

const std::string& ByteSource::name() const { return state_->name; }

}  // namespace heed
