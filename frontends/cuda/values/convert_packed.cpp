// cvt to and from packed formats: f16x2, bf16x2, the pairs of 4, 6 and 8 bits, ue8m0x2, and cvt.pack.
// (PTX ISA 9.7.9.21 and 9.7.9.22.) Of two sources the first goes to the upper half.
#include "frontends/cuda/values/narrow.h"
#include "frontends/cuda/values/prepare.h"

namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL {
namespace {

using ptx::Mod;
using ptx::Op;
using ptx::Rounding;
using ptx::Type;
using u16 = std::uint16_t;
using u32 = std::uint32_t;

inline constexpr bool kRelu = true;
inline constexpr bool kFinite = true;

// The value a format's rounding gets: with .relu nothing below zero.
template <bool Relu>
REDFLAG_INLINE double clipped(float x) {
  const auto wide = static_cast<double>(x);
  return Relu && wide <= 0 ? 0.0 : wide;
}
template <const Format& F, Rounding R, bool Relu, bool Finite, unsigned Bits>
u32 pack_floats(float a, float b) {
  return round_real<F>(clipped<Relu>(a), R, Finite) << Bits |
         round_real<F>(clipped<Relu>(b), R, Finite);
}
template <const Format& F, Rounding R, bool Relu, bool Finite, unsigned Bits, typename W>
W pack_narrow(float a, float b) {
  return static_cast<W>(pack_floats<F, R, Relu, Finite, Bits>(a, b));
}
// f16x2 to a pair of a narrower format.
template <const Format& F, bool Relu, unsigned Bits, typename W>
W narrow_halves(u32 a) {
  const float high = widen(Half{static_cast<u16>(a >> 16)});
  const float low = widen(Half{static_cast<u16>(a)});
  return static_cast<W>(pack_floats<F, Rounding::kRn, Relu, kFinite, Bits>(high, low));
}
template <const Format& F, bool Relu, unsigned Bits, typename W>
u32 widen_to_halves(W a) {
  constexpr u32 kMask = (1U << Bits) - 1;
  const auto one = [](u32 code) -> u32 {
    const float value = narrow_value<F>(code);
    return to_half(Relu && value <= 0 ? 0.0F : value).bits;
  };
  return one(static_cast<u32>(a) >> Bits & kMask) << 16 | one(a & kMask);
}

// ue8m0: a power of two, 2^(code - 127); 0xff is NaN.
template <Rounding R, bool Finite>
u32 power_of(float x) {
  const auto bits = std::bit_cast<u32>(x) & 0x7fffffffU;
  if (bits > 0x7f800000U) return 0xff;
  if (bits == 0x7f800000U) return Finite ? 0xfe : 0xff;
  u32 field = bits >> 23;
  const u32 fraction = bits & 0x7fffffU;
  // Subnormals lie above 2^-127, which is code 0, when their top bit is set.
  if (field == 0) {
    return R == Rounding::kRp && fraction > 0x400000U ? 1 : 0;
  }
  if (R == Rounding::kRp && fraction != 0) ++field;
  if (field >= 0xff) return Finite ? 0xfe : 0xff;
  return field;
}
template <Rounding R, bool Finite>
u16 pack_powers(float a, float b) {
  return static_cast<u16>(power_of<R, Finite>(a) << 8 | power_of<R, Finite>(b));
}
template <Rounding R, bool Finite>
u16 pack_powers_of_pair(u32 a) {
  return pack_powers<R, Finite>(widen(Bfloat{static_cast<u16>(a >> 16)}),
                                widen(Bfloat{static_cast<u16>(a)}));
}
u32 widen_powers(u16 a) {
  const auto one = [](u32 code) -> u32 {
    return code == 0xff ? u32{kNan16} : code == 0 ? 0x40U : code << 7;  // 2^-127 is subnormal
  };
  return one(a >> 8) << 16 | one(a & 0xffU);
}

// cvt.pack: two integers saturated side by side, above them the lower part of a third operand.
template <unsigned Bits, bool Signed>
REDFLAG_INLINE u32 saturated(std::int32_t x) {
  constexpr std::int32_t kMost = Signed ? (1 << (Bits - 1)) - 1 : (1 << Bits) - 1;
  constexpr std::int32_t kLeast = Signed ? -(1 << (Bits - 1)) : 0;
  const std::int32_t kept = x > kMost ? kMost : x < kLeast ? kLeast : x;
  return static_cast<u32>(kept) & ((1U << Bits) - 1);
}
template <unsigned Bits, bool Signed>
u32 pack_two(std::int32_t a, std::int32_t b) {
  return saturated<Bits, Signed>(a) << Bits | saturated<Bits, Signed>(b);
}
template <unsigned Bits, bool Signed>
u32 pack_three(std::int32_t a, std::int32_t b, u32 c) {
  return c << (2 * Bits) | pack_two<Bits, Signed>(a, b);
}

constexpr Words kSat = word(Mod::kSat);
constexpr Words kReluWord = word(Mod::kRelu);
constexpr Words kFiniteWord = word(Mod::kSatFinite);
constexpr Roundings kTowardsZero = rounding(Rounding::kRz);

// The register may be wider than the pair.
template <auto F>
constexpr Row cvt(Type to, Type from, Roundings roundings, Words more) {
  return row<F>(Op::kCvt, to, from).with(more).rounded(roundings);
}
template <const Format& F, Rounding R>
constexpr auto from_floats(Type to, Roundings roundings) {
  return std::array{
      cvt<pack_floats<F, R, !kRelu, !kFinite, 16>>(to, Type::kF32, roundings, 0),
      cvt<pack_floats<F, R, kRelu, !kFinite, 16>>(to, Type::kF32, roundings, kReluWord),
      cvt<pack_floats<F, R, !kRelu, kFinite, 16>>(to, Type::kF32, roundings, kFiniteWord),
      cvt<pack_floats<F, R, kRelu, kFinite, 16>>(to, Type::kF32, roundings,
                                                 kReluWord | kFiniteWord)};
}
// Pairs of a format: the codes have `Bits` each.
template <const Format& F, unsigned Bits, typename W>
constexpr auto narrow_pairs(Type type) {
  return std::array{
      cvt<pack_narrow<F, Rounding::kRn, !kRelu, kFinite, Bits, W>>(type, Type::kF32, kNearest,
                                                                   kFiniteWord),
      cvt<pack_narrow<F, Rounding::kRn, kRelu, kFinite, Bits, W>>(type, Type::kF32, kNearest,
                                                                  kReluWord | kFiniteWord),
      cvt<narrow_halves<F, !kRelu, Bits, W>>(type, Type::kF16x2, kNearest, kFiniteWord),
      cvt<narrow_halves<F, kRelu, Bits, W>>(type, Type::kF16x2, kNearest, kReluWord | kFiniteWord),
      cvt<widen_to_halves<F, !kRelu, Bits, W>>(Type::kF16x2, type, kNearest, 0),
      cvt<widen_to_halves<F, kRelu, Bits, W>>(Type::kF16x2, type, kNearest, kReluWord)};
}
template <Rounding R>
constexpr auto powers() {
  return std::array{
      cvt<pack_powers<R, false>>(Type::kUe8m0x2, Type::kF32, rounding(R), 0),
      cvt<pack_powers<R, true>>(Type::kUe8m0x2, Type::kF32, rounding(R), kFiniteWord),
      cvt<pack_powers_of_pair<R, false>>(Type::kUe8m0x2, Type::kBf16x2, rounding(R), 0),
      cvt<pack_powers_of_pair<R, true>>(Type::kUe8m0x2, Type::kBf16x2, rounding(R), kFiniteWord)};
}
constexpr Row pack(Row row, Type to, Type third) {
  return row.typed({to, Type::kS32, third}).with(kSat);
}

constexpr auto kTable =
    join(from_floats<kF16, Rounding::kRn>(Type::kF16x2, kNearest),
         from_floats<kF16, Rounding::kRz>(Type::kF16x2, kTowardsZero),
         from_floats<kBf16, Rounding::kRn>(Type::kBf16x2, kNearest),
         from_floats<kBf16, Rounding::kRz>(Type::kBf16x2, kTowardsZero),
         narrow_pairs<kE4m3, 8, u16>(Type::kE4m3x2), narrow_pairs<kE5m2, 8, u16>(Type::kE5m2x2),
         narrow_pairs<kE3m2, 8, u16>(Type::kE3m2x2), narrow_pairs<kE2m3, 8, u16>(Type::kE2m3x2),
         narrow_pairs<kE2m1, 4, std::uint8_t>(Type::kE2m1x2), powers<Rounding::kRz>(),
         powers<Rounding::kRp>(),
         std::array{cvt<widen_powers>(Type::kBf16x2, Type::kUe8m0x2, kNearest, 0),
                    pack(row<pack_two<16, false>>(Op::kCvtPack), Type::kU16, Type::kNone),
                    pack(row<pack_two<16, true>>(Op::kCvtPack), Type::kS16, Type::kNone),
                    pack(row<pack_three<8, false>>(Op::kCvtPack), Type::kU8, Type::kB32),
                    pack(row<pack_three<8, true>>(Op::kCvtPack), Type::kS8, Type::kB32),
                    pack(row<pack_three<4, false>>(Op::kCvtPack), Type::kU4, Type::kB32),
                    pack(row<pack_three<4, true>>(Op::kCvtPack), Type::kS4, Type::kB32),
                    pack(row<pack_three<2, false>>(Op::kCvtPack), Type::kU2, Type::kB32),
                    pack(row<pack_three<2, true>>(Op::kCvtPack), Type::kS2, Type::kB32)});

}  // namespace

Rows convert_packed_rows() {
  return rows_of(kTable);
}

}  // namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL
