// Bytes: what ranks tell each other, put together and taken apart again.
//
// Plain values in the order they are written; all ranks of a job are of one build on machines alike.
// The reader trusts nothing: behind a fault or the end every value is zero, and ok() says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace redflag::pgas {

using Bytes = std::vector<std::byte>;

class Writer {
 public:
  explicit Writer(Bytes& to) : to_(to) {}

  template <typename T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(&value, sizeof(value));
  }
  // How many, and all of them.
  template <typename T>
  void put_all(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(static_cast<std::uint32_t>(values.size()));
    append(values.data(), values.size_bytes());
  }
  void put_text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    append(text.data(), text.size());
  }

 private:
  void append(const void* from, std::size_t n) {
    if (n == 0) return;
    const std::size_t at = to_.size();
    to_.resize(at + n);
    std::memcpy(to_.data() + at, from, n);
  }
  Bytes& to_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> from) : from_(from) {}

  bool ok() const { return ok_; }
  bool at_end() const { return from_.empty() || !ok_; }

  template <typename T>
  T take() {
    // Not every byte is a bool.
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    T value{};
    if (from_.size() < sizeof(T)) {
      ok_ = false;
      return value;
    }
    std::memcpy(&value, from_.data(), sizeof(T));
    from_ = from_.subspan(sizeof(T));
    return value;
  }
  template <typename T>
  std::vector<T> take_all() {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> values(take_count(sizeof(T)));
    if (!values.empty()) std::memcpy(values.data(), from_.data(), values.size() * sizeof(T));
    from_ = from_.subspan(values.size() * sizeof(T));
    return values;
  }
  std::string take_text() {
    const auto size = take<std::uint32_t>();
    if (from_.size() < size) {
      ok_ = false;
      return {};
    }
    std::string text(reinterpret_cast<const char*>(from_.data()), size);
    from_ = from_.subspan(size);
    return text;
  }
  // How many of `each` bytes at least follow; more than there can be is a fault.
  std::uint32_t take_count(std::size_t each) {
    const auto count = take<std::uint32_t>();
    if (std::size_t{count} * each > from_.size()) ok_ = false;
    return ok_ ? count : 0;
  }

 private:
  std::span<const std::byte> from_;
  bool ok_ = true;
};

}  // namespace redflag::pgas
