// Approximate functions: div.approx, div.full, rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh. (PTX ISA 9.7.3
// and 9.7.4.)
//
// The hardware's results are not specified to the bit, only their greatest error (math_test.cpp has the
// table). Here they are computed in f64 and rounded once, so that they are as near as the format allows:
// programs that work within the manual's bounds work with these. What the manual does fix is kept:
// flushing, special values, div.approx with a divisor above 2^126, the zeroed low half of f64 results.
#include <cmath>

#include "frontends/cuda/values/half.h"

namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL {
namespace {

using ptx::Mod;
using ptx::Op;
using ptx::Type;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// a * (1/b), as the hardware does it: a reciprocal below the normal range is zero.
template <bool Ftz>
float div_approx(float a, float b) {
  const float x = input<Ftz>(a);
  const float y = input<Ftz>(b);
  const float size = std::bit_cast<float>(std::bit_cast<u32>(y) & 0x7fffffffU);
  const bool vanishes = size > 0x1p126F && size < std::bit_cast<float>(0x7f800000U);
  const float zero = std::bit_cast<float>(std::bit_cast<u32>(y) & 0x80000000U);
  return output<Ftz, false>(vanishes ? x * zero : x / y);
}
template <bool Ftz>
float div_full(float a, float b) {
  return output<Ftz, false>(input<Ftz>(a) / input<Ftz>(b));
}
template <bool Ftz>
float rcp(float a) {
  return output<Ftz, false>(1.0F / input<Ftz>(a));
}
template <bool Ftz>
float root(float a) {
  return output<Ftz, false>(std::sqrt(input<Ftz>(a)));
}
// Functions on doubles, rounded once.
double one_over_root(double x) {
  return 1.0 / std::sqrt(x);
}
double sine(double x) {
  return std::sin(x);
}
double cosine(double x) {
  return std::cos(x);
}
double logarithm(double x) {
  return std::log2(x);
}
double exponential(double x) {
  return std::exp2(x);
}
double hyperbolic(double x) {
  return std::tanh(x);
}
template <double (*F)(double), bool Ftz>
float in_double(float a) {
  return output<Ftz, false>(static_cast<float>(F(static_cast<double>(input<Ftz>(a)))));
}
double rsqrt64(double x) {
  return output_of<false, false>(one_over_root(x), x);
}

// The .ftz forms of f64 read and write the upper half alone: 20 bits of fraction.
REDFLAG_INLINE double upper(double x) {
  u64 bits = std::bit_cast<u64>(x) & 0xffffffff00000000U;
  if ((bits & 0x7ff0000000000000U) == 0) bits &= 0x8000000000000000U;
  return std::bit_cast<double>(bits);
}
REDFLAG_INLINE double upper_result(double x) {
  // A NaN must stay one without its low half.
  return x == x ? upper(x) : std::bit_cast<double>(u64{0x7fffffff00000000});
}
double rcp_upper(double x) {
  return upper_result(1.0 / upper(x));
}
double rsqrt_upper(double x) {
  return upper_result(one_over_root(upper(x)));
}

template <typename H, bool Ftz>
REDFLAG_INLINE H flushed(H h) {
  const u32 exponent = std::is_same_v<H, Half> ? 0x7c00 : 0x7f80;
  return Ftz && (h.bits & exponent) == 0 ? H{static_cast<std::uint16_t>(h.bits & 0x8000U)} : h;
}
// Through f64 and f32: the functions' values are never so near a tie that rounding twice would show
// beyond the error that is allowed.
template <typename H, double (*F)(double), bool Ftz>
H on_half(H a) {
  const auto x = static_cast<double>(widen(flushed<H, Ftz>(a)));
  return flushed<H, Ftz>(narrow<H>(static_cast<float>(F(x))));
}
template <typename H, double (*F)(double), bool Ftz>
u32 on_pair(u32 a) {
  const u32 low = on_half<H, F, Ftz>(H{static_cast<std::uint16_t>(a)}).bits;
  const u32 high = on_half<H, F, Ftz>(H{static_cast<std::uint16_t>(a >> 16)}).bits;
  return low | high << 16;
}

constexpr Words kApprox = word(Mod::kApprox);
constexpr Words kFtz = word(Mod::kFtz);
constexpr Words kFull = word(Mod::kFull);

template <auto Plain, auto Flushing>
constexpr auto both(Op op, Words more) {
  return std::array{row<Plain>(op, Type::kF32).with(more),
                    row<Flushing>(op, Type::kF32).with(more | kFtz)};
}
template <double (*F)(double)>
constexpr auto in_both(Op op) {
  return both<in_double<F, false>, in_double<F, true>>(op, kApprox);
}
template <double (*F)(double)>
constexpr auto on_halves(Op op) {
  return std::array{
      row<on_half<Half, F, false>>(op, Type::kF16).with(kApprox),
      row<on_pair<Half, F, false>>(op, Type::kF16x2).with(kApprox),
      row<on_half<Bfloat, F, false>>(op, Type::kBf16).with(kApprox),
      row<on_pair<Bfloat, F, false>>(op, Type::kBf16x2).with(kApprox),
      row<on_half<Bfloat, F, true>>(op, Type::kBf16).with(kApprox | kFtz),
      row<on_pair<Bfloat, F, true>>(op, Type::kBf16x2).with(kApprox | kFtz),
  };
}

constexpr auto kTable =
    join(both<div_approx<false>, div_approx<true>>(Op::kDiv, kApprox),
         both<div_full<false>, div_full<true>>(Op::kDiv, kFull),
         both<rcp<false>, rcp<true>>(Op::kRcp, kApprox),
         both<root<false>, root<true>>(Op::kSqrt, kApprox), in_both<one_over_root>(Op::kRsqrt),
         in_both<sine>(Op::kSin), in_both<cosine>(Op::kCos), in_both<logarithm>(Op::kLg2),
         in_both<exponential>(Op::kEx2), in_both<hyperbolic>(Op::kTanh),
         on_halves<exponential>(Op::kEx2), on_halves<hyperbolic>(Op::kTanh),
         std::array{row<rcp_upper>(Op::kRcp, Type::kF64).with(kApprox | kFtz),
                    row<rsqrt_upper>(Op::kRsqrt, Type::kF64).with(kApprox | kFtz),
                    row<rsqrt64>(Op::kRsqrt, Type::kF64).with(kApprox)});

}  // namespace

Rows math_rows() {
  return rows_of(kTable);
}

}  // namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL
