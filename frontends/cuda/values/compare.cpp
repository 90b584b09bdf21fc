// Comparisons: setp and set. (PTX ISA 9.7.6, and 9.7.7 for halves.)
//
// One function for each type and comparison makes a mask of lanes; what is done with it, combining it
// with a predicate, negating it for a second one or spreading it out as numbers, costs nothing more and
// is told by `shift` and `constant`.
#include "frontends/cuda/values/half.h"
#include "frontends/cuda/values/prepare.h"

namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL {
namespace {

using ptx::Compare;
using ptx::Mod;
using ptx::Op;
using ptx::Type;
using u32 = std::uint32_t;

// f32 with subnormals taken as zero.
struct Flushed {
  u32 bits;
};

template <typename H>
struct FlushedHalf {
  std::uint16_t bits;
};

template <typename T>
REDFLAG_INLINE auto comparable(Word<T> w) {
  if constexpr (std::is_same_v<T, Flushed>) {
    return flush(std::bit_cast<float>(w));
  } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>) {
    return widen(from_word<T>(w));
  } else if constexpr (std::is_same_v<T, FlushedHalf<Half>> ||
                       std::is_same_v<T, FlushedHalf<Bfloat>>) {
    constexpr bool kIsHalf = std::is_same_v<T, FlushedHalf<Half>>;
    const auto bits = static_cast<std::uint16_t>(w);
    const bool zero = (bits & (kIsHalf ? 0x7c00U : 0x7f80U)) == 0;
    const float value = widen(std::conditional_t<kIsHalf, Half, Bfloat>{bits});
    return zero ? 0.0F : value;
  } else {
    return from_word<T>(w);
  }
}
// Plain comparisons are false for NaN, except for ne; those with u at the end are true.
template <Compare C, typename T>
REDFLAG_INLINE bool holds(T a, T b) {
  const bool unordered = std::is_floating_point_v<T> && (a != a || b != b);
  switch (C) {
    case Compare::kEq:
      return a == b;
    case Compare::kNe:
      return !unordered && a != b;
    case Compare::kLt:
    case Compare::kLo:
      return a < b;
    case Compare::kLe:
    case Compare::kLs:
      return a <= b;
    case Compare::kGt:
    case Compare::kHi:
      return a > b;
    case Compare::kGe:
    case Compare::kHs:
      return a >= b;
    case Compare::kEqu:
      return unordered || a == b;
    case Compare::kNeu:
      return unordered || a != b;
    case Compare::kLtu:
      return unordered || a < b;
    case Compare::kLeu:
      return unordered || a <= b;
    case Compare::kGtu:
      return unordered || a > b;
    case Compare::kGeu:
      return unordered || a >= b;
    case Compare::kNum:
      return !unordered;
    case Compare::kNan:
      return unordered;
    default:
      return false;
  }
}

// Compares lanes; `shift` selects the upper half of packed operands.
template <Compare C, typename T>
REDFLAG_INLINE u32 compare_lanes(const ValueArgs& args, unsigned shift) {
  const auto* a = static_cast<const Word<T>*>(args.source[0]);
  const auto* b = static_cast<const Word<T>*>(args.source[1]);
  u32 mask = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    const bool one = holds<C>(comparable<T>(a[i] >> shift), comparable<T>(b[i] >> shift));
    mask |= static_cast<u32>(one) << i;
  }
  return mask;
}
REDFLAG_INLINE u32 combined(const ValueArgs& args, u32 mask) {
  const unsigned how = args.shift & kCombineMask;
  if (how == 0) return mask;
  const u32 with = load_mask(args.source[2], (args.shift & kNegated) != 0);
  return how == kCombineAnd ? mask & with : how == kCombineOr ? mask | with : mask ^ with;
}

template <Compare C, typename T>
void setp(const ValueArgs& args) {
  const u32 mask = compare_lanes<C, T>(args, 0);
  const u32 first = combined(args, mask);
  const u32 second = combined(args, ~mask);  // both before either is written: q may be the source
  store_mask(args.result[0], args.active, first);
  if (args.results > 1) store_mask(args.result[1], args.active, second);
}
template <Compare C, typename T>
void set(const ValueArgs& args) {
  const u32 mask = combined(args, compare_lanes<C, T>(args, 0));
  const u32 value = args.constant;
  store_lanes(static_cast<u32*>(args.result[0]), args.active,
              [=](unsigned i) { return ((mask >> i) & 1U) != 0 ? value : 0; });
}
// Packed: p for the low halves, q for the high ones.
template <Compare C, typename T>
void setp_pair(const ValueArgs& args) {
  const u32 low = combined(args, compare_lanes<C, T>(args, 0));
  const u32 high = combined(args, compare_lanes<C, T>(args, 16));
  store_mask(args.result[0], args.active, low);
  if (args.results > 1) store_mask(args.result[1], args.active, high);
}
template <Compare C, typename T>
void set_pair(const ValueArgs& args) {
  const u32 low = combined(args, compare_lanes<C, T>(args, 0));
  const u32 high = combined(args, compare_lanes<C, T>(args, 16));
  const u32 value = args.constant;
  store_lanes(static_cast<u32*>(args.result[0]), args.active, [=](unsigned i) {
    return (((low >> i) & 1U) != 0 ? value & 0xffffU : 0) |
           (((high >> i) & 1U) != 0 ? value & 0xffff0000U : 0);
  });
}

// Rows of setp and of set for one type; of set the type of the result is any, checked by prepare_set.
template <Compare C, typename T, bool Pair>
constexpr auto rows_for(Type type, Words more) {
  constexpr std::uint8_t kWidth = Pair ? 32 : sizeof(T) * 8;
  return std::array{Row{.op = Op::kSetp,
                        .types = {type},
                        .words = more,
                        .compare = C,
                        .run = Pair ? setp_pair<C, T> : setp<C, T>,
                        .prepare = prepare_predicate,
                        .operands = Operands::kPrepared,
                        .result_bits = {1, 1},
                        .source_bits = {kWidth, kWidth}},
                    Row{.op = Op::kSet,
                        .types = {Type::kNone, type},
                        .words = more,
                        .compare = C,
                        .run = Pair ? set_pair<C, T> : set<C, T>,
                        .prepare = prepare_set,
                        .operands = Operands::kPrepared,
                        .result_bits = {32},
                        .source_bits = {kWidth, kWidth}}};
}
template <typename T, bool Pair, Compare... C>
constexpr auto rows_for_all(Type type, Words more) {
  return join(rows_for<C, T, Pair>(type, more)...);
}
template <typename T>
constexpr auto bit_rows(Type type) {
  return rows_for_all<T, false, Compare::kEq, Compare::kNe>(type, 0);
}
template <typename T>
constexpr auto signed_rows(Type type) {
  return rows_for_all<T, false, Compare::kEq, Compare::kNe, Compare::kLt, Compare::kLe,
                      Compare::kGt, Compare::kGe>(type, 0);
}
template <typename T>
constexpr auto unsigned_rows(Type type) {
  return join(
      signed_rows<T>(type),
      rows_for_all<T, false, Compare::kLo, Compare::kLs, Compare::kHi, Compare::kHs>(type, 0));
}
template <typename T, bool Pair>
constexpr auto float_rows(Type type, Words more) {
  return rows_for_all<T, Pair, Compare::kEq, Compare::kNe, Compare::kLt, Compare::kLe, Compare::kGt,
                      Compare::kGe, Compare::kEqu, Compare::kNeu, Compare::kLtu, Compare::kLeu,
                      Compare::kGtu, Compare::kGeu, Compare::kNum, Compare::kNan>(type, more);
}

constexpr Words kFtz = word(Mod::kFtz);

constexpr auto kTable =
    join(bit_rows<std::uint16_t>(Type::kB16), bit_rows<u32>(Type::kB32),
         bit_rows<std::uint64_t>(Type::kB64), unsigned_rows<std::uint16_t>(Type::kU16),
         unsigned_rows<u32>(Type::kU32), unsigned_rows<std::uint64_t>(Type::kU64),
         signed_rows<std::int16_t>(Type::kS16), signed_rows<std::int32_t>(Type::kS32),
         signed_rows<std::int64_t>(Type::kS64), float_rows<float, false>(Type::kF32, 0),
         float_rows<Flushed, false>(Type::kF32, kFtz), float_rows<double, false>(Type::kF64, 0),
         float_rows<Half, false>(Type::kF16, 0), float_rows<Bfloat, false>(Type::kBf16, 0),
         float_rows<FlushedHalf<Half>, false>(Type::kF16, kFtz),
         float_rows<FlushedHalf<Half>, true>(Type::kF16x2, kFtz),
         float_rows<Half, true>(Type::kF16x2, 0), float_rows<Bfloat, true>(Type::kBf16x2, 0));

}  // namespace

Rows compare_rows() {
  return rows_of(kTable);
}

}  // namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL
