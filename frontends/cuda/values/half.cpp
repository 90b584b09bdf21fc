// Arithmetic on f16 and bf16, single and packed in pairs: add, sub, mul, fma, neg, abs, min, max.
// (PTX ISA 9.7.4.)
//
// Sums and differences are computed in f32, whose 24 bits are more than twice the bits of either format
// and two: rounding twice then gives what rounding once gives (Figueroa 1995). Products, and products
// with a sum, are exact in f64 up to one addition; its error goes into the last bit (rounding to odd,
// Boldo and Melquiond 2008), so that here too the last rounding decides.
#include "frontends/cuda/values/half.h"

namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL {
namespace {

using ptx::Mod;
using ptx::Op;
using ptx::Type;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <typename H>
inline constexpr u32 kExponentMask = std::is_same_v<H, Half> ? 0x7c00 : 0x7f80;

template <typename H>
inline constexpr u32 kOne = std::is_same_v<H, Half> ? 0x3c00 : 0x3f80;

template <typename H, bool Ftz>
REDFLAG_INLINE H flushed(H h) {
  if constexpr (Ftz) {
    const u32 bits = (h.bits & kExponentMask<H>) == 0 ? h.bits & 0x8000U : h.bits;
    return {static_cast<std::uint16_t>(bits)};
  } else {
    return h;
  }
}
enum class Finish { kPlain, kSat, kRelu };
template <typename H, bool Ftz, Finish How>
REDFLAG_INLINE H finished(float x) {
  u32 bits = narrow<H>(x).bits;
  const bool nan = (bits & 0x7fffU) > kExponentMask<H>;
  const bool negative = (bits & 0x8000U) != 0;
  if constexpr (How == Finish::kSat) {
    bits = nan || negative ? 0 : bits > kOne<H> ? kOne<H> : bits;
  } else if constexpr (How == Finish::kRelu) {
    bits = negative && !nan ? 0 : bits;
  }
  return flushed<H, Ftz>(H{static_cast<std::uint16_t>(bits)});
}

// One step of an even last bit towards `toward_zero` or away from it.
REDFLAG_INLINE float odd_float(double x) {
  const auto near = static_cast<float>(x);
  const auto back = static_cast<double>(near);
  const auto bits = std::bit_cast<u32>(near);
  const auto size = [](double d) { return std::bit_cast<u64>(d) & 0x7fffffffffffffffU; };
  const u32 moved = size(back) > size(x) ? bits - 1 : bits + 1;
  const bool inexact = back != x && x == x;
  return std::bit_cast<float>(inexact && (bits & 1U) == 0 ? moved : bits);
}
// a + b rounded to odd; the error of the sum is exact (Knuth's two-sum) unless it overflows, which
// numbers of these formats cannot.
REDFLAG_INLINE double odd_sum(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  const double error = (a - (sum - part)) + (b - part);
  const auto bits = std::bit_cast<u64>(sum);
  const bool away = (error > 0) == (sum > 0);
  const u64 moved = away ? bits + 1 : bits - 1;
  const bool inexact = error != 0 && error == error;
  return std::bit_cast<double>(inexact && (bits & 1U) == 0 ? moved : bits);
}

template <typename H, bool Ftz, Finish How>
H add(H a, H b) {
  return finished<H, Ftz, How>(widen(flushed<H, Ftz>(a)) + widen(flushed<H, Ftz>(b)));
}
template <typename H, bool Ftz, Finish How>
H sub(H a, H b) {
  return finished<H, Ftz, How>(widen(flushed<H, Ftz>(a)) - widen(flushed<H, Ftz>(b)));
}
template <typename H, bool Ftz, Finish How>
H mul(H a, H b) {
  const auto x = static_cast<double>(widen(flushed<H, Ftz>(a)));
  const auto y = static_cast<double>(widen(flushed<H, Ftz>(b)));
  return finished<H, Ftz, How>(odd_float(x * y));
}
template <typename H, bool Ftz, Finish How>
H fma(H a, H b, H c) {
  const auto x = static_cast<double>(widen(flushed<H, Ftz>(a)));
  const auto y = static_cast<double>(widen(flushed<H, Ftz>(b)));
  const auto z = static_cast<double>(widen(flushed<H, Ftz>(c)));
  return finished<H, Ftz, How>(odd_float(odd_sum(x * y, z)));
}
template <typename H, bool Ftz>
H neg(H a) {
  return {static_cast<std::uint16_t>(flushed<H, Ftz>(a).bits ^ 0x8000U)};
}
template <typename H, bool Ftz>
H absolute(H a) {
  return {static_cast<std::uint16_t>(flushed<H, Ftz>(a).bits & 0x7fffU)};
}
// As for f32 (real.cpp), on numbers that order sign and magnitude as integers.
template <typename H, bool Most, bool Ftz, bool Nan, bool XorSign>
H extreme(H first, H second) {
  u32 a = flushed<H, Ftz>(first).bits;
  u32 b = flushed<H, Ftz>(second).bits;
  const u32 sign = (a ^ b) & 0x8000U;
  if constexpr (XorSign) {
    a &= 0x7fffU;
    b &= 0x7fffU;
  }
  const bool a_nan = (a & 0x7fffU) > kExponentMask<H>;
  const bool b_nan = (b & 0x7fffU) > kExponentMask<H>;
  const auto rank = [](u32 x) {
    return (x & 0x8000U) != 0 ? -1 - static_cast<std::int32_t>(x & 0x7fffU)
                              : static_cast<std::int32_t>(x);
  };
  const bool a_less = rank(a) < rank(b);
  u32 best = a_less == Most ? b : a;
  best = a_nan ? b : b_nan ? a : best;
  const bool nan = Nan ? a_nan || b_nan : a_nan && b_nan;
  if constexpr (XorSign) best |= sign;
  return {static_cast<std::uint16_t>(nan ? kNan16 : best)};
}

// The pair forms: low and high half.
template <typename H, auto F, typename... Rest>
REDFLAG_INLINE u32 both(Rest... words) {
  const u32 low = F(H{static_cast<std::uint16_t>(words)}...).bits;
  const u32 high = F(H{static_cast<std::uint16_t>(words >> 16)}...).bits;
  return low | high << 16;
}
template <typename H, auto F>
u32 pair1(u32 a) {
  return both<H, F>(a);
}
template <typename H, auto F>
u32 pair2(u32 a, u32 b) {
  return both<H, F>(a, b);
}
template <typename H, auto F>
u32 pair3(u32 a, u32 b, u32 c) {
  return both<H, F>(a, b, c);
}

template <typename H>
inline constexpr Type kSingle = std::is_same_v<H, Half> ? Type::kF16 : Type::kBf16;
template <typename H>
inline constexpr Type kPair = std::is_same_v<H, Half> ? Type::kF16x2 : Type::kBf16x2;

constexpr Words kFtz = word(Mod::kFtz);
constexpr Words kSat = word(Mod::kSat);
constexpr Words kRelu = word(Mod::kRelu);
constexpr Words kNan = word(Mod::kMathNan);
constexpr Words kXorSign = words(Mod::kXorSign, Mod::kXorSignAbs);
constexpr Roundings kNear = kNearest | kUnrounded;

// Single and packed rows of one function.
template <typename H, auto F>
constexpr auto of_one(Op op, Words more) {
  return std::array{row<F>(op, kSingle<H>).with(more), row<pair1<H, F>>(op, kPair<H>).with(more)};
}
template <typename H, auto F>
constexpr auto of_two(Op op, Words more) {
  return std::array{row<F>(op, kSingle<H>).with(more).rounded(kNear),
                    row<pair2<H, F>>(op, kPair<H>).with(more).rounded(kNear)};
}
template <typename H, auto F>
constexpr auto of_three(Op op, Words more) {
  return std::array{row<F>(op, kSingle<H>).with(more).rounded(kNearest),
                    row<pair3<H, F>>(op, kPair<H>).with(more).rounded(kNearest)};
}
#define ARITHMETIC(of, op, f)                                                                  \
  join(of<H, f<H, false, Finish::kPlain>>(op, 0), of<H, f<H, true, Finish::kPlain>>(op, kFtz), \
       of<H, f<H, false, Finish::kSat>>(op, kSat),                                             \
       of<H, f<H, true, Finish::kSat>>(op, kFtz | kSat))
#define EXTREMES(op, most)                                                  \
  join(of_two<H, extreme<H, most, false, false, false>>(op, 0),             \
       of_two<H, extreme<H, most, true, false, false>>(op, kFtz),           \
       of_two<H, extreme<H, most, false, true, false>>(op, kNan),           \
       of_two<H, extreme<H, most, true, true, false>>(op, kFtz | kNan),     \
       of_two<H, extreme<H, most, false, false, true>>(op, kXorSign),       \
       of_two<H, extreme<H, most, true, false, true>>(op, kFtz | kXorSign), \
       of_two<H, extreme<H, most, false, true, true>>(op, kNan | kXorSign), \
       of_two<H, extreme<H, most, true, true, true>>(op, kFtz | kNan | kXorSign))

template <typename H>
constexpr auto rows_for() {
  return join(ARITHMETIC(of_two, Op::kAdd, add), ARITHMETIC(of_two, Op::kSub, sub),
              ARITHMETIC(of_two, Op::kMul, mul), ARITHMETIC(of_three, Op::kFma, fma),
              of_three<H, fma<H, false, Finish::kRelu>>(Op::kFma, kRelu),
              of_three<H, fma<H, true, Finish::kRelu>>(Op::kFma, kFtz | kRelu),
              of_one<H, neg<H, false>>(Op::kNeg, 0), of_one<H, neg<H, true>>(Op::kNeg, kFtz),
              of_one<H, absolute<H, false>>(Op::kAbs, 0),
              of_one<H, absolute<H, true>>(Op::kAbs, kFtz), EXTREMES(Op::kMin, false),
              EXTREMES(Op::kMax, true));
}

constexpr auto kTable = join(rows_for<Half>(), rows_for<Bfloat>());

}  // namespace

Rows half_rows() {
  return rows_of(kTable);
}

}  // namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL
