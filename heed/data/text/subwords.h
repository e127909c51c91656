#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/tensor/shape.h"

namespace heed {

// Pieces of words, learnt from texts by SentencePiece, in the format that others read.
//
// Piece 0 is the unknown one. Text must be prepared (unicode.h) before it comes here: SentencePiece
// itself changes nothing but white space. The same texts give the same bytes. Const and safe to
// share between threads.
class Subwords {
 public:
  enum class Method { kBpe, kUnigram };

  // At most `size` pieces: fewer where the texts have no more to give. Where the characters of the
  // texts leave no room for longer pieces, as those of Chinese may, the rarest become unknown; if
  // more than 1 in 50 that are written would be, or there is no text at all, that is a UsageError.
  static Subwords train(Method method, Index size, std::span<const std::string> texts);

  // From the bytes of a model; `name` says where they came from, for messages. Bytes that are no
  // model are a FormatError.
  Subwords(std::string bytes, const std::string& name);
  ~Subwords();
  Subwords(Subwords&&) noexcept;
  Subwords& operator=(Subwords&&) noexcept;

  Index size() const;
  std::string piece(std::int32_t id) const;
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const;
  // The text of ids, for reading.
  std::string decode(std::span<const std::int32_t> ids) const;

  // What the constructor takes.
  const std::string& bytes() const { return bytes_; }

 private:
  struct Model;
  std::string bytes_;
  std::unique_ptr<Model> model_;
};

}  // namespace heed
