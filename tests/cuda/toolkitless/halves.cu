// __half and __nv_bfloat16: the device against the host, and both against floats rounded once.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "check.h"

constexpr int kCases = 512, kResults = 12;

template <typename H, typename H2>
__host__ __device__ void results(H a, H b, H c, H* out) {
  out[0] = a + b, out[1] = a - b, out[2] = a * b, out[3] = a / b, out[4] = __hfma(a, b, c), out[5] = -a;
  out[6] = __hmax(a, b), out[7] = __hadd_sat(a, b), out[8] = H(static_cast<float>(a < b) + 2 * (a >= c) + 4 * (a == a));
  const H2 pair = __hfma2(H2(a, b), H2(b, c), H2(c, a));
  out[9] = pair.x, out[10] = pair.y, out[11] = H(static_cast<int>(static_cast<float>(a)));
}
template <typename H, typename H2>
__global__ void compute(const H* in, H* out) {
  const int i = threadIdx.x;
  results<H, H2>(in[i], in[i + 1], in[i + 2], out + i * kResults);
}
// Finite numbers of all sizes whose products do not overflow, by their bits.
template <typename H, typename H2>
void test(const char* name, unsigned exponent_mask, unsigned exponent_base) {
  check::Buffer<H> in(kCases + 2), out(kCases * kResults);
  for (H& h : in.host) {
    const unsigned bits = check::random_bits();
    h = H::of_bits((bits & ~exponent_mask & 0xffff) | exponent_base);
  }
  in.upload();
  compute<H, H2><<<1, kCases>>>(in.device, out.device);
  out.download();
  for (int i = 0; i < kCases; i++) {
    H host[kResults];
    const float a = in.host[i], b = in.host[i + 1];
    results<H, H2>(in.host[i], in.host[i + 1], in.host[i + 2], host);
    for (int k = 0; k < kResults; k++)
      check::same(name, i * 100 + k, static_cast<unsigned>(out.host[i * kResults + k].__x), static_cast<unsigned>(host[k].__x));
    check::same(name, i, static_cast<float>(host[0]), static_cast<float>(H(a + b)));
    check::same(name, i, static_cast<float>(host[3]), static_cast<float>(H(a / b)));
  }
}

__global__ void conversions(const float* in, unsigned short* out) {
  const int i = threadIdx.x;
  const float f = in[i];
  unsigned short* const o = out + i * 8;
  o[0] = __float2half_rn(f).__x, o[1] = __float2half_rz(f).__x, o[2] = __float2half_rd(f).__x, o[3] = __float2half_ru(f).__x;
  o[4] = __float2bfloat16_rn(f).__x, o[5] = __double2half(f * 1.0).__x, o[6] = __half2int_rn(__float2half(f)), o[7] = hsqrt(__float2half(fabsf(f))).__x;
}
void test_conversions() {
  check::Buffer<float> in(kCases);
  check::Buffer<unsigned short> out(kCases * 8);
  for (float& f : in.host) f = static_cast<float>(check::between(-1000, 1000) * std::exp2(-static_cast<double>(check::random_bits() % 30)));
  in.upload();
  conversions<<<1, kCases>>>(in.device, out.device);
  out.download();
  for (int i = 0; i < kCases; i++) {
    const float f = in.host[i];
    const unsigned short* const o = out.host.data() + i * 8;
    const auto value = [&](int k) { return static_cast<float>(__half::of_bits(o[k])); };
    check::same("rn", i, o[0], __builtin_bit_cast(unsigned short, static_cast<_Float16>(f)));
    // The roundings enclose the number, and are neighbours or equal.
    check::same("rz", i, std::fabs(value(1)) <= std::fabs(f), true);
    check::same("rd and ru", i, value(2) <= f && f <= value(3), true);
    check::same("neighbours", i, value(2) == value(3) || std::abs(o[2] - o[3]) == 1 || (o[2] | o[3]) == 0x8001, true);
    check::same("bfloat16", i, static_cast<float>(__nv_bfloat16::of_bits(o[4])), static_cast<float>(__nv_bfloat16(f)));
    check::same("of double", i, o[5], o[0]);
    check::same("int", i, static_cast<short>(o[6]), static_cast<short>(std::rint(value(0))));
    check::same("hsqrt", i, o[7], __half(std::sqrt(std::fabs(value(0)))).__x);
  }
}

__global__ void sums(__half* h, __half2* h2, __nv_bfloat16* b, __nv_bfloat162* b2) {
  atomicAdd(h, __half(1)), atomicAdd(h2, __half2(1, 2)), atomicAdd(&b[threadIdx.x % 2], __nv_bfloat16(1)), atomicAdd(b2, __nv_bfloat162(1, 2));
  const __half ninth = __shfl_sync(0xffffffff, __half(static_cast<int>(threadIdx.x)), 9);
  if (threadIdx.x == 0) h[1] = ninth;
}
void test_sums() {
  check::Buffer<__half> h(2);
  check::Buffer<__half2> h2(1);
  check::Buffer<__nv_bfloat16> b(2);
  check::Buffer<__nv_bfloat162> b2(1);
  h.host[0] = 0, h2.host[0] = __half2(0, 0), b.host[0] = b.host[1] = 0, b2.host[0] = __nv_bfloat162(0, 0);
  h.upload(), h2.upload(), b.upload(), b2.upload();
  sums<<<1, 64>>>(h.device, h2.device, b.device, b2.device);
  h.download(), h2.download(), b.download(), b2.download();
  const float found[] = {h.host[0], h2.host[0].x, h2.host[0].y, b.host[0], b.host[1], b2.host[0].x, b2.host[0].y, h.host[1]};
  const float wanted[] = {64, 64, 128, 32, 32, 64, 128, 9};
  for (int i = 0; i < 8; i++) check::same("atomicAdd", i, found[i], wanted[i]);
}

// Small whole numbers: every sum is exact.
template <typename T>
__global__ void product(const T* a, const T* b, float* c) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::fill_fragment(sum, 3.0f);
  wmma::mma_sync(sum, fa, fb, sum);
  for (int i = 0; i < sum.num_elements; i++) sum.x[i] *= 2;
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}
template <typename T>
void test_product(const char* name) {
  check::Buffer<T> a(256), b(256);
  check::Buffer<float> c(256);
  for (int i = 0; i < 256; i++) a.host[i] = T(i % 7 - 3), b.host[i] = T(i % 5 - 2);
  a.upload(), b.upload();
  product<T><<<1, 32>>>(a.device, b.device, c.device);
  c.download();
  for (int i = 0; i < 256; i++) {
    float wanted = 3;
    for (int k = 0; k < 16; k++) wanted += static_cast<float>(a.host[i / 16 * 16 + k]) * static_cast<float>(b.host[i % 16 * 16 + k]);
    check::same(name, i, c.host[i], 2 * wanted);
  }
}

int main() {
  test<__half, __half2>("half", 0x6000, 0x2000), test<__nv_bfloat16, __nv_bfloat162>("bfloat16", 0x6000, 0x2000);
  test_conversions(), test_sums();
  test_product<__half>("product of halves"), test_product<__nv_bfloat16>("product of bfloat16");
  return check::finish();
}
