// Extended precision: add.cc, addc, sub.cc, subc, mad.cc, madc. (PTX ISA 9.7.2.) The carry flag of a
// lane is a bit of a mask, as for predicates; of a subtraction it is the borrow.
#include "frontends/cuda/values/lanes.h"

namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL {
namespace {

using ptx::Mod;
using ptx::Op;
using ptx::Type;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
__extension__ using i128 = __int128;
__extension__ using u128 = unsigned __int128;

enum class Kind { kAdd, kSub, kLow, kHigh };

template <typename T, bool Signed>
REDFLAG_INLINE T high_product(T a, T b) {
  if constexpr (sizeof(T) == 4) {
    if constexpr (Signed) {
      return static_cast<T>(
          (std::int64_t{static_cast<std::int32_t>(a)} * static_cast<std::int32_t>(b)) >> 32);
    } else {
      return static_cast<T>((u64{a} * b) >> 32);
    }
  } else if constexpr (Signed) {
    return static_cast<T>((i128{static_cast<std::int64_t>(a)} * static_cast<std::int64_t>(b)) >>
                          64);
  } else {
    return static_cast<T>((u128{a} * b) >> 64);
  }
}

// The carry comes in with In and goes out with Out.
template <Kind K, typename T, bool Signed, bool In, bool Out>
void extended(const ValueArgs& args) {
  const u32 before = In ? *args.carry : 0;
  const auto* a = static_cast<const T*>(args.source[0]);
  const auto* b = static_cast<const T*>(args.source[1]);
  const auto* c = static_cast<const T*>(args.source[2]);
  u32 after = 0;
  T values[kLanes];
  for (unsigned i = 0; i < kLanes; ++i) {
    const T in = (before >> i) & 1U;
    T left = a[i];
    T right = b[i];
    if constexpr (K == Kind::kLow) {
      left *= right;
      right = c[i];
    } else if constexpr (K == Kind::kHigh) {
      left = high_product<T, Signed>(left, right);
      right = c[i];
    }
    bool out = false;
    if constexpr (K == Kind::kSub) {
      const T once = left - right;
      values[i] = once - in;
      out = left < right || once < in;
    } else {
      const T once = left + right;
      values[i] = once + in;
      out = once < left || values[i] < once;
    }
    after |= static_cast<u32>(out) << i;
  }
  store_lanes(static_cast<T*>(args.result[0]), args.active, [&](unsigned i) { return values[i]; });
  if constexpr (Out) *args.carry = (*args.carry & ~args.active) | (after & args.active);
}

template <Kind K, typename T, bool Signed>
constexpr auto forms(Op plain, Op with_carry, Type type, Words part) {
  constexpr std::uint8_t kBits = sizeof(T) * 8;
  constexpr std::uint8_t kThird = K == Kind::kLow || K == Kind::kHigh ? kBits : 0;
  const auto make = [&](Op op, ValueOp run, Words more) {
    return Row{.op = op,
               .types = {type},
               .words = part | more,
               .run = run,
               .result_bits = {kBits},
               .source_bits = {kBits, kBits, kThird}};
  };
  return std::array{make(plain, extended<K, T, Signed, false, true>, word(Mod::kCc)),
                    make(with_carry, extended<K, T, Signed, true, false>, 0),
                    make(with_carry, extended<K, T, Signed, true, true>, word(Mod::kCc))};
}
template <Kind K>
constexpr auto all_forms(Op plain, Op with_carry, Words part) {
  return join(forms<K, u32, false>(plain, with_carry, Type::kU32, part),
              forms<K, u32, true>(plain, with_carry, Type::kS32, part),
              forms<K, u64, false>(plain, with_carry, Type::kU64, part),
              forms<K, u64, true>(plain, with_carry, Type::kS64, part));
}
template <Kind K>
constexpr auto bit_forms(Op plain, Op with_carry) {
  return join(forms<K, u32, false>(plain, with_carry, Type::kB32, 0),
              forms<K, u64, false>(plain, with_carry, Type::kB64, 0));
}

constexpr auto kTable = join(
    all_forms<Kind::kAdd>(Op::kAdd, Op::kAddc, 0), all_forms<Kind::kSub>(Op::kSub, Op::kSubc, 0),
    all_forms<Kind::kLow>(Op::kMad, Op::kMadc, word(Mod::kLo)),
    all_forms<Kind::kHigh>(Op::kMad, Op::kMadc, word(Mod::kHi)),
    bit_forms<Kind::kAdd>(Op::kAdd, Op::kAddc), bit_forms<Kind::kSub>(Op::kSub, Op::kSubc));

}  // namespace

Rows carry_rows() {
  return rows_of(kTable);
}

}  // namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL
