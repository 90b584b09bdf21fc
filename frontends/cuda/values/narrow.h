// Rounding an exact number to a narrow float format, in any mode: f16, bf16, tf32, and the formats of 4
// to 8 bits.
//
// The number is significand * 2^exponent with 64 bits, which holds every integer and every f64. One
// function does normal and subnormal results, since the encodings of neighbours are neighbours.
// (Formats: OCP 8-bit floating point specification and OCP microscaling formats; PTX ISA 5.2.3.)
#pragma once

#include "frontends/cuda/values/half.h"

namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL {

struct Format {
  int exponent_bits;
  int fraction_bits;
  std::uint32_t most;      // the greatest finite number
  std::uint32_t infinity;  // 0: has none, the greatest number stands for it
  std::uint32_t nan;
};
inline constexpr Format kF16 = {5, 10, 0x7bff, 0x7c00, 0x7fff};
inline constexpr Format kBf16 = {8, 7, 0x7f7f, 0x7f80, 0x7fff};
inline constexpr Format kTf32 = {8, 10, 0x3fbff, 0x3fc00, 0x3ffff};  // without its low 13 zeros
inline constexpr Format kE4m3 = {4, 3, 0x7e, 0, 0x7f};
inline constexpr Format kE5m2 = {5, 2, 0x7b, 0x7c, 0x7f};
inline constexpr Format kE3m2 = {3, 2, 0x1f, 0, 0x1f};
inline constexpr Format kE2m3 = {2, 3, 0x1f, 0, 0x1f};
inline constexpr Format kE2m1 = {2, 1, 0x7, 0, 0x7};

struct Exact {
  bool negative;
  std::uint64_t significand;
  int exponent;
};

// Whether a remainder rounds away from zero. `half`: -1 less than half of the last place, 0, 1.
inline bool rounds_up(ptx::Rounding mode, bool negative, bool odd, bool exact, int half) {
  switch (mode) {
    case ptx::Rounding::kRz:
      return false;
    case ptx::Rounding::kRm:
      return negative && !exact;
    case ptx::Rounding::kRp:
      return !negative && !exact;
    case ptx::Rounding::kRna:
      return half >= 0;
    default:
      return half > 0 || (half == 0 && odd);
  }
}

template <const Format& F>
inline std::uint32_t round_exact(const Exact& x, ptx::Rounding mode, bool saturate) {
  constexpr int kBias = (1 << (F.exponent_bits - 1)) - 1;
  constexpr int kLeastExponent = 1 - kBias;
  const std::uint32_t sign = x.negative ? 1U << (F.exponent_bits + F.fraction_bits) : 0;
  if (x.significand == 0) return sign;
  const int top = x.exponent + 63 - std::countl_zero(x.significand);
  const int exponent = top > kLeastExponent ? top : kLeastExponent;
  const int shift = exponent - F.fraction_bits - x.exponent;  // to units of the last place
  std::uint64_t units = 0;
  bool exact = true;
  int half = -1;
  if (shift <= 0) {
    units = x.significand << -shift;
  } else if (shift > 64) {
    exact = false;
  } else {
    units = shift == 64 ? 0 : x.significand >> shift;
    const std::uint64_t middle = std::uint64_t{1} << (shift - 1);
    const std::uint64_t rest = x.significand & (middle | (middle - 1));
    exact = rest == 0;
    half = rest > middle ? 1 : rest == middle ? 0 : -1;
  }
  if (rounds_up(mode, x.negative, (units & 1U) != 0, exact, half)) ++units;
  // The leading one of `units` adds to the exponent field; subnormals have none.
  const std::uint64_t code =
      (static_cast<std::uint64_t>(exponent + kBias - 1) << F.fraction_bits) + units;
  if (code <= F.most) return sign | static_cast<std::uint32_t>(code);
  const bool stays = mode == ptx::Rounding::kRz || (mode == ptx::Rounding::kRm && !x.negative) ||
                     (mode == ptx::Rounding::kRp && x.negative);
  return sign | (saturate || stays || F.infinity == 0 ? F.most : F.infinity);
}

// A finite double as an exact number.
inline Exact exact_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int exponent = static_cast<int>((bits >> 52) & 0x7ffU);
  const std::uint64_t fraction = bits & 0x000fffffffffffffU;
  const bool negative = (bits >> 63) != 0;
  if (exponent == 0) return {negative, fraction, -1074};
  return {negative, fraction | 0x0010000000000000U, exponent - 1075};
}

template <const Format& F>
inline std::uint32_t round_real(double x, ptx::Rounding mode, bool saturate) {
  if (x != x) return F.nan;
  const std::uint32_t sign =
      (std::bit_cast<std::uint64_t>(x) >> 63) != 0 ? 1U << (F.exponent_bits + F.fraction_bits) : 0;
  if (x - x != 0) return sign | (saturate || F.infinity == 0 ? F.most : F.infinity);
  return round_exact<F>(exact_of(x), mode, saturate);
}

// The number that a code of a narrow format stands for.
template <const Format& F>
inline float narrow_value(std::uint32_t code) {
  constexpr int kBias = (1 << (F.exponent_bits - 1)) - 1;
  const std::uint32_t size = code & ((1U << (F.exponent_bits + F.fraction_bits)) - 1);
  const bool negative = ((code >> (F.exponent_bits + F.fraction_bits)) & 1U) != 0;
  const std::uint32_t sign = negative ? 0x80000000U : 0;
  if (F.nan > F.most && size > F.most) {
    return std::bit_cast<float>(F.infinity != 0 && size == F.infinity ? sign | 0x7f800000U
                                                                      : kNan32);
  }
  const std::uint32_t field = size >> F.fraction_bits;
  const std::uint32_t fraction = size & ((1U << F.fraction_bits) - 1);
  const std::uint32_t units = field == 0 ? fraction : fraction | 1U << F.fraction_bits;
  const int exponent = static_cast<int>(field == 0 ? 1 : field) - kBias - F.fraction_bits;
  const float scale = std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
  const float value = static_cast<float>(units) * scale;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
}

}  // namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL
