// Counting, finding and moving bits: popc, clz, bfind, fns, brev, bfe, bfi, szext, bmsk, prmt.
// (PTX ISA 9.7.1.13 to 9.7.1.24 and 9.7.9.7.) The loops of the manual are written as shifts.
#include "frontends/cuda/values/lanes.h"

namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL {
namespace {

using ptx::Mod;
using ptx::Op;
using ptx::Type;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <typename T>
inline constexpr u32 kBits = sizeof(T) * 8;

// The lowest `count` bits; count may be the whole width or more.
template <typename T>
REDFLAG_INLINE T low_mask(u32 count) {
  return count >= kBits<T> ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << count) - 1);
}

template <typename T>
u32 popc(T a) {
  return static_cast<u32>(std::popcount(a));
}
template <typename T>
u32 clz(T a) {
  return static_cast<u32>(std::countl_zero(a));
}
template <typename T>
T brev(T a) {
  T reversed = 0;
  for (u32 i = 0; i < kBits<T>; ++i) reversed |= ((a >> i) & 1U) << (kBits<T> - 1 - i);
  return reversed;
}
// The highest bit that differs from the sign; with Amount how far to shift to bring it to the top.
template <typename T, bool Amount>
u32 bfind(T a) {
  using U = std::make_unsigned_t<T>;
  const U value = static_cast<U>(a < 0 ? ~a : a);
  if (value == 0) return ~0U;
  const auto zeros = static_cast<u32>(std::countl_zero(value));
  return Amount ? zeros : kBits<T> - 1 - zeros;
}
// The position of the |offset|-th set bit from base, upwards or downwards.
u32 fns(u32 mask, u32 base, i32 offset) {
  if (base > 31) return ~0U;
  if (offset == 0) return ((mask >> base) & 1U) != 0 ? base : ~0U;
  const i64 step = offset > 0 ? 1 : -1;
  i64 left = offset > 0 ? i64{offset} : -i64{offset};
  for (i64 at = base; at >= 0 && at < 32; at += step) {
    if (((mask >> at) & 1U) != 0 && --left == 0) return static_cast<u32>(at);
  }
  return ~0U;
}

// A field that reaches over the top is filled up, by the sign bit for signed types.
template <typename T>
T bfe(T a, u32 position, u32 length) {
  using U = std::make_unsigned_t<T>;
  const u32 from = position & 0xffU;
  const u32 count = length & 0xffU;
  const u32 top = from + count == 0 ? 0 : from + count - 1;
  const bool sign = std::is_signed_v<T> && count != 0 &&
                    ((static_cast<U>(a) >> (top < kBits<T> ? top : kBits<T> - 1)) & U{1}) != 0;
  const U shifted = from >= kBits<T> ? U{0} : static_cast<U>(a) >> from;
  // Bits of the field that exist; those above them are copies of the sign.
  const u32 real = from >= kBits<T> ? 0 : count < kBits<T> - from ? count : kBits<T> - from;
  const U mask = low_mask<U>(real);
  return static_cast<T>((shifted & mask) | (sign ? static_cast<U>(~mask) : U{0}));
}
template <typename T>
T bfi(T a, T b, u32 position, u32 length) {
  const u32 from = position & 0xffU;
  if (from >= kBits<T>) return b;
  const T mask = static_cast<T>(low_mask<T>(length & 0xffU) << from);
  return (b & ~mask) | ((a << from) & mask);
}
template <typename T, bool Wrap>
T szext(T a, u32 bits) {
  const u32 count = Wrap ? bits & 31U : bits;
  const u32 mask = low_mask<u32>(count);
  const bool sign = std::is_signed_v<T> && count != 0 && count < 32 &&
                    ((static_cast<u32>(a) >> (count - 1)) & 1U) != 0;
  return static_cast<T>((static_cast<u32>(a) & mask) | (sign ? ~mask : 0));
}
template <bool Wrap>
u32 bmsk(u32 position, u32 width) {
  const u32 from = Wrap ? position & 31U : position;
  const u32 count = Wrap ? width & 31U : width;
  if (from > 31) return 0;
  return low_mask<u32>(count) << from;
}

enum class Permute { kIndex, kF4e, kB4e, kRc8, kEcl, kEcr, kRc16 };

// Which of the eight bytes of {b, a} goes to byte `at` of the result.
template <Permute Mode>
REDFLAG_INLINE u32 chosen_byte(u32 selector, u32 at) {
  const u32 s = selector & 3U;
  switch (Mode) {
    case Permute::kIndex:
      return (selector >> (4 * at)) & 7U;
    case Permute::kF4e:
      return s + at;
    case Permute::kB4e:
      return (s + 8 - at) & 7U;
    case Permute::kRc8:
      return s;
    case Permute::kEcl:
      return at < s ? s : at;
    case Permute::kEcr:
      return at < s ? at : s;
    case Permute::kRc16:
      return (s & 1U) * 2 + (at & 1U);
  }
  return 0;
}
template <Permute Mode>
u32 prmt(u32 a, u32 b, u32 selector) {
  const u64 both = u64{b} << 32 | a;
  u32 out = 0;
  for (u32 at = 0; at < 4; ++at) {
    u32 byte = static_cast<u32>(both >> (8 * chosen_byte<Mode>(selector, at))) & 0xffU;
    // Bit 3 of an index copies the byte's sign to all of it.
    if (Mode == Permute::kIndex && ((selector >> (4 * at + 3)) & 1U) != 0) {
      byte = (byte >> 7) * 0xffU;
    }
    out |= byte << (8 * at);
  }
  return out;
}

constexpr auto kTable = join(
    std::array{
        row<popc<u32>>(Op::kPopc, Type::kB32),
        row<popc<u64>>(Op::kPopc, Type::kB64),
        row<clz<u32>>(Op::kClz, Type::kB32),
        row<clz<u64>>(Op::kClz, Type::kB64),
        row<brev<u32>>(Op::kBrev, Type::kB32),
        row<brev<u64>>(Op::kBrev, Type::kB64),
        row<bfind<u32, false>>(Op::kBfind, Type::kU32),
        row<bfind<i32, false>>(Op::kBfind, Type::kS32),
        row<bfind<u64, false>>(Op::kBfind, Type::kU64),
        row<bfind<i64, false>>(Op::kBfind, Type::kS64),
        row<fns>(Op::kFns, Type::kB32),
        row<bfe<u32>>(Op::kBfe, Type::kU32),
        row<bfe<i32>>(Op::kBfe, Type::kS32),
        row<bfe<u64>>(Op::kBfe, Type::kU64),
        row<bfe<i64>>(Op::kBfe, Type::kS64),
        row<bfi<u32>>(Op::kBfi, Type::kB32),
        row<bfi<u64>>(Op::kBfi, Type::kB64),
        row<szext<u32, true>>(Op::kSzext, Type::kU32).with(word(Mod::kWrap)),
        row<szext<i32, true>>(Op::kSzext, Type::kS32).with(word(Mod::kWrap)),
        row<szext<u32, false>>(Op::kSzext, Type::kU32).with(word(Mod::kClamp)),
        row<szext<i32, false>>(Op::kSzext, Type::kS32).with(word(Mod::kClamp)),
        row<bmsk<true>>(Op::kBmsk, Type::kB32).with(word(Mod::kWrap)),
        row<bmsk<false>>(Op::kBmsk, Type::kB32).with(word(Mod::kClamp)),
    },
    with(std::array{row<bfind<u32, true>>(Op::kBfind, Type::kU32),
                    row<bfind<i32, true>>(Op::kBfind, Type::kS32),
                    row<bfind<u64, true>>(Op::kBfind, Type::kU64),
                    row<bfind<i64, true>>(Op::kBfind, Type::kS64)},
         word(Mod::kShiftAmt)),
    std::array{
        row<prmt<Permute::kIndex>>(Op::kPrmt, Type::kB32),
        row<prmt<Permute::kF4e>>(Op::kPrmt, Type::kB32).with(word(Mod::kF4e)),
        row<prmt<Permute::kB4e>>(Op::kPrmt, Type::kB32).with(word(Mod::kB4e)),
        row<prmt<Permute::kRc8>>(Op::kPrmt, Type::kB32).with(word(Mod::kRc8)),
        row<prmt<Permute::kEcl>>(Op::kPrmt, Type::kB32).with(word(Mod::kEcl)),
        row<prmt<Permute::kEcr>>(Op::kPrmt, Type::kB32).with(word(Mod::kEcr)),
        row<prmt<Permute::kRc16>>(Op::kPrmt, Type::kB32).with(word(Mod::kRc16)),
    });

}  // namespace

Rows bits_rows() {
  return rows_of(kTable);
}

}  // namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL
