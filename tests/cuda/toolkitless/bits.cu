// Functions of bits, of integers, of words of several numbers, and arithmetic with a rounding,
// against plain C.
#include <cfenv>

#include "check.h"

constexpr int kCases = 256;
constexpr int kIntegers = 36;

__global__ void integers(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* out) {
  const int i = threadIdx.x;
  const unsigned x = a[i], y = b[i], z = c[i];
  const unsigned long long w = static_cast<unsigned long long>(x) << 32 | y;
  unsigned* const o = out + i * kIntegers;
  int k = 0;
  o[k++] = __popc(x), o[k++] = __popcll(w), o[k++] = __clz(x >> (y & 31)), o[k++] = __clzll(w >> (z & 63)), o[k++] = __ffs(x << (y & 31));
  o[k++] = __brev(x), o[k++] = __brevll(w) >> 32, o[k++] = __byte_perm(x, y, 0x6140), o[k++] = __funnelshift_l(x, y, z);
  o[k++] = __funnelshift_r(x, y, z), o[k++] = __funnelshift_lc(x, y, z & 63), o[k++] = __funnelshift_rc(x, y, z & 63);
  o[k++] = __umulhi(x, y), o[k++] = __mulhi(static_cast<int>(x), static_cast<int>(y)), o[k++] = __umul64hi(w, w) >> 32, o[k++] = __umul24(x, y);
  o[k++] = __usad(x, y, z), o[k++] = __uhadd(x, y), o[k++] = __urhadd(x, y), o[k++] = __hadd(static_cast<int>(x), static_cast<int>(y));
  o[k++] = __vadd4(x, y), o[k++] = __vsub2(x, y), o[k++] = __vaddus4(x, y), o[k++] = __vmaxu4(x, y), o[k++] = __vmins2(x, y);
  o[k++] = __vabsdiffu4(x, y), o[k++] = __vavgu4(x, y), o[k++] = __vcmpeq4(x, x ^ (y & 0xff00)), o[k++] = __vcmpgtu2(x, y), o[k++] = __vsadu4(x, y);
  o[k++] = __vseteq4(x, x ^ (y & 0xff)), o[k++] = __dp4a(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)), o[k++] = __dp4a(x, y, z);
  o[k++] = min(x, y), o[k++] = max(static_cast<int>(x), 7), o[k++] = abs(static_cast<int>(x >> 1));
}
// Applies f to the parts of two words, each of so many bits.
template <typename F>
unsigned parts(unsigned a, unsigned b, int width, F f) {
  unsigned result = 0;
  const unsigned mask = (1u << width) - 1;
  for (int at = 0; at < 32; at += width) result |= (static_cast<unsigned>(f(a >> at & mask, b >> at & mask)) & mask) << at;
  return result;
}
template <typename F>
unsigned total(unsigned a, unsigned b, F f) {
  unsigned result = 0;
  for (int at = 0; at < 32; at += 8) result += f(a >> at & 255, b >> at & 255);
  return result;
}
void test_integers() {
  check::Buffer<unsigned> a(kCases), b(kCases), c(kCases), out(kCases * kIntegers);
  for (int i = 0; i < kCases; i++) a.host[i] = check::random_bits(), b.host[i] = check::random_bits(), c.host[i] = check::random_bits();
  a.upload(), b.upload(), c.upload();
  integers<<<1, kCases>>>(a.device, b.device, c.device, out.device);
  out.download();
  for (int i = 0; i < kCases; i++) {
    const unsigned x = a.host[i], y = b.host[i], z = c.host[i];
    const unsigned long long w = static_cast<unsigned long long>(x) << 32 | y, r = static_cast<unsigned long long>(y) << 32 | x;
    const int sx = static_cast<int>(x), sy = static_cast<int>(y);
    const unsigned shifted = x >> (y & 31), left = x << (y & 31), capped = (z & 63) > 32 ? 32 : z & 63;
    const unsigned long long shifted64 = w >> (z & 63);
    unsigned mirrored = 0, mirrored_low = 0;
    for (int bit = 0; bit < 32; bit++) mirrored |= (x >> bit & 1) << (31 - bit), mirrored_low |= (y >> bit & 1) << (31 - bit);
    const auto low = [](int v) { return static_cast<signed char>(v); };
    int dot = static_cast<int>(z);
    for (int at = 0; at < 32; at += 8) dot += low(x >> at & 255) * low(y >> at & 255);
    const unsigned wanted[kIntegers] = {
        static_cast<unsigned>(__builtin_popcount(x)), static_cast<unsigned>(__builtin_popcountll(w)),
        static_cast<unsigned>(shifted ? __builtin_clz(shifted) : 32), static_cast<unsigned>(shifted64 ? __builtin_clzll(shifted64) : 64),
        static_cast<unsigned>(__builtin_ffs(static_cast<int>(left))), mirrored, mirrored_low,
        (x & 255) | (y & 255) << 8 | (x & 0xff00) << 8 | (y & 0xff0000) << 8, static_cast<unsigned>(r << (z & 31) >> 32), static_cast<unsigned>(r >> (z & 31)),
        capped == 32 ? x : static_cast<unsigned>(r << capped >> 32), capped == 32 ? y : static_cast<unsigned>(r >> capped),
        static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32), static_cast<unsigned>(static_cast<long long>(sx) * sy >> 32),
        static_cast<unsigned>(static_cast<unsigned __int128>(w) * w >> 96), (x & 0xffffff) * (y & 0xffffff), (x > y ? x - y : y - x) + z,
        static_cast<unsigned>((static_cast<unsigned long long>(x) + y) >> 1), static_cast<unsigned>((static_cast<unsigned long long>(x) + y + 1) >> 1),
        static_cast<unsigned>((static_cast<long long>(sx) + sy) >> 1), parts(x, y, 8, [](unsigned p, unsigned q) { return p + q; }),
        parts(x, y, 16, [](unsigned p, unsigned q) { return p - q; }), parts(x, y, 8, [](unsigned p, unsigned q) { return p + q > 255 ? 255 : p + q; }),
        parts(x, y, 8, [](unsigned p, unsigned q) { return p > q ? p : q; }),
        parts(x, y, 16, [](unsigned p, unsigned q) { return static_cast<short>(p) < static_cast<short>(q) ? p : q; }),
        parts(x, y, 8, [](unsigned p, unsigned q) { return p > q ? p - q : q - p; }), parts(x, y, 8, [](unsigned p, unsigned q) { return (p + q + 1) / 2; }),
        parts(0, y & 0xff00, 8, [](unsigned, unsigned q) { return q ? 0 : 255; }), parts(x, y, 16, [](unsigned p, unsigned q) { return p > q ? 0xffff : 0; }),
        total(x, y, [](unsigned p, unsigned q) { return p > q ? p - q : q - p; }), parts(0, y & 255, 8, [](unsigned, unsigned q) { return q ? 0 : 1; }),
        static_cast<unsigned>(dot), z + total(x, y, [](unsigned p, unsigned q) { return p * q; }), x < y ? x : y,
        static_cast<unsigned>(sx > 7 ? sx : 7), x >> 1};
    for (int k = 0; k < kIntegers; k++) check::same("integers", i * 100 + k, out.host[i * kIntegers + k], wanted[k]);
  }
}

// In the order rn, rz, rd, ru.
#define ROUNDINGS(T, prefix, suffix, ...) prefix##_rn##suffix(__VA_ARGS__), prefix##_rz##suffix(__VA_ARGS__), prefix##_rd##suffix(__VA_ARGS__), prefix##_ru##suffix(__VA_ARGS__)
constexpr int kKinds = 9;
template <typename T>
__global__ void rounded(const T* x, T* out);
template <>
__global__ void rounded(const double* x, double* out) {
  const int i = threadIdx.x;
  const double a = x[i], b = x[i + 1], c = x[i + 2];
  const double all[] = {ROUNDINGS(double, __dadd, , a, b), ROUNDINGS(double, __dmul, , a, b), ROUNDINGS(double, __ddiv, , a, b), ROUNDINGS(double, __fma, , a, b, c),
                        ROUNDINGS(double, __dsqrt, , fabs(a)), ROUNDINGS(double, __drcp, , a), ROUNDINGS(double, (double)__double2int, , a),
                        ROUNDINGS(double, (double)__double2float, , a), ROUNDINGS(double, __ll2double, , __double_as_longlong(a))};
  for (int k = 0; k < 4 * kKinds; k++) out[i * 4 * kKinds + k] = all[k];
}
template <>
__global__ void rounded(const float* x, float* out) {
  const int i = threadIdx.x;
  const float a = x[i], b = x[i + 1], c = x[i + 2];
  const float all[] = {ROUNDINGS(float, __fadd, , a, b), ROUNDINGS(float, __fmul, , a, b), ROUNDINGS(float, __fdiv, , a, b), ROUNDINGS(float, __fmaf, , a, b, c),
                       ROUNDINGS(float, __fsqrt, , fabsf(a)), ROUNDINGS(float, __frcp, , a), ROUNDINGS(float, (float)__float2int, , a),
                       ROUNDINGS(float, __int2float, , __float_as_int(a)), ROUNDINGS(float, __uint2float, , __float_as_uint(a))};
  for (int k = 0; k < 4 * kKinds; k++) out[i * 4 * kKinds + k] = all[k];
}
template <typename T>
void test_rounded(const char* name) {
  check::Buffer<T> x(kCases + 2), out(kCases * 4 * kKinds);
  for (T& v : x.host) v = static_cast<T>(check::between(-1000, 1000));
  x.upload();
  rounded<T><<<1, kCases>>>(x.device, out.device);
  out.download();
  const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  for (int i = 0; i < kCases; i++) {
    for (int mode = 0; mode < 4; mode++) {
      volatile T a = x.host[i], b = x.host[i + 1], c = x.host[i + 2], r[kKinds];
      volatile int n = 0;
      volatile unsigned u = 0;
      volatile long long l = 0;
      if constexpr (sizeof(T) == 8)
        l = __builtin_bit_cast(long long, x.host[i]);
      else
        n = __builtin_bit_cast(int, x.host[i]), u = static_cast<unsigned>(n);
      std::fesetround(modes[mode]);
      r[0] = a + b, r[1] = a * b, r[2] = a / b, r[3] = std::fma(T(a), T(b), T(c)), r[4] = std::sqrt(T(std::fabs(a))), r[5] = 1 / a, r[6] = std::rint(T(a));
      if constexpr (sizeof(T) == 8) {
        volatile float f = static_cast<float>(a);
        r[7] = f, r[8] = static_cast<T>(l);
      } else {
        r[7] = static_cast<T>(n), r[8] = static_cast<T>(u);
      }
      std::fesetround(FE_TONEAREST);
      for (int k = 0; k < kKinds; k++) {
        const T found = out.host[i * 4 * kKinds + 4 * k + mode], wanted = r[k];
        // An integer knows no negative zero.
        check::same(name, i * 100 + 4 * k + mode, found + T(0), wanted + T(0));
      }
    }
  }
}

int main() {
  test_integers();
  test_rounded<float>("float"), test_rounded<double>("double");
  return check::finish();
}
