// Equation: whether a sum of products can be in a window, for whole numbers in a box.
//
//   is there  x_0 in [least_0, most_0], ...  with  low <= constant + by_0 * x_0 + ... <= high ?
//
// Exact by search from the largest factor down, unknowns with one factor as one, each value tried only if the rest can
// still reach the window, and with the rest's common divisor. After kMostSteps, or kMostTries of values, it says yes: whoever asks
// wants to hear no.
#pragma once

#include <cstdint>
#include <vector>

namespace redflag::prove {

struct Unknown {
  std::int64_t by = 0;
  std::int64_t least = 0, most = 0;
};
inline constexpr int kMostSteps = 4096, kMostTries = 1 << 18;
inline constexpr std::int64_t kMostMagnitude = std::int64_t{1} << 56;  // of a product; above: yes

// Also of the least number, which has no opposite.
constexpr std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}
// Whether value * factor may be more than kMostMagnitude.
constexpr bool is_too_large(std::int64_t value, std::uint64_t factor) {
  return factor != 0 && magnitude(value) > static_cast<std::uint64_t>(kMostMagnitude) / factor;
}

bool can_be(std::vector<Unknown> unknowns, std::int64_t constant, std::int64_t low,
            std::int64_t high);

}  // namespace redflag::prove
