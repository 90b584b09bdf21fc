// cvt among integers, and between integers and floats. (PTX ISA 9.7.9.21.)
//
// Registers may be wider than the types: a source's upper bits are ignored, a result is extended to all
// of its register, by the sign for signed types. The pairs that address arithmetic is made of have loops
// of their own; the rest goes through 64 bits, with widths as data. Floats to integers always saturate;
// NaN becomes 0, or the top bit alone where 64 bits are on either side, as the manual says.
#include <cmath>

#include "frontends/cuda/values/narrow.h"
#include "frontends/cuda/values/prepare.h"

namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL {
namespace {

using ptx::Mod;
using ptx::Op;
using ptx::Rounding;
using ptx::Type;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

REDFLAG_INLINE u64 low_bits(u64 value, unsigned bits) {
  return value << (64 - bits) >> (64 - bits);
}
REDFLAG_INLINE u64 extended(u64 value, unsigned bits, bool is_signed) {
  return is_signed ? static_cast<u64>(static_cast<i64>(value << (64 - bits)) >> (64 - bits))
                   : low_bits(value, bits);
}

template <typename To, typename From>
To plain(From a) {
  return static_cast<To>(a);
}

// The value of the source and the limits of the result, as signed or unsigned 64 bits: comparing them
// needs both kinds, since u64 does not fit i64.
REDFLAG_INLINE u64 saturated(u64 value, const Conversion& c) {
  const bool negative = c.from_signed && static_cast<i64>(value) < 0;
  const u64 most = c.to_signed ? (u64{1} << (c.to - 1)) - 1 : low_bits(~u64{0}, c.to);
  if (negative) {
    if (!c.to_signed) return 0;
    const u64 least = ~most;  // the most negative number, extended
    return static_cast<i64>(value) < static_cast<i64>(least) ? least : value;
  }
  return value > most ? most : value;
}
template <typename WFrom, typename WTo>
void among_integers(const ValueArgs& args) {
  const auto* a = static_cast<const WFrom*>(args.source[0]);
  const Conversion c = unpack_conversion(args.constant);
  store_lanes(static_cast<WTo*>(args.result[0]), args.active, [=](unsigned i) {
    u64 value = extended(a[i], c.from, c.from_signed);
    if (c.saturate) value = saturated(value, c);
    return static_cast<WTo>(low_bits(extended(value, c.to, c.to_signed), c.whole));
  });
}

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
template <Rounding R>
REDFLAG_INLINE double integral(double x) {
  switch (R) {
    case Rounding::kRzi:
      return std::trunc(x);
    case Rounding::kRmi:
      return std::floor(x);
    case Rounding::kRpi:
      return std::ceil(x);
    default:
      return std::nearbyint(x);
  }
}
REDFLAG_INLINE i64 signed_of(double x) {  // saturated
  if (x >= 0x1p63) return 0x7fffffffffffffff;
  return x < -0x1p63 ? static_cast<i64>(u64{1} << 63) : static_cast<i64>(x);
}
REDFLAG_INLINE u64 unsigned_of(double x) {
  if (!(x > 0)) return 0;
  if (x >= 0x1p64) return ~u64{0};
  return x >= 0x1p63 ? static_cast<u64>(static_cast<i64>(x - 0x1p63)) ^ (u64{1} << 63)
                     : static_cast<u64>(static_cast<i64>(x));
}
template <typename T, typename WTo, Rounding R>
void to_integer(const ValueArgs& args) {
  const auto* a = static_cast<const Word<T>*>(args.source[0]);
  const Conversion c = unpack_conversion(args.constant);
  const bool ftz = (args.shift & kConvertFlush) != 0;
  const u64 nan = c.to == 64 || c.from == 64 ? u64{1} << (c.to - 1) : 0;
  const double most = c.to_signed ? static_cast<double>((u64{1} << (c.to - 1)) - 1)
                                  : static_cast<double>(low_bits(~u64{0}, c.to));
  const double least = c.to_signed ? -static_cast<double>(u64{1} << (c.to - 1)) : 0.0;
  store_lanes(static_cast<WTo*>(args.result[0]), args.active, [=](unsigned i) {
    const double x = integral<R>(real_of<T>(a[i], ftz));
    u64 value = nan;
    if (!is_nan(x)) {
      if (c.to == 64) {
        value = c.to_signed ? static_cast<u64>(signed_of(x)) : unsigned_of(x);
      } else {
        const double clamped = x > most ? most : x < least ? least : x;
        value = static_cast<u64>(static_cast<i64>(clamped));
      }
    }
    return static_cast<WTo>(low_bits(extended(value, c.to, c.to_signed), c.whole));
  });
}
// The common case by itself: a loop that becomes vectors.
template <bool Ftz>
i32 truncated(float x) {
  const float in = input<Ftz>(x);
  const bool fits = in >= -0x1p31F && in < 0x1p31F;
  const i32 value = static_cast<i32>(fits ? in : 0.0F);
  return fits ? value : in >= 0x1p31F ? 0x7fffffff : in < 0 ? static_cast<i32>(0x80000000U) : 0;
}

template <typename T, typename WFrom>
void to_real(const ValueArgs& args) {
  const auto* a = static_cast<const WFrom*>(args.source[0]);
  const Conversion c = unpack_conversion(args.constant);
  const auto mode = static_cast<Rounding>(args.shift & kConvertRounding);
  const RoundingScope scope(
      std::is_same_v<T, float> || std::is_same_v<T, double> ? static_cast<u16>(mode) : u16{0});
  store_lanes(static_cast<Word<T>*>(args.result[0]), args.active, [=](unsigned i) -> Word<T> {
    const u64 value = extended(a[i], c.from, c.from_signed);
    const bool negative = c.from_signed && static_cast<i64>(value) < 0;
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      // Compilers convert 64 bits without sign by a difference, which is -0 for 0 when rounding down.
      T x{0};
      if (value != 0) {
        x = c.from_signed ? static_cast<T>(static_cast<i64>(value)) : static_cast<T>(value);
      }
      if (c.saturate) x = x > 0 ? (x < 1 ? x : T{1}) : T{0};
      return to_word<T>(x);
    } else {
      Exact exact = {negative, negative ? 0 - value : value, 0};
      if (c.saturate) exact = {false, !negative && value != 0 ? u64{1} : u64{0}, 0};
      if constexpr (std::is_same_v<T, Half>) return round_exact<kF16>(exact, mode, false);
      return round_exact<kBf16>(exact, mode, false);
    }
  });
}
// 32 bits to f32 and f64, to nearest: vectors.
template <typename To, typename From>
To nearest(From a) {
  return static_cast<To>(static_cast<double>(a));
}

constexpr Row cvt(Type to, Type from, ValueOp run, std::uint8_t to_word, std::uint8_t from_word) {
  return {.op = Op::kCvt,
          .types = {to, from},
          .run = run,
          .prepare = prepare_convert,
          .operands = Operands::kByRegister,
          .result_bits = {to_word},
          .source_bits = {from_word}};
}
template <auto F>
constexpr Row fast(Type to, Type from) {
  Row made = row<F>(Op::kCvt, to, from);
  made.prepare = prepare_convert;  // checks the registers
  made.operands = Operands::kByRegister;
  made.source_bits[0] = made.source_bits[0] > 32 ? 64 : 32;
  return made;
}

constexpr std::array kIntegers = {Type::kU8,  Type::kS8,  Type::kU16, Type::kS16,
                                  Type::kU32, Type::kS32, Type::kU64, Type::kS64,
                                  Type::kB8,  Type::kB16, Type::kB32, Type::kB64};
constexpr bool is_wide(Type type) {
  return ptx::info(type).bits > 32;
}

// All pairs of integers, in every width of register that holds them, with and without .sat.
constexpr auto integer_pairs() {
  constexpr std::size_t kCount = kIntegers.size();
  std::array<Row, kCount * kCount * 8> rows = {};
  std::size_t next = 0;
  for (const Type to : kIntegers) {
    for (const Type from : kIntegers) {
      for (const std::uint8_t to_word : {32, 64}) {
        for (const std::uint8_t from_word : {32, 64}) {
          if ((is_wide(to) && to_word == 32) || (is_wide(from) && from_word == 32)) continue;
          const ValueOp run =
              to_word == 32
                  ? (from_word == 32 ? among_integers<u32, u32> : among_integers<u64, u32>)
                  : (from_word == 32 ? among_integers<u32, u64> : among_integers<u64, u64>);
          rows[next++] = cvt(to, from, run, to_word, from_word);
          rows[next++] = cvt(to, from, run, to_word, from_word).with(word(Mod::kSat));
        }
      }
    }
  }
  return rows;  // the rest stays empty, Op::kUnknown, which nothing asks for
}

template <typename T, Rounding R>
constexpr auto to_integers(Type from) {
  std::array<Row, 8 * 4> rows = {};
  for (std::size_t i = 0; i < 8; ++i) {
    const bool wide = is_wide(kIntegers[i]);
    const Row one = cvt(kIntegers[i], from, wide ? to_integer<T, u64, R> : to_integer<T, u32, R>,
                        wide ? 64 : 32, sizeof(T) == 8 ? 64 : 32)
                        .rounded(rounding(R));
    rows[4 * i] = one;
    rows[4 * i + 1] = one.with(word(Mod::kFtz));
    rows[4 * i + 2] = one.with(word(Mod::kSat));
    rows[4 * i + 3] = one.with(words(Mod::kSat, Mod::kFtz));
  }
  return rows;
}
template <typename T>
constexpr auto to_integers(Type from) {
  return join(to_integers<T, Rounding::kRni>(from), to_integers<T, Rounding::kRzi>(from),
              to_integers<T, Rounding::kRmi>(from), to_integers<T, Rounding::kRpi>(from));
}
template <typename T>
constexpr auto from_integers(Type to) {
  std::array<Row, 8 * 4> rows = {};
  for (std::size_t i = 0; i < 8; ++i) {
    for (const std::uint8_t from_word : {32, 64}) {
      if (is_wide(kIntegers[i]) && from_word == 32) continue;
      const Row one = cvt(to, kIntegers[i], from_word == 64 ? to_real<T, u64> : to_real<T, u32>,
                          sizeof(T) == 8 ? 64 : 32, from_word)
                          .rounded(kNearest | kDirected);
      rows[4 * i + (from_word == 64 ? 0 : 2)] = one;
      rows[4 * i + (from_word == 64 ? 1 : 3)] = one.with(word(Mod::kSat));
    }
  }
  return rows;
}

// Those that come first are taken first.
constexpr auto kTable = join(
    std::array{
        fast<plain<u64, u32>>(Type::kU64, Type::kU32),
        fast<plain<i64, u32>>(Type::kS64, Type::kU32),
        fast<plain<u64, i32>>(Type::kU64, Type::kS32),
        fast<plain<i64, i32>>(Type::kS64, Type::kS32),
        fast<plain<u32, u64>>(Type::kU32, Type::kU64),
        fast<plain<u32, u64>>(Type::kU32, Type::kS64),
        fast<plain<u32, u64>>(Type::kS32, Type::kU64),
        fast<plain<u32, u64>>(Type::kS32, Type::kS64),
        fast<plain<u32, u16>>(Type::kU32, Type::kU16),
        fast<plain<u32, u16>>(Type::kS32, Type::kU16),
        fast<plain<i32, i16>>(Type::kU32, Type::kS16),
        fast<plain<i32, i16>>(Type::kS32, Type::kS16),
        fast<truncated<false>>(Type::kS32, Type::kF32).rounded(rounding(Rounding::kRzi)),
        fast<truncated<true>>(Type::kS32, Type::kF32)
            .with(word(Mod::kFtz))
            .rounded(rounding(Rounding::kRzi)),
        fast<nearest<float, i32>>(Type::kF32, Type::kS32).rounded(kNearest),
        fast<nearest<float, u32>>(Type::kF32, Type::kU32).rounded(kNearest),
        fast<nearest<double, i32>>(Type::kF64, Type::kS32).rounded(kNearest),
        fast<nearest<double, u32>>(Type::kF64, Type::kU32).rounded(kNearest),
    },
    integer_pairs(), to_integers<Half>(Type::kF16), to_integers<Bfloat>(Type::kBf16),
    to_integers<float>(Type::kF32), to_integers<double>(Type::kF64),
    from_integers<Half>(Type::kF16), from_integers<Bfloat>(Type::kBf16),
    from_integers<float>(Type::kF32), from_integers<double>(Type::kF64));

}  // namespace

Rows convert_rows() {
  return rows_of(kTable);
}

}  // namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL
