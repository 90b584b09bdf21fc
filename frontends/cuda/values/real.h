// What the operations on floats share: flushing, saturation, the NaN of the hardware.
//
// PTX ISA 9.7.3: .ftz takes subnormal sources as zero and gives zero, of the same sign, for a subnormal
// result; .sat clamps to [0, 1] and makes NaN zero. A NaN of f32 is always 0x7fffffff; f64 gives the
// first source that is NaN, made quiet, and 0xfff8000000000000 where none is.
#pragma once

#include "frontends/cuda/values/lanes.h"

namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL {

inline constexpr std::uint32_t kNan32 = 0x7fffffff;
inline constexpr std::uint64_t kNan64 = 0xfff8000000000000;

REDFLAG_INLINE float flush(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits & 0x7f800000U) == 0 ? bits & 0x80000000U : bits);
}
template <bool Ftz>
REDFLAG_INLINE float input(float x) {
  return Ftz ? flush(x) : x;
}
template <bool Ftz>
REDFLAG_INLINE double input(double x) {
  return x;
}
template <bool Ftz, bool Sat>
REDFLAG_INLINE float output(float x) {
  if constexpr (Sat) {
    // A comparison with NaN is false: 0. Also -0 becomes 0.
    const float clamped = x > 0.0F ? (x < 1.0F ? x : 1.0F) : 0.0F;
    return Ftz ? flush(clamped) : clamped;
  } else {
    const float kept = x == x ? x : std::bit_cast<float>(kNan32);
    return Ftz ? flush(kept) : kept;
  }
}
// Compilers choose the order of sources, on which the processor's choice of NaN depends: chosen here.
template <typename... Rest>
REDFLAG_INLINE double first_nan(double first, Rest... rest) {
  constexpr std::uint64_t kQuiet = 0x0008000000000000;
  double other = std::bit_cast<double>(kNan64);
  if constexpr (sizeof...(rest) > 0) other = first_nan(rest...);
  const auto quiet = std::bit_cast<double>(std::bit_cast<std::uint64_t>(first) | kQuiet);
  return first == first ? other : quiet;
}
// The result of an operation on `sources`.
template <bool Ftz, bool Sat, typename... Sources>
REDFLAG_INLINE float output_of(float x, Sources... /*sources*/) {
  return output<Ftz, Sat>(x);
}
template <bool Ftz, bool Sat, typename... Sources>
REDFLAG_INLINE double output_of(double x, Sources... sources) {
  return x == x ? x : first_nan(sources...);
}

}  // namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL
