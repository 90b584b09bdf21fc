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
const char* prepare_policy(const Request& request, ValuePlan& plan);   // no address
const char* prepare_video(const Request& request, ValuePlan& plan);    // constant: VideoForm
const char* prepare_matrix(const Request& request, ValuePlan& plan);   // widths of all registers

// What a video instruction is told, packed into `constant`; the second operation or the merge with c is
// chosen by `shift`, which also has the comparison of vset.
struct VideoForm {
  ptx::Component a = ptx::Component::kNone;
  ptx::Component b = ptx::Component::kNone;
  ptx::Component d = ptx::Component::kNone;
  bool a_signed = false;
  bool b_signed = false;
  bool d_signed = false;
  bool saturate = false;
  bool negate_product = false;  // of vmad: one of a and b is negated
  bool negate_c = false;
  bool plus_one = false;   // .po
  bool wrap = false;       // of vshl and vshr
  std::uint8_t scale = 0;  // of vmad: 7 or 15
};
constexpr std::uint32_t pack_video(const VideoForm& f) {
  return static_cast<std::uint32_t>(f.a) | static_cast<std::uint32_t>(f.b) << 4 |
         static_cast<std::uint32_t>(f.d) << 8 | static_cast<std::uint32_t>(f.a_signed) << 12 |
         static_cast<std::uint32_t>(f.b_signed) << 13 |
         static_cast<std::uint32_t>(f.d_signed) << 14 |
         static_cast<std::uint32_t>(f.saturate) << 15 |
         static_cast<std::uint32_t>(f.negate_product) << 16 |
         static_cast<std::uint32_t>(f.negate_c) << 17 |
         static_cast<std::uint32_t>(f.plus_one) << 18 | static_cast<std::uint32_t>(f.wrap) << 19 |
         static_cast<std::uint32_t>(f.scale) << 20;
}
constexpr VideoForm unpack_video(std::uint32_t packed) {
  const auto flag = [=](unsigned at) { return ((packed >> at) & 1U) != 0; };
  return {.a = static_cast<ptx::Component>(packed & 15U),
          .b = static_cast<ptx::Component>((packed >> 4) & 15U),
          .d = static_cast<ptx::Component>((packed >> 8) & 15U),
          .a_signed = flag(12),
          .b_signed = flag(13),
          .d_signed = flag(14),
          .saturate = flag(15),
          .negate_product = flag(16),
          .negate_c = flag(17),
          .plus_one = flag(18),
          .wrap = flag(19),
          .scale = static_cast<std::uint8_t>(packed >> 20)};
}
// Of `shift`: what is done with c, then the comparison.
enum class VideoSecond : std::uint8_t { kNone, kAdd, kMin, kMax, kMerge };
inline constexpr unsigned kVideoCompareShift = 4;

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
