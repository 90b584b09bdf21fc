// Arithmetic on f32 and f64 that IEEE 754 fixes to the bit: add, sub, mul, fma, mad, div, rcp, sqrt with
// a rounding, abs, neg, min, max, copysign, testp. (PTX ISA 9.7.3.) Roundings other than to nearest are
// the processor's own (RoundingScope). Compiled without contraction and without fast math.
#include "frontends/cuda/values/real.h"

#include <cmath>

#include "frontends/cuda/values/prepare.h"

namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL {
namespace {

using ptx::Mod;
using ptx::Op;
using ptx::Type;

template <typename T, bool Ftz, bool Sat>
T add(T a, T b) {
  return output_of<Ftz, Sat>(input<Ftz>(a) + input<Ftz>(b), b, a);
}
template <typename T, bool Ftz, bool Sat>
T sub(T a, T b) {
  return output_of<Ftz, Sat>(input<Ftz>(a) - input<Ftz>(b), b, a);
}
template <typename T, bool Ftz, bool Sat>
T mul(T a, T b) {
  const T x = input<Ftz>(a);
  const T y = input<Ftz>(b);
  T result = x * y;
  if constexpr (Ftz) result = settled<Ftz>(result, (x * kScale) * y);
  return output_of<Ftz, Sat>(result, b, a);
}
template <typename T, bool Ftz, bool Sat>
T fma(T a, T b, T c) {
  const T x = input<Ftz>(a);
  const T y = input<Ftz>(b);
  const T z = input<Ftz>(c);
  T result = std::fma(x, y, z);
  if constexpr (Ftz) result = settled<Ftz>(result, std::fma(x * kScale, y, z * kScale));
  return output_of<Ftz, Sat>(result, b, c, a);
}
template <typename T, bool Ftz, bool Sat>
T div(T a, T b) {
  const T x = input<Ftz>(a);
  const T y = input<Ftz>(b);
  T result = x / y;
  if constexpr (Ftz) result = settled<Ftz>(result, (x * kScale) / y);
  return output_of<Ftz, Sat>(result, a, b);
}
template <typename T, bool Ftz, bool Sat>
T rcp(T a) {
  const T x = input<Ftz>(a);
  T result = T{1} / x;
  if constexpr (Ftz) result = settled<Ftz>(result, kScale / x);
  return output_of<Ftz, Sat>(result, a);
}
template <typename T, bool Ftz, bool Sat>
T root(T a) {
  return output_of<Ftz, Sat>(std::sqrt(input<Ftz>(a)), a);
}

template <typename T>
using Bits = Word<T>;
template <typename T>
inline constexpr Bits<T> kSign = Bits<T>{1} << (sizeof(T) * 8 - 1);
template <typename T>
inline constexpr Bits<T> kInfinity =
    sizeof(T) == 8 ? static_cast<Bits<T>>(0x7ff0000000000000) : static_cast<Bits<T>>(0x7f800000);
template <typename T>
inline constexpr Bits<T> kLeastNormal =
    sizeof(T) == 8 ? static_cast<Bits<T>>(0x0010000000000000) : static_cast<Bits<T>>(0x00800000);
template <typename T>
REDFLAG_INLINE Bits<T> bits(T x) {
  return std::bit_cast<Bits<T>>(x);
}
template <typename T>
REDFLAG_INLINE T from(Bits<T> x) {
  return std::bit_cast<T>(x);
}

// These are additions to the hardware: f32 makes its NaN, f64 passes one through, sign and all.
template <typename T, bool Ftz>
T absolute(T a) {
  const T result = from<T>(bits(input<Ftz>(a)) & ~kSign<T>);
  return is_nan(a) ? output_of<false, false>(a, a) : result;
}
template <typename T, bool Ftz>
T neg(T a) {
  const T result = from<T>(bits(input<Ftz>(a)) ^ kSign<T>);
  return is_nan(a) ? output_of<false, false>(a, a) : result;
}
// The sign of a on b.
template <typename T>
T copysign(T a, T b) {
  return from<T>((bits(a) & kSign<T>) | (bits(b) & ~kSign<T>));
}

// -0 is less than +0; one NaN gives the other operand, unless .NaN is written.
template <typename T, bool Most, bool Nan>
REDFLAG_INLINE T extreme(T a, T b) {
  const bool a_first = Most ? a > b : a < b;
  const Bits<T> tie = Most ? bits(a) & bits(b) : bits(a) | bits(b);  // of equals only zeros differ
  T best = a_first ? a : a == b ? from<T>(tie) : b;
  const bool a_nan = is_nan(a);
  const bool b_nan = is_nan(b);
  T nan = b;  // of f64 the second, made quiet
  if constexpr (sizeof(T) == 8) {
    nan = first_nan(b, a);
  } else {
    nan = from<T>(kNan32);
  }
  if constexpr (Nan) {
    best = a_nan || b_nan ? nan : best;
  } else {
    best = a_nan ? b : b_nan ? a : best;
    best = a_nan && b_nan ? nan : best;
  }
  return best;
}
template <typename T, bool Most, bool Ftz, bool Nan, bool XorSign>
T extreme_of(T a, T b) {
  a = input<Ftz>(a);
  b = input<Ftz>(b);
  if constexpr (XorSign) {
    const T best =
        extreme<T, Most, Nan>(from<T>(bits(a) & ~kSign<T>), from<T>(bits(b) & ~kSign<T>));
    const Bits<T> sign = (bits(a) ^ bits(b)) & kSign<T>;
    return is_nan(best) ? best : from<T>(bits(best) | sign);
  } else {
    return extreme<T, Most, Nan>(a, b);
  }
}
template <typename T, bool Most, bool Ftz, bool Nan>
T extreme_of_three(T a, T b, T c) {
  return extreme_of<T, Most, Ftz, Nan, false>(extreme_of<T, Most, Ftz, Nan, false>(a, b), c);
}

enum class Property { kFinite, kInfinite, kNumber, kNotANumber, kNormal, kSubnormal };
template <typename T, Property P>
void testp(const ValueArgs& args) {
  const auto* a = static_cast<const Bits<T>*>(args.source[0]);
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    const Bits<T> size = a[i] & ~kSign<T>;
    bool holds = false;
    switch (P) {
      case Property::kFinite:
        holds = size < kInfinity<T>;
        break;
      case Property::kInfinite:
        holds = size == kInfinity<T>;
        break;
      case Property::kNumber:
        holds = size <= kInfinity<T>;
        break;
      case Property::kNotANumber:
        holds = size > kInfinity<T>;
        break;
      case Property::kNormal:
        holds = size == 0 || (size >= kLeastNormal<T> && size < kInfinity<T>);  // zeros are, too
        break;
      case Property::kSubnormal:
        holds = size != 0 && size < kLeastNormal<T>;
        break;
    }
    mask |= static_cast<std::uint32_t>(holds) << i;
  }
  store_mask(args.result[0], args.active, mask);
}
template <Property P>
constexpr auto testp_rows(Mod mod) {
  const auto make = [&](Type type, ValueOp run, std::uint8_t width) {
    return Row{.op = Op::kTestp,
               .types = {type},
               .words = word(mod),
               .run = run,
               .result_bits = {1},
               .source_bits = {width}};
  };
  return std::array{make(Type::kF32, testp<float, P>, 32), make(Type::kF64, testp<double, P>, 64)};
}

constexpr Words kFtz = word(Mod::kFtz);
constexpr Words kSat = word(Mod::kSat);
constexpr Words kNan = word(Mod::kMathNan);
constexpr Words kXorSign = words(Mod::kXorSign, Mod::kXorSignAbs);

// To nearest by a plain loop, the others with the processor's mode changed.
template <auto F>
constexpr auto in_all_roundings(Op op, Type type, Words more, Roundings nearest) {
  Row directed = row<F>(op, type).with(more).rounded(kDirected).prepared(prepare_rounding);
  directed.run = Lanes<F>::run_rounded;
  return std::array{row<F>(op, type).with(more).rounded(nearest), directed};
}
// The name of a template cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define FLUSHING(op, f, nearest)                                               \
  join(in_all_roundings<f<float, false, false>>(op, Type::kF32, 0, nearest),   \
       in_all_roundings<f<float, true, false>>(op, Type::kF32, kFtz, nearest), \
       in_all_roundings<f<double, false, false>>(op, Type::kF64, 0, nearest))
#define SATURATING(op, f, nearest)                                             \
  join(FLUSHING(op, f, nearest),                                               \
       in_all_roundings<f<float, false, true>>(op, Type::kF32, kSat, nearest), \
       in_all_roundings<f<float, true, true>>(op, Type::kF32, kFtz | kSat, nearest))
#define EXTREMES(op, most)                                                                     \
  std::array {                                                                                 \
    row<extreme_of<float, most, false, false, false>>(op, Type::kF32),                         \
        row<extreme_of<float, most, true, false, false>>(op, Type::kF32).with(kFtz),           \
        row<extreme_of<float, most, false, true, false>>(op, Type::kF32).with(kNan),           \
        row<extreme_of<float, most, true, true, false>>(op, Type::kF32).with(kFtz | kNan),     \
        row<extreme_of<float, most, false, false, true>>(op, Type::kF32).with(kXorSign),       \
        row<extreme_of<float, most, true, false, true>>(op, Type::kF32).with(kFtz | kXorSign), \
        row<extreme_of<float, most, false, true, true>>(op, Type::kF32).with(kNan | kXorSign), \
        row<extreme_of<float, most, true, true, true>>(op, Type::kF32)                         \
            .with(kFtz | kNan | kXorSign),                                                     \
        row<extreme_of<double, most, false, false, false>>(op, Type::kF64),                    \
        row<extreme_of_three<float, most, false, false>>(op, Type::kF32),                      \
        row<extreme_of_three<float, most, true, false>>(op, Type::kF32).with(kFtz),            \
        row<extreme_of_three<float, most, false, true>>(op, Type::kF32).with(kNan),            \
        row<extreme_of_three<float, most, true, true>>(op, Type::kF32).with(kFtz | kNan),      \
  }
// NOLINTEND(bugprone-macro-parentheses)

constexpr Roundings kAlsoUnwritten = kNearest | kUnrounded;  // add.f32 is add.rn.f32

constexpr auto kTable = join(
    SATURATING(Op::kAdd, add, kAlsoUnwritten), SATURATING(Op::kSub, sub, kAlsoUnwritten),
    SATURATING(Op::kMul, mul, kAlsoUnwritten), SATURATING(Op::kFma, fma, kNearest),
    SATURATING(Op::kMad, fma, kNearest), FLUSHING(Op::kDiv, div, kNearest),
    FLUSHING(Op::kRcp, rcp, kNearest), FLUSHING(Op::kSqrt, root, kNearest),
    EXTREMES(Op::kMin, false), EXTREMES(Op::kMax, true),
    std::array{row<absolute<float, false>>(Op::kAbs, Type::kF32),
               row<absolute<float, true>>(Op::kAbs, Type::kF32).with(kFtz),
               row<absolute<double, false>>(Op::kAbs, Type::kF64),
               row<neg<float, false>>(Op::kNeg, Type::kF32),
               row<neg<float, true>>(Op::kNeg, Type::kF32).with(kFtz),
               row<neg<double, false>>(Op::kNeg, Type::kF64),
               row<copysign<float>>(Op::kCopysign, Type::kF32),
               row<copysign<double>>(Op::kCopysign, Type::kF64)},
    testp_rows<Property::kFinite>(Mod::kFinite), testp_rows<Property::kInfinite>(Mod::kInfinite),
    testp_rows<Property::kNumber>(Mod::kNumber),
    testp_rows<Property::kNotANumber>(Mod::kNotANumber),
    testp_rows<Property::kNormal>(Mod::kNormal), testp_rows<Property::kSubnormal>(Mod::kSubnormal));

}  // namespace

Rows real_rows() {
  return rows_of(kTable);
}

}  // namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL
