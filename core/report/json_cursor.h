// JsonCursor: reads a JSON value strictly; it keeps its place and the first error.
//
// A cursor is a value and its path from the root. Each accessor says what it expects; when the
// value is something else, the shared JsonTrouble keeps the first message and the accessor returns
// an empty value, so that a reader is straight-line code that asks once, at its end, for an
// error. A cursor points to its parent: use it only while the parent lives. Nothing throws.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "core/report/json_form.h"

namespace redflag {

struct JsonTrouble {
  std::string message;  // empty: none so far
};

class JsonCursor {
 public:
  JsonCursor(const Json& value, JsonTrouble& trouble) : value_(&value), trouble_(&trouble) {}

  // Of an object: exactly these keys, and no others than `optional`.
  void expect_keys(std::initializer_list<std::string_view> required,
                   std::initializer_list<std::string_view> optional = {}) const;
  bool has(std::string_view key) const;
  JsonCursor operator[](std::string_view key) const;

  // Of an array; any other value is an error and has no elements.
  std::size_t size() const;
  JsonCursor operator[](std::size_t index) const;

  std::string text() const;
  bool boolean() const;
  double number_or_nan() const;
  std::uint64_t integer(std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;
  std::uint32_t small_integer() const { return static_cast<std::uint32_t>(integer(0xFFFFFFFFu)); }
  std::uint64_t address() const;  // a string like "0x1f00"

  // One of `names`; its position.
  std::size_t one_of(std::span<const std::string_view> names) const;

  // Records that something else was expected here. `found` describes the value.
  void wrong(const std::string& expected) const;

 private:
  JsonCursor(const Json& value, JsonTrouble& trouble, const JsonCursor* parent,
             std::string_view key, std::size_t index)
      : value_(&value), trouble_(&trouble), parent_(parent), key_(key), index_(index) {}
  std::string path() const;
  std::string found() const;

  const Json* value_;
  JsonTrouble* trouble_;
  const JsonCursor* parent_ = nullptr;
  std::string_view key_;  // empty: an array element
  std::size_t index_ = 0;
};

}  // namespace redflag
