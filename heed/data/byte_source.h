#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace heed {

// The bytes of a file, of standard input or of memory, in order and once, with flat memory. Bytes
// that begin as gzip does are unpacked on the way, whatever the file is called; several gzip
// members one after another are one stream. A truncated or corrupt .gz is a FormatError with the
// path, a missing file or a folder in its place an IoError.
class ByteSource {
 public:
  // "-" is standard input.
  static ByteSource open(const std::string& path);
  // `name` stands in the messages where a path would.
  static ByteSource memory(std::string name, std::string bytes);

  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;
  ~ByteSource();

  // Up to `size` bytes, as soon as there are any; 0 at the end.
  std::size_t read(char* data, std::size_t size);

  // Whether read() has bytes, or the end, to give at once. A pipe or a terminal may have to wait
  // for whoever writes; a file does not, and of gzip nobody knows before it is unpacked.
  bool ready() const;

  // The rest, whole. More than `limit` bytes are a FormatError.
  std::string read_all(std::size_t limit);

  // The path, or "standard input".
  const std::string& name() const;

 private:
  struct State;
  explicit ByteSource(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace heed
