// TextBuffer: a line of text put together without allocating; what does not fit is left out.
#pragma once

#include <cstddef>
#include <cstdint>

namespace redflag::rt {

template <std::size_t kSize>
class TextBuffer {
 public:
  TextBuffer& add(const char* text) {
    while (*text != 0 && size_ + 1 < kSize) bytes_[size_++] = *text++;
    bytes_[size_] = 0;
    return *this;
  }
  TextBuffer& add(const char* text, std::size_t size) {
    for (std::size_t i = 0; i < size && size_ + 1 < kSize; ++i) {
      bytes_[size_++] = text[i];  // NOLINT(clang-analyzer-core.uninitialized.Assign)
    }
    bytes_[size_] = 0;
    return *this;
  }
  TextBuffer& add_number(std::uint64_t n, unsigned base = 10) {
    char digits[24];
    unsigned i = sizeof(digits);
    digits[--i] = 0;
    do {
      digits[--i] = "0123456789abcdef"[n % base];
      n /= base;
    } while (n != 0);
    return add(digits + i);
  }
  void clear() {
    size_ = 0;
    bytes_[0] = 0;
  }
  const char* text() const { return bytes_; }
  std::size_t size() const { return size_; }

 private:
  char bytes_[kSize] = {};
  std::size_t size_ = 0;
};

}  // namespace redflag::rt
