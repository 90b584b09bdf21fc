// What the operations on floats share: flushing, saturation, the NaN of the hardware.
//
// PTX ISA 9.7.3: .ftz takes subnormal sources as zero and gives zero, of the same sign, for a subnormal
// result; .sat clamps to [0, 1] and makes NaN zero. What the manual leaves open is as an H200 does it: a NaN
// of f32 is always 0x7fffffff; of f64 it is a source that is NaN, made quiet, the second before the others,
// and 0xfff8000000000000 where none is; a result is subnormal for .ftz when it is below the normal range
// rounded to 24 bits, even where the nearest subnormal would be the least normal number.
#pragma once

#include "frontends/cuda/values/lanes.h"

namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL {

inline constexpr std::uint32_t kNan32 = 0x7fffffff;
inline constexpr std::uint64_t kNan64 = 0xfff8000000000000;

template <typename T>
REDFLAG_INLINE bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>) return __builtin_isnan(x) != 0;
  return false;
}
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
    const float kept = is_nan(x) ? std::bit_cast<float>(kNan32) : x;
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
  return is_nan(first) ? quiet : other;
}
// The result of an operation on `sources`, in the order in which a NaN among them is taken.
template <bool Ftz, bool Sat, typename... Sources>
REDFLAG_INLINE float output_of(float x, Sources... /*sources*/) {
  return output<Ftz, Sat>(x);
}
template <bool Ftz, bool Sat, typename... Sources>
REDFLAG_INLINE double output_of(double x, Sources... sources) {
  return is_nan(x) ? first_nan(sources...) : x;
}

// `scaled` is the same result 2^60 times as great, where rounding meets no end of the exponents: it tells
// whether x is to be flushed.
inline constexpr float kScale = 0x1p60F;
template <bool Ftz>
REDFLAG_INLINE float settled(float x, float scaled) {
  const float size = std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) & 0x7fffffffU);
  const float zero = std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0x80000000U);
  return Ftz && size < 0x1p-66F ? zero : x;
}

}  // namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL
