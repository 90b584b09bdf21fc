// nvcuda::wmma: products of small matrices that a warp computes together, from fragments that its
// lanes hold.
//
// The GPU decides which lane has which element; a program may change all elements of a fragment
// alike. Supported are half, __nv_bfloat16, signed and unsigned char in the shapes 16x16x16,
// 32x8x16 and 8x32x16, tf32 in 16x16x8 and double in 8x8x4. Types below a byte
// (nvcuda::wmma::experimental) are missing.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace nvcuda {
namespace wmma {

enum layout_t { mem_row_major, mem_col_major };
struct matrix_a;
struct matrix_b;
struct accumulator;
// The number by which clang's functions know a layout.
struct row_major {
  static constexpr int index = 0;
};
struct col_major {
  static constexpr int index = 1;
};
namespace precision {
struct tf32;
}

namespace redflag {
#define REDFLAG_WARP static inline __device__ __attribute__((nodebug, always_inline, unused))
template <typename T, int n>
struct Elements {
  static constexpr int num_elements = n;
  static constexpr int num_storage_elements = n;
  typedef T element_type;
  typedef T storage_element_type;
  T x[n];
};
// Registers of R as the elements of a fragment, and back.
template <typename R, typename F>
struct Registers {
  R r[sizeof(F::x) / sizeof(R)];
};
template <typename R, typename F>
REDFLAG_WARP Registers<R, F> registers(const F& f) {
  Registers<R, F> r;
  __builtin_memcpy(&r, f.x, sizeof r);
  return r;
}
template <typename R, typename F>
REDFLAG_WARP void set(F& f, const Registers<R, F>& r) {
  __builtin_memcpy(f.x, &r, sizeof r);
}
}  // namespace redflag

template <typename Use, int m, int n, int k, typename T, typename Layout = void>
class fragment;

// A fragment: its use, shape, type of elements, what a lane holds of it; and how it is loaded.
#define REDFLAG_FRAGMENT(use, m, n, k, T, S, count) \
  template <typename Layout>                        \
  class fragment<use, m, n, k, T, Layout> : public redflag::Elements<S, count> {};
#define REDFLAG_LOAD(use, m, n, k, T, S, count, R, load)                                  \
  REDFLAG_FRAGMENT(use, m, n, k, T, S, count)                                             \
  template <typename Layout>                                                              \
  REDFLAG_WARP void load_matrix_sync(fragment<use, m, n, k, T, Layout>& f, const S* from, \
                                     unsigned stride) {                                   \
    redflag::Registers<R, fragment<use, m, n, k, T, Layout>> r;                           \
    load(r.r, (const R*)from, stride, Layout::index);                                     \
    redflag::set(f, r);                                                                   \
  }
#define REDFLAG_ACCUMULATOR(m, n, k, T, count, R, load, store)                            \
  template <>                                                                             \
  class fragment<accumulator, m, n, k, T, void> : public redflag::Elements<T, count> {};  \
  REDFLAG_WARP void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const T* from, \
                                     unsigned stride, layout_t layout) {                  \
    redflag::Registers<R, fragment<accumulator, m, n, k, T>> r;                           \
    if (layout == mem_row_major)                                                          \
      load(r.r, (const R*)from, stride, 0);                                               \
    else                                                                                  \
      load(r.r, (const R*)from, stride, 1);                                               \
    redflag::set(f, r);                                                                   \
  }                                                                                       \
  REDFLAG_WARP void store_matrix_sync(T* to, const fragment<accumulator, m, n, k, T>& f,  \
                                      unsigned stride, layout_t layout) {                 \
    const auto r = redflag::registers<R>(f);                                              \
    if (layout == mem_row_major)                                                          \
      store((R*)to, r.r, stride, 0);                                                      \
    else                                                                                  \
      store((R*)to, r.r, stride, 1);                                                      \
  }
// d = a * b + c: types of a and b, of d and of c, each with the registers that hold it, and clang's
// function.
#define REDFLAG_PRODUCT(m, n, k, T, R, D, DR, C, CR, multiply, ...)                               \
  template <typename LA, typename LB>                                                             \
  REDFLAG_WARP void mma_sync(fragment<accumulator, m, n, k, D>& d,                                \
                             const fragment<matrix_a, m, n, k, T, LA>& a,                         \
                             const fragment<matrix_b, m, n, k, T, LB>& b,                         \
                             const fragment<accumulator, m, n, k, C>& c, bool saturate = false) { \
    const auto ra = redflag::registers<R>(a);                                                     \
    const auto rb = redflag::registers<R>(b);                                                     \
    const auto rc = redflag::registers<CR>(c);                                                    \
    redflag::Registers<DR, fragment<accumulator, m, n, k, D>> rd;                                 \
    multiply(rd.r, ra.r, rb.r, rc.r, LA::index * 2 + LB::index, 0);                               \
    (void)saturate;                                                                               \
    redflag::set(d, rd);                                                                          \
  }

// The shapes of 16 in k: numbers of elements of a and b of chars and of bfloat16.
#define REDFLAG_SHAPE(m, n, shape, chars_a, chars_b, bf_a, bf_b)                                  \
  REDFLAG_LOAD(matrix_a, m, n, 16, __half, __half, 16, int, __hmma_##shape##_ld_a)                \
  REDFLAG_LOAD(matrix_b, m, n, 16, __half, __half, 16, int, __hmma_##shape##_ld_b)                \
  REDFLAG_LOAD(matrix_a, m, n, 16, signed char, signed char, chars_a, int,                        \
               __imma_##shape##_ld_a_s8)                                                          \
  REDFLAG_LOAD(matrix_b, m, n, 16, signed char, signed char, chars_b, int,                        \
               __imma_##shape##_ld_b_s8)                                                          \
  REDFLAG_LOAD(matrix_a, m, n, 16, unsigned char, unsigned char, chars_a, int,                    \
               __imma_##shape##_ld_a_u8)                                                          \
  REDFLAG_LOAD(matrix_b, m, n, 16, unsigned char, unsigned char, chars_b, int,                    \
               __imma_##shape##_ld_b_u8)                                                          \
  REDFLAG_LOAD(matrix_a, m, n, 16, __nv_bfloat16, __nv_bfloat16, bf_a, int,                       \
               __mma_bf16_##shape##_ld_a)                                                         \
  REDFLAG_LOAD(matrix_b, m, n, 16, __nv_bfloat16, __nv_bfloat16, bf_b, int,                       \
               __mma_bf16_##shape##_ld_b)                                                         \
  REDFLAG_ACCUMULATOR(m, n, 16, float, 8, float, __hmma_##shape##_ld_c_f32,                       \
                      __hmma_##shape##_st_c_f32)                                                  \
  REDFLAG_ACCUMULATOR(m, n, 16, __half, 8, int, __hmma_##shape##_ld_c_f16,                        \
                      __hmma_##shape##_st_c_f16)                                                  \
  REDFLAG_ACCUMULATOR(m, n, 16, int, 8, int, __imma_##shape##_ld_c, __imma_##shape##_st_c_i32)    \
  REDFLAG_PRODUCT(m, n, 16, __half, int, float, float, float, float, __hmma_##shape##_mma_f32f32) \
  REDFLAG_PRODUCT(m, n, 16, __half, int, float, float, __half, int, __hmma_##shape##_mma_f32f16)  \
  REDFLAG_PRODUCT(m, n, 16, __half, int, __half, int, float, float, __hmma_##shape##_mma_f16f32)  \
  REDFLAG_PRODUCT(m, n, 16, __half, int, __half, int, __half, int, __hmma_##shape##_mma_f16f16)   \
  REDFLAG_PRODUCT(m, n, 16, signed char, int, int, int, int, int, __imma_##shape##_mma_s8)        \
  REDFLAG_PRODUCT(m, n, 16, unsigned char, int, int, int, int, int, __imma_##shape##_mma_u8)      \
  REDFLAG_PRODUCT(m, n, 16, __nv_bfloat16, int, float, float, float, float,                       \
                  __mma_bf16_##shape##_mma_f32)
REDFLAG_SHAPE(16, 16, m16n16k16, 8, 8, 8, 8)
REDFLAG_SHAPE(32, 8, m32n8k16, 16, 4, 16, 4)
REDFLAG_SHAPE(8, 32, m8n32k16, 4, 16, 4, 16)
REDFLAG_LOAD(matrix_a, 16, 16, 8, precision::tf32, float, 4, int, __mma_tf32_m16n16k8_ld_a)
REDFLAG_LOAD(matrix_b, 16, 16, 8, precision::tf32, float, 4, int, __mma_tf32_m16n16k8_ld_b)
REDFLAG_ACCUMULATOR(16, 16, 8, float, 8, float, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32)
REDFLAG_PRODUCT(16, 16, 8, precision::tf32, int, float, float, float, float,
                __mma_tf32_m16n16k8_mma_f32)
REDFLAG_LOAD(matrix_a, 8, 8, 4, double, double, 1, double, __dmma_m8n8k4_ld_a)
REDFLAG_LOAD(matrix_b, 8, 8, 4, double, double, 1, double, __dmma_m8n8k4_ld_b)
REDFLAG_ACCUMULATOR(8, 8, 4, double, 2, double, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64)
REDFLAG_PRODUCT(8, 8, 4, double, double, double, double, double, double, __dmma_m8n8k4_mma_f64)
#undef REDFLAG_FRAGMENT
#undef REDFLAG_LOAD
#undef REDFLAG_ACCUMULATOR
#undef REDFLAG_PRODUCT
#undef REDFLAG_SHAPE

template <typename Use, int m, int n, int k, typename T, typename Layout, typename V>
REDFLAG_WARP void fill_fragment(fragment<Use, m, n, k, T, Layout>& f, const V& value) {
  typedef typename fragment<Use, m, n, k, T, Layout>::element_type E;
#pragma unroll
  for (int i = 0; i < f.num_elements; i++) f.x[i] = (E)value;
}
// A float with the precision of tf32, which fragments of tf32 hold.
REDFLAG_WARP float __float_to_tf32(float a) {
  int r;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(a));
  return __int_as_float(r);
}
#undef REDFLAG_WARP

}  // namespace wmma
}  // namespace nvcuda
