// ByteSource: the bytes of a trace, from a file, standard input or memory, a window at a time.
//
// A reader asks for a window of at least so many bytes, looks at it in place, and consumes what it
// used; nothing is copied twice and nothing behind the position is kept. The buffer grows only to
// the window asked for, which every caller bounds. LineSource gives the same bytes as lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace redflag {

class ByteSource {
 public:
  static Result<ByteSource> open(const std::string& path);  // "-": standard input
  static ByteSource from_bytes(std::string name, std::string bytes);

  ByteSource(ByteSource&& other) noexcept;
  ByteSource& operator=(ByteSource&& other) = delete;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  ~ByteSource();

  // Everything buffered from the position on: at least `want` bytes, fewer only at the end. Valid
  // until the next call.
  Result<std::string_view> window(std::size_t want);
  void consume(std::size_t bytes);  // at most what the last window had

  const std::string& name() const { return name_; }
  std::uint64_t position() const { return position_; }  // of the window, from the start
  std::uint64_t size() const { return size_; }          // 0: unknown

 private:
  ByteSource(std::string name, int fd) : name_(std::move(name)), fd_(fd) {}

  std::string name_;  // as the user wrote it, for messages
  int fd_ = -1;       // -1: memory, or at its end
  std::string buffer_;
  std::size_t begin_ = 0;  // the window is buffer_[begin_, end_)
  std::size_t end_ = 0;
  std::uint64_t position_ = 0;
  std::uint64_t size_ = 0;
};

// Lines without their end ("\n" or "\r\n"); the last one needs none.
class LineSource {
 public:
  static constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20;

  explicit LineSource(ByteSource bytes) : bytes_(std::move(bytes)) {}

  // nullopt: no more lines. An error for a line longer than kMaxLineBytes. Valid until the next
  // call.
  Result<std::optional<std::string_view>> next();

  std::uint64_t number() const { return number_; }  // of the last line, from 1
  const ByteSource& bytes() const { return bytes_; }

  // "trace.txt:12: "
  std::string where() const { return bytes_.name() + ":" + std::to_string(number_) + ": "; }

 private:
  ByteSource bytes_;
  std::string_view window_;  // unread lines
  std::size_t taken_ = 0;    // bytes of the source's window given out as lines
  std::uint64_t number_ = 0;
};

}  // namespace redflag
