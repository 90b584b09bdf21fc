// cvt among floats of one value: f16, bf16, tf32, f32, f64; widening, narrowing with any rounding, and
// rounding to an integral value. (PTX ISA 9.7.9.21.)
#include <cmath>

#include "frontends/cuda/values/narrow.h"
#include "frontends/cuda/values/prepare.h"

namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL {
namespace {

using ptx::Mod;
using ptx::Op;
using ptx::Rounding;
using ptx::Type;

struct Tf32 {
  std::uint32_t bits;
};

template <typename T>
REDFLAG_INLINE double real_of(Word<T> w, bool ftz) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>) {
    return static_cast<double>(widen(from_word<T>(w)));
  } else if constexpr (std::is_same_v<T, float>) {
    const float x = from_word<float>(w);
    return static_cast<double>(ftz ? flush(x) : x);
  } else {
    return from_word<double>(w);
  }
}
// The result's bits; with .ftz a subnormal f32 becomes zero.
template <typename T>
REDFLAG_INLINE Word<T> rounded(double x, Rounding mode, bool ftz, bool saturate_finite) {
  if constexpr (std::is_same_v<T, Half>) {
    return round_real<kF16>(x, mode, saturate_finite);
  } else if constexpr (std::is_same_v<T, Bfloat>) {
    return round_real<kBf16>(x, mode, saturate_finite);
  } else if constexpr (std::is_same_v<T, Tf32>) {
    return round_real<kTf32>(x, mode, saturate_finite) << 13;
  } else if constexpr (std::is_same_v<T, float>) {
    const auto narrow = static_cast<float>(x);  // the processor is in this mode
    const float kept = is_nan(narrow) ? std::bit_cast<float>(kNan32) : narrow;
    return std::bit_cast<std::uint32_t>(ftz ? flush(kept) : kept);
  } else {
    return std::bit_cast<std::uint64_t>(x);
  }
}
REDFLAG_INLINE double integral(double x, Rounding mode) {
  switch (mode) {
    case Rounding::kRni:
      return std::nearbyint(x);
    case Rounding::kRzi:
      return std::trunc(x);
    case Rounding::kRmi:
      return std::floor(x);
    case Rounding::kRpi:
      return std::ceil(x);
    default:
      return x;
  }
}
// Of a NaN the upper bits stay, made quiet, as the processor does too.
float double_to_float(double a) {
  return static_cast<float>(a);
}
template <typename To, typename From, bool Sat, bool Relu, bool Finite>
void convert(const ValueArgs& args) {
  const auto* a = static_cast<const Word<From>*>(args.source[0]);
  const auto mode = static_cast<Rounding>(args.shift & kConvertRounding);
  const bool ftz = (args.shift & kConvertFlush) != 0;
  const RoundingScope scope(std::is_same_v<To, float> && mode <= Rounding::kRp
                                ? static_cast<std::uint16_t>(mode)
                                : std::uint16_t{0});
  store_lanes(static_cast<Word<To>*>(args.result[0]), args.active, [=](unsigned i) {
    double x = integral(real_of<From>(a[i], ftz), mode);
    if constexpr (Sat) x = x > 0 ? (x < 1 ? x : 1.0) : 0.0;
    if constexpr (Relu) x = x < 0 ? 0.0 : x == 0 ? 0.0 : x;
    if constexpr (std::is_same_v<To, float> && std::is_same_v<From, double> && !Sat) {
      if (is_nan(x)) return std::bit_cast<std::uint32_t>(double_to_float(x));
    }
    return rounded<To>(x, mode, ftz, Finite);
  });
}

// Ties away from zero, which old code asks for: a NaN keeps the bits that tf32 has.
template <bool Finite>
std::uint32_t to_tf32(float a) {
  if (is_nan(a)) return std::bit_cast<std::uint32_t>(a) & 0xffffe000U;
  return round_real<kTf32>(static_cast<double>(a), Rounding::kRna, Finite) << 13;
}

// The pairs that f16 kernels are made of, as vectors.
float half_to_float(Half a) {
  return output<false, false>(widen(a));
}
float bfloat_to_float(Bfloat a) {
  return output<false, false>(widen(a));
}
Half float_to_half(float a) {
  return to_half(a);
}
Bfloat float_to_bfloat(float a) {
  return to_bfloat(a);
}
double float_to_double(float a) {
  return static_cast<double>(a);
}

template <typename To, typename From, bool Sat, bool Relu, bool Finite>
constexpr Row cvt(Type to, Type from, Roundings roundings, Words more) {
  return {.op = Op::kCvt,
          .types = {to, from},
          .words = more,
          .roundings = roundings,
          .run = convert<To, From, Sat, Relu, Finite>,
          .prepare = prepare_convert,
          .operands = Operands::kByRegister,
          .result_bits = {sizeof(To) == 8 ? 64 : 32},
          .source_bits = {sizeof(From) == 8 ? 64 : 32}};
}
template <auto F>
constexpr Row fast(Type to, Type from, Roundings roundings) {
  Row made = row<F>(Op::kCvt, to, from).rounded(roundings);
  made.prepare = prepare_convert;  // checks the registers
  made.operands = Operands::kByRegister;
  made.result_bits[0] = made.result_bits[0] > 32 ? 64 : 32;
  made.source_bits[0] = made.source_bits[0] > 32 ? 64 : 32;
  return made;
}
constexpr Words kFtz = word(Mod::kFtz);
constexpr Words kSat = word(Mod::kSat);
constexpr Words kRelu = word(Mod::kRelu);
constexpr Words kFinite = word(Mod::kSatFinite);
constexpr Roundings kToIntegral = rounding(Rounding::kRni) | rounding(Rounding::kRzi) |
                                  rounding(Rounding::kRmi) | rounding(Rounding::kRpi);

template <typename To, typename From>
constexpr auto plain(Type to, Type from, Roundings roundings) {
  return std::array{cvt<To, From, false, false, false>(to, from, roundings, 0),
                    cvt<To, From, false, false, false>(to, from, roundings, kFtz),
                    cvt<To, From, true, false, false>(to, from, roundings, kSat),
                    cvt<To, From, true, false, false>(to, from, roundings, kSat | kFtz)};
}
template <typename To>
constexpr auto narrowing(Type to, Roundings roundings) {
  return std::array{cvt<To, float, false, true, false>(to, Type::kF32, roundings, kRelu),
                    cvt<To, float, false, false, true>(to, Type::kF32, roundings, kFinite),
                    cvt<To, float, false, true, true>(to, Type::kF32, roundings, kRelu | kFinite)};
}

constexpr Roundings kAll = kNearest | kDirected;

constexpr auto kTable =
    join(std::array{fast<half_to_float>(Type::kF32, Type::kF16, kUnrounded),
                    fast<bfloat_to_float>(Type::kF32, Type::kBf16, kUnrounded),
                    fast<float_to_half>(Type::kF16, Type::kF32, kNearest),
                    fast<float_to_bfloat>(Type::kBf16, Type::kF32, kNearest),
                    fast<float_to_double>(Type::kF64, Type::kF32, kUnrounded),
                    fast<double_to_float>(Type::kF32, Type::kF64, kNearest)},
         plain<float, Half>(Type::kF32, Type::kF16, kUnrounded),
         plain<float, Bfloat>(Type::kF32, Type::kBf16, kUnrounded),
         plain<double, Half>(Type::kF64, Type::kF16, kUnrounded),
         plain<double, Bfloat>(Type::kF64, Type::kBf16, kUnrounded),
         plain<double, float>(Type::kF64, Type::kF32, kUnrounded),
         plain<Half, float>(Type::kF16, Type::kF32, kAll),
         plain<Half, double>(Type::kF16, Type::kF64, kAll),
         plain<Bfloat, float>(Type::kBf16, Type::kF32, kAll),
         plain<Bfloat, double>(Type::kBf16, Type::kF64, kAll),
         plain<Half, Bfloat>(Type::kF16, Type::kBf16, kAll),
         plain<Bfloat, Half>(Type::kBf16, Type::kF16, kAll),
         plain<float, double>(Type::kF32, Type::kF64, kAll),
         plain<float, float>(Type::kF32, Type::kF32, kToIntegral | kUnrounded),
         plain<double, double>(Type::kF64, Type::kF64, kToIntegral | kUnrounded),
         plain<Half, Half>(Type::kF16, Type::kF16, kToIntegral | kUnrounded),
         plain<Bfloat, Bfloat>(Type::kBf16, Type::kBf16, kToIntegral | kUnrounded),
         narrowing<Half>(Type::kF16, kAll), narrowing<Bfloat>(Type::kBf16, kAll),
         narrowing<Tf32>(Type::kTf32, kNearest | rounding(Rounding::kRz)),
         std::array{
             cvt<Tf32, float, false, false, false>(Type::kTf32, Type::kF32,
                                                   kNearest | rounding(Rounding::kRz), 0),
             fast<to_tf32<false>>(Type::kTf32, Type::kF32, rounding(Rounding::kRna)),
             fast<to_tf32<true>>(Type::kTf32, Type::kF32, rounding(Rounding::kRna)).with(kFinite)});

}  // namespace

Rows convert_real_rows() {
  return rows_of(kTable);
}

}  // namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL
