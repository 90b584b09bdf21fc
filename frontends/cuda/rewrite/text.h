// How the parts of this folder write PTX: lines, and the numbers in them.
#pragma once

#include <cstdint>
#include <string>

namespace redflag::rewrite {

inline void add(std::string& out, const std::string& text) {
  (out += text) += "\n";
}

// Of 32 bits, unsigned.
inline std::string word(std::uint32_t value) {
  return std::to_string(value);
}

// PTX has signed literals only: the same 64 bits, signed.
inline std::string number(std::uint64_t value) {
  return std::to_string(static_cast<std::int64_t>(value));
}

}  // namespace redflag::rewrite
