// What planning adds to a row: constants that stand in the instruction and not in its registers.
// Compiled once, for any processor; see Prepare in row.h.
#pragma once

#include "frontends/cuda/values/row.h"

namespace redflag::cuda::values {

const char* prepare_rounding(const Request& request, ValuePlan& plan);  // shift: ptx::Rounding
const char* prepare_predicate(const Request& request,
                              ValuePlan& plan);                     // shift: kCombine.., kNegated
const char* prepare_set(const Request& request, ValuePlan& plan);   // and constant: what true is
const char* prepare_lop3(const Request& request, ValuePlan& plan);  // and constant: the table
const char* prepare_mov(const Request& request, ValuePlan& plan);   // widths of packed parts
const char* prepare_convert(const Request& request, ValuePlan& plan);  // registers wider than types

// What a conversion is told about its integers, packed into `constant`; the rounding is in the low bits
// of `shift`, kConvertFlush besides.
struct Conversion {
  std::uint8_t from = 0;  // bits
  bool from_signed = false;
  std::uint8_t to = 0;
  bool to_signed = false;
  bool saturate = false;
  std::uint8_t whole = 0;  // bits of the register that gets the result, extended to all of it
};
constexpr std::uint32_t pack_conversion(const Conversion& c) {
  return c.from | static_cast<std::uint32_t>(c.to) << 8 |
         static_cast<std::uint32_t>(c.whole) << 16 |
         static_cast<std::uint32_t>(c.from_signed) << 24 |
         static_cast<std::uint32_t>(c.to_signed) << 25 |
         static_cast<std::uint32_t>(c.saturate) << 26;
}
constexpr Conversion unpack_conversion(std::uint32_t packed) {
  return {.from = static_cast<std::uint8_t>(packed),
          .from_signed = (packed >> 24 & 1U) != 0,
          .to = static_cast<std::uint8_t>(packed >> 8),
          .to_signed = (packed >> 25 & 1U) != 0,
          .saturate = (packed >> 26 & 1U) != 0,
          .whole = static_cast<std::uint8_t>(packed >> 16)};
}
inline constexpr std::uint16_t kConvertRounding = 15;
inline constexpr std::uint16_t kConvertFlush = 16;

// The bits that a register operand has; of anything else `otherwise`.
unsigned register_bits(const Request& request, const ptx::Operand& operand, unsigned otherwise);

}  // namespace redflag::cuda::values
