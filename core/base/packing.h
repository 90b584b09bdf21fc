// Values as bytes and back: what is written and what is read have one description.
//
//   template <typename Io>
//   void visit(Io& io, Thing& thing) { io.text(thing.name); io.number(thing.count); }
//
// Numbers are as this machine has them, texts and lists have their count in front; nothing says what it is, so both
// ends must be of one build. The unpacker trusts nothing: bytes that are missing, and numbers that are no value of
// their type, make it bad. A packer changes nothing of what it visits.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace redflag {

struct Packer {
  std::string out;

  template <typename T>
  void number(T& value) {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);
    out.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void flag(bool& value) { out += value ? '\1' : '\0'; }
  // One of an enumeration's values, of which `last` is the largest.
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
  // Elements as they are in memory.
  template <typename T>
  void raw(std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    auto size = static_cast<std::uint64_t>(values.size());
    number(size);
    out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
};

struct Unpacker {
  std::string_view in;
  bool bad = false;

  template <typename T>
  void number(T& value) {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);
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
  template <typename T>
  void raw(std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::uint64_t size = 0;
    number(size);
    if (size > in.size() / sizeof(T)) {
      bad = true;
      return;
    }
    values.resize(size);
    if (size > 0) std::memcpy(static_cast<void*>(values.data()), in.data(), size * sizeof(T));
    in.remove_prefix(size * sizeof(T));
  }
  // All was there, and nothing more.
  bool is_done() const { return !bad && in.empty(); }
};

}  // namespace redflag
