// The two directions of packing: what is written and what is read have one description.
//
//   template <typename Io>
//   void visit(Io& io, Thing& thing) { io.text(thing.name); io.number(thing.count); }
//
// The reader trusts nothing: bytes that are missing, and numbers that are no value of their type, make it bad.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace redflag::inject {

struct Writer {
  std::string out;

  template <typename T>
  void number(T& value) {
    static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>);
    out.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void flag(bool& value) { out += value ? '\1' : '\0'; }
  // One of a enumeration's values, of which `last` is the largest.
  template <typename T>
  void choice(T& value, T /*last*/) {
    auto code = static_cast<std::uint8_t>(value);
    number(code);
  }
  void text(std::string& value) {
    auto size = static_cast<std::uint64_t>(value.size());
    number(size);
    out += value;
  }
  template <typename T, typename Body>
  void list(std::vector<T>& values, Body body) {
    auto size = static_cast<std::uint64_t>(values.size());
    number(size);
    for (T& value : values) body(value);
  }
  void flags(std::vector<bool>& values) {
    auto size = static_cast<std::uint64_t>(values.size());
    number(size);
    for (bool value : values) flag(value);
  }
};

struct Reader {
  std::string_view in;
  bool bad = false;

  template <typename T>
  void number(T& value) {
    static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>);
    if (in.size() < sizeof(value)) {
      bad = true;
      return;
    }
    std::memcpy(&value, in.data(), sizeof(value));
    in.remove_prefix(sizeof(value));
  }
  void flag(bool& value) {
    std::uint8_t code = 0;
    number(code);
    bad = bad || code > 1;
    value = code == 1;
  }
  template <typename T>
  void choice(T& value, T last) {
    std::uint8_t code = 0;
    number(code);
    bad = bad || code > static_cast<std::uint8_t>(last);
    if (!bad) value = static_cast<T>(code);
  }
  void text(std::string& value) {
    std::uint64_t size = 0;
    number(size);
    if (size > in.size()) {
      bad = true;
      return;
    }
    value = in.substr(0, size);
    in.remove_prefix(size);
  }
  // Every element takes a byte at least, so that a count that is wrong ends with the bytes.
  template <typename T, typename Body>
  void list(std::vector<T>& values, Body body) {
    std::uint64_t size = 0;
    number(size);
    for (std::uint64_t i = 0; i < size && !bad; ++i) body(values.emplace_back());
  }
  void flags(std::vector<bool>& values) {
    std::uint64_t size = 0;
    number(size);
    for (std::uint64_t i = 0; i < size && !bad; ++i) {
      bool value = false;
      flag(value);
      values.push_back(value);
    }
  }
};

}  // namespace redflag::inject
