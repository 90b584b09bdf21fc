// Equation: whether a sum of products can be in a window, for whole numbers in a box.
//
//   is there  x_0 in [least_0, most_0], ...  with  low <= constant + by_0 * x_0 + ... <= high ?
//
// Exact by search from the largest factor down, each value tried only if the rest can still reach the
// window, and with the rest's common divisor. After kMostSteps it says yes: whoever asks wants to hear no.
#pragma once

#include <cstdint>
#include <vector>

namespace redflag::prove {

struct Unknown {
  std::int64_t by = 0;
  std::int64_t least = 0, most = 0;
};
inline constexpr int kMostSteps = 4096;
inline constexpr std::int64_t kMostMagnitude = std::int64_t{1} << 56;  // of a product; above: yes

bool can_be(std::vector<Unknown> unknowns, std::int64_t constant, std::int64_t low,
            std::int64_t high);

}  // namespace redflag::prove
