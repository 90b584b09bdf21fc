// Exact arithmetic for tests: floats of any format as integers times powers of two, rounded at the end.
//
// Slow and obvious on purpose: sums are made with integers as long as the distance of the exponents asks
// for, and nothing here is shared with the code under test.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace redflag::cuda::testing {

__extension__ using U128 = unsigned __int128;

struct FloatFormat {
  int exponent_bits;
  int fraction_bits;
  std::uint64_t nan;  // the one that operations make; 0: any

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  std::uint64_t sign_bit() const { return std::uint64_t{1} << (exponent_bits + fraction_bits); }
  std::uint64_t infinity() const {
    return ((std::uint64_t{1} << exponent_bits) - 1) << fraction_bits;
  }
  bool is_nan(std::uint64_t bits) const { return (bits & (sign_bit() - 1)) > infinity(); }
  bool is_infinite(std::uint64_t bits) const { return (bits & (sign_bit() - 1)) == infinity(); }
};
inline constexpr FloatFormat kF16Format = {5, 10, 0x7fff};
inline constexpr FloatFormat kBf16Format = {8, 7, 0x7fff};
inline constexpr FloatFormat kF32Format = {8, 23, 0x7fffffff};
inline constexpr FloatFormat kF64Format = {11, 52, 0};

enum class Mode { kNearest, kZero, kDown, kUp, kAway };

// (-1)^negative * significand * 2^exponent; `sticky`: and a little more.
struct Exactly {
  bool negative = false;
  U128 significand = 0;
  int exponent = 0;
  bool sticky = false;
};

inline Exactly decoded(const FloatFormat& f, std::uint64_t bits) {
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << f.fraction_bits) - 1);
  const auto field = static_cast<int>((bits & f.infinity()) >> f.fraction_bits);
  const std::uint64_t one = field == 0 ? 0 : std::uint64_t{1} << f.fraction_bits;
  return {(bits & f.sign_bit()) != 0, fraction | one,
          (field == 0 ? 1 : field) - f.bias() - f.fraction_bits, false};
}

inline int top_bit(U128 x) {
  int top = -1;
  for (; x != 0; x >>= 1) ++top;
  return top;
}

inline std::uint64_t rounded(const FloatFormat& f, const Exactly& x, Mode mode) {
  const std::uint64_t sign = x.negative ? f.sign_bit() : 0;
  if (x.significand == 0 && !x.sticky) return sign;
  const int least = 1 - f.bias() - f.fraction_bits;  // exponent of the smallest subnormal
  const int unit = std::max(x.exponent + top_bit(x.significand) - f.fraction_bits, least);
  const int drop = unit - x.exponent;
  U128 kept = 0;
  int half = -1;  // the dropped part against half a unit
  bool exact = !x.sticky;
  if (drop <= 0) {
    kept = x.significand << -drop;
  } else if (drop > 127) {
    exact = false;
  } else {
    kept = x.significand >> drop;
    const U128 rest = x.significand & ((U128{1} << drop) - 1);
    const U128 middle = U128{1} << (drop - 1);
    half = rest > middle || (rest == middle && x.sticky) ? 1 : rest == middle ? 0 : -1;
    exact = exact && rest == 0;
  }
  bool up = false;
  switch (mode) {
    case Mode::kNearest:
      up = half > 0 || (half == 0 && (kept & 1U) != 0);
      break;
    case Mode::kAway:
      up = half >= 0;
      break;
    case Mode::kZero:
      break;
    case Mode::kDown:
      up = x.negative && !exact;
      break;
    case Mode::kUp:
      up = !x.negative && !exact;
      break;
  }
  if (up) ++kept;
  int exponent = unit;
  if (top_bit(kept) > f.fraction_bits) {
    kept >>= 1;
    ++exponent;
  }
  const int field = exponent + f.fraction_bits + f.bias();
  const auto fields = (1 << f.exponent_bits) - 1;
  if (field >= fields) {
    const bool to_infinity = mode == Mode::kNearest || mode == Mode::kAway ||
                             (mode == Mode::kUp && !x.negative) ||
                             (mode == Mode::kDown && x.negative);
    return sign | (to_infinity ? f.infinity() : f.infinity() - 1);
  }
  const auto code = static_cast<std::uint64_t>(kept);
  if (top_bit(kept) < f.fraction_bits) return sign | code;  // subnormal
  return sign | static_cast<std::uint64_t>(field) << f.fraction_bits |
         (code & ((std::uint64_t{1} << f.fraction_bits) - 1));
}

// Long non-negative integers: words of 32 bits, the lowest first.
using Long = std::vector<std::uint32_t>;
inline Long shifted(U128 value, int by) {
  Long out(static_cast<std::size_t>(by / 32) + 6, 0);
  for (int bit = 0; bit < 128; ++bit) {
    if ((value >> bit & 1U) == 0) continue;
    out[static_cast<std::size_t>(bit + by) / 32] |= 1U << ((bit + by) % 32);
  }
  return out;
}
inline int compare(const Long& a, const Long& b) {
  for (std::size_t i = std::max(a.size(), b.size()); i-- > 0;) {
    const std::uint32_t x = i < a.size() ? a[i] : 0;
    const std::uint32_t y = i < b.size() ? b[i] : 0;
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}
inline Long combined(const Long& a, const Long& b, bool minus) {  // a >= b for minus
  Long out(std::max(a.size(), b.size()) + 1, 0);
  std::int64_t carry = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[i] : 0;
    const std::int64_t y = i < b.size() ? b[i] : 0;
    const std::int64_t sum = minus ? x - y + carry : x + y + carry;
    out[i] = static_cast<std::uint32_t>(sum);
    carry = sum >> 32;
  }
  return out;
}
// The top 96 bits or more, the rest as sticky.
inline Exactly shortened(const Long& a, int exponent, bool negative) {
  std::size_t top = a.size();
  while (top > 0 && a[top - 1] == 0) --top;
  const std::size_t low = top > 4 ? top - 4 : 0;
  Exactly out = {negative, 0, exponent + static_cast<int>(32 * low), false};
  for (std::size_t i = top; i-- > low;) out.significand = out.significand << 32 | a[i];
  for (std::size_t i = 0; i < low; ++i) out.sticky = out.sticky || a[i] != 0;
  return out;
}
inline Exactly sum_of(const Exactly& a, const Exactly& b, Mode mode) {
  const int low = std::min(a.exponent, b.exponent);
  const Long x = shifted(a.significand, a.exponent - low);
  const Long y = shifted(b.significand, b.exponent - low);
  if (a.negative == b.negative) return shortened(combined(x, y, false), low, a.negative);
  const int order = compare(x, y);
  if (order == 0) return {mode == Mode::kDown, 0, 0, false};
  return order > 0 ? shortened(combined(x, y, true), low, a.negative)
                   : shortened(combined(y, x, true), low, b.negative);
}
inline Exactly product_of(const Exactly& a, const Exactly& b) {
  return {a.negative != b.negative, a.significand * b.significand, a.exponent + b.exponent, false};
}

// a * b + c; `plain`: a + c, b is not looked at.
inline std::uint64_t exact_fma(const FloatFormat& f, std::uint64_t a, std::uint64_t b,
                               std::uint64_t c, Mode mode, bool plain = false) {
  if (f.is_nan(a) || f.is_nan(c) || (!plain && f.is_nan(b))) return f.nan;
  const Exactly x = decoded(f, a);
  const Exactly y = plain ? Exactly{false, 1, 0, false} : decoded(f, b);
  const Exactly z = decoded(f, c);
  const bool infinite = f.is_infinite(a) || (!plain && f.is_infinite(b));
  const bool negative = x.negative != y.negative;
  if (infinite) {
    const bool zero = (!f.is_infinite(a) && x.significand == 0) ||
                      (!plain && !f.is_infinite(b) && y.significand == 0);
    if (zero || (f.is_infinite(c) && z.negative != negative)) return f.nan;
    return f.infinity() | (negative ? f.sign_bit() : 0);
  }
  if (f.is_infinite(c)) return c;
  const Exactly product = product_of(x, y);
  if (product.significand == 0 && z.significand == 0) {
    const bool minus = product.negative == z.negative ? z.negative : mode == Mode::kDown;
    return minus ? f.sign_bit() : 0;
  }
  if (product.significand == 0) return rounded(f, z, mode);
  return rounded(f, z.significand == 0 ? product : sum_of(product, z, mode), mode);
}
inline std::uint64_t exact_mul(const FloatFormat& f, std::uint64_t a, std::uint64_t b, Mode mode) {
  const Exactly x = decoded(f, a);
  const Exactly y = decoded(f, b);
  const std::uint64_t sign = x.negative != y.negative ? f.sign_bit() : 0;
  if (f.is_nan(a) || f.is_nan(b)) return f.nan;
  if (f.is_infinite(a) || f.is_infinite(b)) {
    const bool zero = (a & (f.sign_bit() - 1)) == 0 || (b & (f.sign_bit() - 1)) == 0;
    return zero ? f.nan : f.infinity() | sign;
  }
  return rounded(f, product_of(x, y), mode);
}
inline std::uint64_t exact_div(const FloatFormat& f, std::uint64_t a, std::uint64_t b, Mode mode) {
  const Exactly x = decoded(f, a);
  const Exactly y = decoded(f, b);
  const bool negative = x.negative != y.negative;
  const std::uint64_t sign = negative ? f.sign_bit() : 0;
  if (f.is_nan(a) || f.is_nan(b) || (f.is_infinite(a) && f.is_infinite(b))) return f.nan;
  if (f.is_infinite(a)) return f.infinity() | sign;
  if (f.is_infinite(b)) return sign;
  if (y.significand == 0) return x.significand == 0 ? f.nan : f.infinity() | sign;
  // A subnormal numerator may be short: bring its top bit to 120.
  const int up = x.significand == 0 ? 0 : 120 - top_bit(x.significand);
  const U128 numerator = x.significand << up;
  return rounded(f,
                 {negative, numerator / y.significand, x.exponent - up - y.exponent,
                  numerator % y.significand != 0},
                 mode);
}
inline std::uint64_t exact_sqrt(const FloatFormat& f, std::uint64_t a, Mode mode) {
  const Exactly x = decoded(f, a);
  if (f.is_nan(a)) return f.nan;
  if (x.significand == 0) return a;
  if (x.negative) return f.nan;
  if (f.is_infinite(a)) return a;
  int up = 120 - top_bit(x.significand);
  if ((x.exponent - up) % 2 != 0) --up;
  const U128 square = x.significand << up;
  U128 root = 0;
  for (int bit = 62; bit >= 0; --bit) {
    const U128 next = root | U128{1} << bit;
    if (next * next <= square) root = next;
  }
  return rounded(f, {false, root, (x.exponent - up) / 2, root * root != square}, mode);
}

}  // namespace redflag::cuda::testing
