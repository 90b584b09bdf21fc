// f16 and bf16: to float, which holds them exactly, and back with rounding to nearest even.
// Without branches, so that loops over lanes become vectors. Other roundings and formats: narrow.h.
#pragma once

#include "frontends/cuda/values/real.h"

namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL {

inline constexpr std::uint16_t kNan16 = 0x7fff;  // of both formats, as the hardware makes it

REDFLAG_INLINE float widen(Half h) {
  const std::uint32_t sign = (h.bits & 0x8000U) << 16;
  const std::uint32_t size = h.bits & 0x7fffU;
  // The exponent is rebased by a multiplication, which is exact and right for subnormals as well.
  const float scaled = std::bit_cast<float>(size << 13) * 0x1p112F;
  const std::uint32_t special = size << 13 | 0x7f800000U;
  const std::uint32_t magnitude = size >= 0x7c00U ? special : std::bit_cast<std::uint32_t>(scaled);
  return std::bit_cast<float>(magnitude | sign);
}
REDFLAG_INLINE float widen(Bfloat h) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(h.bits) << 16);
}

REDFLAG_INLINE Half to_half(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t size = bits & 0x7fffffffU;
  // Normal: rebase the exponent, round by adding half of the last place, less one when even.
  const std::uint32_t rebased = size - (112U << 23);
  const std::uint32_t normal = (rebased + 0xfffU + ((rebased >> 13) & 1U)) >> 13;
  // Subnormal: 0.5 has the last place of f16's subnormals, so that the addition rounds there.
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5F) - 0x3f000000U;
  std::uint32_t out = size < 0x38800000U ? subnormal : normal;
  out = size >= 0x47800000U ? 0x7c00U : out;
  out |= (bits >> 16) & 0x8000U;
  out = size > 0x7f800000U ? kNan16 : out;
  return {static_cast<std::uint16_t>(out)};
}
REDFLAG_INLINE Bfloat to_bfloat(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
  return {static_cast<std::uint16_t>((bits & 0x7fffffffU) > 0x7f800000U ? kNan16 : rounded)};
}

// A float of either format, chosen by type.
template <typename H>
REDFLAG_INLINE H narrow(float x) {
  if constexpr (std::is_same_v<H, Half>) {
    return to_half(x);
  } else {
    return to_bfloat(x);
  }
}

}  // namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL
