// Logic and shifts: and, or, xor, not, cnot, lop3, shf, shl, shr. (PTX ISA 9.7.8.)
// Predicates are masks of lanes, so that their logic is one operation.
#include "frontends/cuda/values/lanes.h"
#include "frontends/cuda/values/prepare.h"

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

template <typename T>
inline constexpr u32 kBits = sizeof(T) * 8;

template <typename T>
T both(T a, T b) {
  return a & b;
}
template <typename T>
T either(T a, T b) {
  return a | b;
}
template <typename T>
T differ(T a, T b) {
  return a ^ b;
}
template <typename T>
T inverse(T a) {
  return static_cast<T>(~a);
}
template <typename T>
T cnot(T a) {
  return a == 0 ? 1 : 0;
}
// Amounts are not taken modulo the width: more than it shifts everything out.
template <typename T>
T shl(T a, u32 by) {
  return by >= kBits<T> ? T{0} : static_cast<T>(a << by);
}
template <typename T>
T shr(T a, u32 by) {
  if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(a >> (by >= kBits<T> ? kBits<T> - 1 : by));
  } else {
    return by >= kBits<T> ? T{0} : static_cast<T>(a >> by);
  }
}
// The 64 bits {b, a}, shifted; left gives the upper half.
template <bool Left, bool Wrap>
u32 shf(u32 a, u32 b, u32 by) {
  const u64 pair = u64{b} << 32 | a;
  const u32 amount = Wrap ? by & 31U : by > 32 ? 32 : by;
  return static_cast<u32>(Left ? (pair << amount) >> 32 : pair >> amount);
}

template <auto F, bool Unary>
void on_masks(const ValueArgs& args) {
  const u32 a = load_mask(args.source[0], (args.shift & (Unary ? kNegated : kNegatedFirst)) != 0);
  if constexpr (Unary) {
    store_mask(args.result[0], args.active, F(a));
  } else {
    store_mask(args.result[0], args.active,
               F(a, load_mask(args.source[1], (args.shift & kNegated) != 0)));
  }
}
template <auto F, bool Unary>
constexpr Row mask_row(Op op) {
  return {.op = op,
          .types = {Type::kPred},
          .run = on_masks<F, Unary>,
          .prepare = prepare_predicate,
          .result_bits = {1},
          .source_bits = {1, Unary ? std::uint8_t{0} : std::uint8_t{1}}};
}

// The table's bit 4a+2b+c, for each bit of the operands: two tables for b and c, then one bit of a.
REDFLAG_INLINE u32 by_table(u32 a, u32 b, u32 c, u32 table) {
  const auto fill = [&](unsigned bit) { return 0U - ((table >> bit) & 1U); };
  const u32 zero = (~b & ((~c & fill(0)) | (c & fill(1)))) | (b & ((~c & fill(2)) | (c & fill(3))));
  const u32 one = (~b & ((~c & fill(4)) | (c & fill(5)))) | (b & ((~c & fill(6)) | (c & fill(7))));
  return (~a & zero) | (a & one);
}
void lop3(const ValueArgs& args) {
  const auto* a = static_cast<const u32*>(args.source[0]);
  const auto* b = static_cast<const u32*>(args.source[1]);
  const auto* c = static_cast<const u32*>(args.source[2]);
  const u32 table = args.constant;
  store_lanes(static_cast<u32*>(args.result[0]), args.active,
              [=](unsigned i) { return by_table(a[i], b[i], c[i], table); });
}
// d|p: p says whether d is not zero, combined with q. The sources are read before d, which may be one.
void lop3_predicate(const ValueArgs& args) {
  const auto* a = static_cast<const u32*>(args.source[0]);
  const auto* b = static_cast<const u32*>(args.source[1]);
  const auto* c = static_cast<const u32*>(args.source[2]);
  u32 values[kLanes];
  u32 mask = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    values[i] = by_table(a[i], b[i], c[i], args.constant);
    mask |= static_cast<u32>(values[i] != 0) << i;
  }
  const u32 q = load_mask(args.source[4], (args.shift & kNegated) != 0);
  store_lanes(static_cast<u32*>(args.result[0]), args.active,
              [&](unsigned i) { return values[i]; });
  store_mask(args.result[1], args.active,
             (args.shift & kCombineMask) == kCombineOr ? mask | q : mask & q);
}

constexpr Row kLop3 = {.op = Op::kLop3,
                       .types = {Type::kB32},
                       .run = lop3,
                       .prepare = prepare_lop3,
                       .result_bits = {32},
                       .source_bits = {32, 32, 32, 32}};
constexpr Row lop3_with(Mod combine) {
  Row row = kLop3.with(word(combine));
  row.run = lop3_predicate;
  row.operands = Operands::kPrepared;  // prepare_lop3 adds the fifth source, the predicate
  row.result_bits = {32, 1};
  return row;
}

#define BIT_TYPES(op, f)                                                                  \
  std::array {                                                                            \
    row<f<u16>>(op, Type::kB16), row<f<u32>>(op, Type::kB32), row<f<u64>>(op, Type::kB64) \
  }

constexpr auto kTable = join(
    BIT_TYPES(Op::kAnd, both), BIT_TYPES(Op::kOr, either), BIT_TYPES(Op::kXor, differ),
    BIT_TYPES(Op::kNot, inverse), BIT_TYPES(Op::kCnot, cnot), BIT_TYPES(Op::kShl, shl),
    BIT_TYPES(Op::kShr, shr),
    std::array{mask_row<both<u32>, false>(Op::kAnd), mask_row<either<u32>, false>(Op::kOr),
               mask_row<differ<u32>, false>(Op::kXor), mask_row<inverse<u32>, true>(Op::kNot),
               row<shr<u16>>(Op::kShr, Type::kU16), row<shr<i16>>(Op::kShr, Type::kS16),
               row<shr<u32>>(Op::kShr, Type::kU32), row<shr<i32>>(Op::kShr, Type::kS32),
               row<shr<u64>>(Op::kShr, Type::kU64), row<shr<i64>>(Op::kShr, Type::kS64),
               row<shf<true, true>>(Op::kShf, Type::kB32).with(words(Mod::kLetterL, Mod::kWrap)),
               row<shf<true, false>>(Op::kShf, Type::kB32).with(words(Mod::kLetterL, Mod::kClamp)),
               row<shf<false, true>>(Op::kShf, Type::kB32).with(words(Mod::kLetterR, Mod::kWrap)),
               row<shf<false, false>>(Op::kShf, Type::kB32).with(words(Mod::kLetterR, Mod::kClamp)),
               kLop3, lop3_with(Mod::kAnd), lop3_with(Mod::kOr)});

}  // namespace

Rows logic_rows() {
  return rows_of(kTable);
}

}  // namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL
