// Integer arithmetic: add, sub, mul, mad, mul24, mad24, sad, div, rem, abs, neg, min, max, dp4a, dp2a.
// (PTX ISA 9.7.1.) Wrapping is done unsigned. What hardware gives where the manual says nothing: a
// quotient or remainder by zero has all bits set, the most negative number by -1 is itself.
#include "frontends/cuda/values/lanes.h"

namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL {
namespace {

using ptx::Mod;
using ptx::Op;
using ptx::Type;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
__extension__ using i128 = __int128;
__extension__ using u128 = unsigned __int128;

template <typename T>
using Unsigned = std::make_unsigned_t<T>;
// Of twice the bits.
template <typename T>
using Wide = std::conditional_t<
    sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, i128, u128>,
    std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, i64, u64>,
                       std::conditional_t<std::is_signed_v<T>, i32, u32>>>;
template <typename T>
inline constexpr unsigned kBits = sizeof(T) * 8;

template <typename T>
REDFLAG_INLINE T add(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
}
template <typename T>
REDFLAG_INLINE T sub(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
}
REDFLAG_INLINE i32 saturate(i64 value) {
  constexpr i64 kMost = 0x7fffffff;
  return static_cast<i32>(value > kMost ? kMost : value < -kMost - 1 ? -kMost - 1 : value);
}
i32 add_sat(i32 a, i32 b) {
  return saturate(i64{a} + b);
}
i32 sub_sat(i32 a, i32 b) {
  return saturate(i64{a} - b);
}

template <typename T>
REDFLAG_INLINE T mul_lo(T a, T b) {
  using W = std::conditional_t<sizeof(T) == 8, u64, u32>;  // 16 bits would be promoted to int
  return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
}
template <typename T>
REDFLAG_INLINE T mul_hi(T a, T b) {
  return static_cast<T>((Wide<T>{a} * Wide<T>{b}) >> kBits<T>);
}
template <typename T>
Wide<T> mul_wide(T a, T b) {
  return Wide<T>{a} * Wide<T>{b};
}
template <typename T>
T mad_lo(T a, T b, T c) {
  return add(mul_lo(a, b), c);
}
template <typename T>
T mad_hi(T a, T b, T c) {
  return add(mul_hi(a, b), c);
}
template <typename T>
Wide<T> mad_wide(T a, T b, Wide<T> c) {
  return add<Wide<T>>(Wide<T>{a} * Wide<T>{b}, c);
}
i32 mad_hi_sat(i32 a, i32 b, i32 c) {
  return saturate(i64{mul_hi(a, b)} + c);
}

// The low 24 bits of both; hi has bits 16 to 47 of the product.
template <typename T>
REDFLAG_INLINE T low24(T a) {
  return static_cast<T>(static_cast<T>(static_cast<u32>(a) << 8) >> 8);
}
template <typename T>
REDFLAG_INLINE T mul24_lo(T a, T b) {
  return mul_lo(low24(a), low24(b));
}
template <typename T>
REDFLAG_INLINE T mul24_hi(T a, T b) {
  return static_cast<T>((Wide<T>{low24(a)} * Wide<T>{low24(b)}) >> 16);
}
template <typename T>
T mad24_lo(T a, T b, T c) {
  return add(mul24_lo(a, b), c);
}
template <typename T>
T mad24_hi(T a, T b, T c) {
  return add(mul24_hi(a, b), c);
}
i32 mad24_hi_sat(i32 a, i32 b, i32 c) {
  return saturate(i64{mul24_hi(a, b)} + c);
}

template <typename T>
T sad(T a, T b, T c) {
  return add(c, a < b ? sub(b, a) : sub(a, b));
}
template <typename T>
T div(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return sub(T{0}, a);
  }
  return static_cast<T>(a / b);
}
template <typename T>
T rem(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}
template <typename T>
T absolute(T a) {
  return a < 0 ? sub(T{0}, a) : a;
}
template <typename T>
T neg(T a) {
  return sub(T{0}, a);
}
template <typename T>
REDFLAG_INLINE T least(T a, T b) {
  return a < b ? a : b;
}
template <typename T>
REDFLAG_INLINE T most(T a, T b) {
  return a < b ? b : a;
}
template <typename T>
T least_relu(T a, T b) {
  return most(least(a, b), T{0});
}
template <typename T>
T most_relu(T a, T b) {
  return most(most(a, b), T{0});
}

// Two values of 16 bits in one register.
template <typename T, auto F>
u32 pairwise(u32 a, u32 b) {
  const T low = F(static_cast<T>(a), static_cast<T>(b));
  const T high = F(static_cast<T>(a >> 16), static_cast<T>(b >> 16));
  return static_cast<u32>(static_cast<u16>(low)) | static_cast<u32>(static_cast<u16>(high)) << 16;
}

template <bool Signed>
REDFLAG_INLINE i32 part(u32 word, unsigned from, unsigned bits) {
  const u32 up = word << (32 - bits - from);
  return Signed ? static_cast<i32>(up) >> (32 - bits) : static_cast<i32>(up >> (32 - bits));
}
template <bool SignedA, bool SignedB>
u32 dp4a(u32 a, u32 b, u32 c) {
  for (unsigned i = 0; i < 32; i += 8) {
    c += static_cast<u32>(part<SignedA>(a, i, 8) * part<SignedB>(b, i, 8));
  }
  return c;
}
template <bool SignedA, bool SignedB, unsigned From>
u32 dp2a(u32 a, u32 b, u32 c) {
  for (unsigned i = 0; i < 2; ++i) {
    c += static_cast<u32>(part<SignedA>(a, 16 * i, 16) * part<SignedB>(b, From + 8 * i, 8));
  }
  return c;
}

// A table for all six types: a function template each.
#define ALL_TYPES(op, f)                                                                      \
  std::array {                                                                                \
    row<f<u16>>(op, Type::kU16), row<f<i16>>(op, Type::kS16), row<f<u32>>(op, Type::kU32),    \
        row<f<i32>>(op, Type::kS32), row<f<u64>>(op, Type::kU64), row<f<i64>>(op, Type::kS64) \
  }
#define SIGNED_TYPES(op, f)                                                               \
  std::array {                                                                            \
    row<f<i16>>(op, Type::kS16), row<f<i32>>(op, Type::kS32), row<f<i64>>(op, Type::kS64) \
  }
#define NARROW_TYPES(op, f)                                                                \
  std::array {                                                                             \
    row<f<u16>>(op, Type::kU16), row<f<i16>>(op, Type::kS16), row<f<u32>>(op, Type::kU32), \
        row<f<i32>>(op, Type::kS32)                                                        \
  }
#define WORD_TYPES(op, f)                                    \
  std::array {                                               \
    row<f<u32>>(op, Type::kU32), row<f<i32>>(op, Type::kS32) \
  }
#define PAIR_TYPES(op, f)                                                                      \
  std::array {                                                                                 \
    row<pairwise<u16, f<u16>>>(op, Type::kU16x2), row<pairwise<i16, f<i16>>>(op, Type::kS16x2) \
  }

constexpr Words kLo = word(Mod::kLo);
constexpr Words kHi = word(Mod::kHi);
constexpr Words kWide = word(Mod::kWide);
constexpr Words kSat = word(Mod::kSat);
constexpr Words kRelu = word(Mod::kRelu);

constexpr auto kTable =
    join(ALL_TYPES(Op::kAdd, add), PAIR_TYPES(Op::kAdd, add),
         std::array{row<add_sat>(Op::kAdd, Type::kS32).with(kSat)}, ALL_TYPES(Op::kSub, sub),
         PAIR_TYPES(Op::kSub, sub), std::array{row<sub_sat>(Op::kSub, Type::kS32).with(kSat)},
         with(ALL_TYPES(Op::kMul, mul_lo), kLo), with(ALL_TYPES(Op::kMul, mul_hi), kHi),
         with(NARROW_TYPES(Op::kMul, mul_wide), kWide), with(ALL_TYPES(Op::kMad, mad_lo), kLo),
         with(ALL_TYPES(Op::kMad, mad_hi), kHi), with(NARROW_TYPES(Op::kMad, mad_wide), kWide),
         std::array{row<mad_hi_sat>(Op::kMad, Type::kS32).with(kHi | kSat)},
         with(WORD_TYPES(Op::kMul24, mul24_lo), kLo), with(WORD_TYPES(Op::kMul24, mul24_hi), kHi),
         with(WORD_TYPES(Op::kMad24, mad24_lo), kLo), with(WORD_TYPES(Op::kMad24, mad24_hi), kHi),
         std::array{row<mad24_hi_sat>(Op::kMad24, Type::kS32).with(kHi | kSat)},
         ALL_TYPES(Op::kSad, sad), ALL_TYPES(Op::kDiv, div), ALL_TYPES(Op::kRem, rem),
         SIGNED_TYPES(Op::kAbs, absolute), SIGNED_TYPES(Op::kNeg, neg), ALL_TYPES(Op::kMin, least),
         ALL_TYPES(Op::kMax, most), PAIR_TYPES(Op::kMin, least), PAIR_TYPES(Op::kMax, most),
         with(std::array{row<least_relu<i32>>(Op::kMin, Type::kS32),
                         row<pairwise<i16, least_relu<i16>>>(Op::kMin, Type::kS16x2),
                         row<most_relu<i32>>(Op::kMax, Type::kS32),
                         row<pairwise<i16, most_relu<i16>>>(Op::kMax, Type::kS16x2)},
              kRelu),
         std::array{row<dp4a<false, false>>(Op::kDp4a, Type::kU32, Type::kU32),
                    row<dp4a<false, true>>(Op::kDp4a, Type::kU32, Type::kS32),
                    row<dp4a<true, false>>(Op::kDp4a, Type::kS32, Type::kU32),
                    row<dp4a<true, true>>(Op::kDp4a, Type::kS32, Type::kS32)},
         with(std::array{row<dp2a<false, false, 0>>(Op::kDp2a, Type::kU32, Type::kU32),
                         row<dp2a<false, true, 0>>(Op::kDp2a, Type::kU32, Type::kS32),
                         row<dp2a<true, false, 0>>(Op::kDp2a, Type::kS32, Type::kU32),
                         row<dp2a<true, true, 0>>(Op::kDp2a, Type::kS32, Type::kS32)},
              kLo),
         with(std::array{row<dp2a<false, false, 16>>(Op::kDp2a, Type::kU32, Type::kU32),
                         row<dp2a<false, true, 16>>(Op::kDp2a, Type::kU32, Type::kS32),
                         row<dp2a<true, false, 16>>(Op::kDp2a, Type::kS32, Type::kU32),
                         row<dp2a<true, true, 16>>(Op::kDp2a, Type::kS32, Type::kS32)},
              kHi));

}  // namespace

Rows integer_rows() {
  return rows_of(kTable);
}

}  // namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL
