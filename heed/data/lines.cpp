#include "heed/data/lines.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "heed/data/utf8.h"

namespace heed {

LineReader::LineReader(ByteSource source)
    : source_(std::move(source)),
      file_(std::make_shared<const std::string>(source_.name())),
      buffer_(std::size_t{1} << 16, '\0') {}

bool LineReader::next(std::string& line) {
  if (!ahead_.empty()) {
    line = std::move(ahead_.front().text);
    bytes_ = std::move(ahead_.front().bytes);
    ahead_.pop_front();
  } else {
    Line read{std::move(line)};  // its memory is used again
    const bool any = read_line(read);
    line = std::move(read.text);
    if (!any) return false;
    bytes_ = std::move(read.bytes);
  }
  ++line_;
  return true;
}

const std::string* LineReader::peek(std::size_t ahead) {
  while (ahead_.size() <= ahead) {
    Line line;
    if (!read_line(line)) return nullptr;
    ahead_.push_back(std::move(line));
  }
  return &ahead_[ahead].text;
}

bool LineReader::ready(std::size_t ahead) {
  while (ahead_.size() <= ahead) {
    const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
    if (ended_ || begun_.size() > kMaxLine) return true;
    if (rest.find('\n') != std::string_view::npos) {
      peek(ahead_.size());
      continue;
    }
    if (!source_.ready()) return false;
    begun_ += rest;
    fill();
  }
  return true;
}

// A whole buffer is checked at once, so that a binary file is called one before anybody wonders
// about its first line. Behind the first buffer, the lines before the one that is no text are read.
void LineReader::fill() {
  if (wrong_ != nullptr) refuse(read_ + 1, "{}", wrong_);
  const bool first = read_ == 0 && begun_.empty() && end_ == 0;
  begin_ = 0;
  end_ = source_.read(buffer_.data(), buffer_.size());
  ended_ = end_ == 0;
  const std::string_view bytes(buffer_.data(), end_);
  wrong_ = not_text(bytes, first);
  if (wrong_ == nullptr) return;
  const std::string_view before = bytes.substr(0, bytes.find('\0'));
  if (first) refuse(read_ + 1 + std::count(before.begin(), before.end(), '\n'), "{}", wrong_);
  end_ = before.rfind('\n') + 1;  // 0 where there is none
  if (end_ == 0) refuse(read_ + 1, "{}", wrong_);
}

bool LineReader::read_line(Line& read) {
  std::string& line = read.text;
  bool any = !begun_.empty();
  bool ended = false;  // by a line feed, not by the end of the file
  if (any) line = std::exchange(begun_, {});
  for (;;) {
    if (begin_ == end_ && !ended_) {
      fill();
    }
    if (begin_ == end_) {
      if (!any) return false;
      break;
    }
    if (!any) line.clear();
    any = true;
    const char* start = buffer_.data() + begin_;
    const auto* newline = static_cast<const char*>(std::memchr(start, '\n', end_ - begin_));
    const std::size_t count =
        newline != nullptr ? static_cast<std::size_t>(newline - start) : end_ - begin_;
    if (line.size() + count > kMaxLine) {
      refuse(read_ + 1, "a line of more than {} MiB; is this a text file?", kMaxLine >> 20);
    }
    line.append(start, count);
    begin_ += count;
    if (newline != nullptr) {
      ++begin_;
      ended = true;
      break;
    }
  }
  ++read_;
  if (keeps_) {
    read.bytes = line;
    if (ended) read.bytes += '\n';
  }
  if (read_ == 1) strip_byte_order_mark(line);
  if (line.ends_with('\r')) line.pop_back();
  if (repair_utf8(line)) ++repaired_;
  return true;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

bool text_is_ready(LineReader& lines) {
  for (std::size_t ahead = 0; lines.ready(ahead); ++ahead) {
    const std::string* line = lines.peek(ahead);
    if (line == nullptr || !is_blank(*line)) return true;
  }
  return false;
}

const char* not_text(std::string_view bytes, bool first) {
  if (first && (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"))) {
    return "looks like UTF-16; save it as UTF-8";
  }
  if (bytes.find('\0') != std::string_view::npos) {
    return "looks like a binary file (it has NUL bytes), expected text";
  }
  return nullptr;
}

void strip_byte_order_mark(std::string& text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
}

}  // namespace heed
