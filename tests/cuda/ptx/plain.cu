// For clang without any CUDA header: its words by hand.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

struct Pair {
  float a, b;
};
__constant__ short small[5] = {1, 2, -3, 4, 5};
__device__ Pair pairs[2] = {{1.0f, 2.0f}, {3.0f, -4.0f}};
__device__ Pair* last = &pairs[1];

__device__ __attribute__((noinline)) Pair swapped(Pair p) { return {p.b, p.a}; }

__global__ void collatz(unsigned* steps, Pair* out, unsigned n) {
  __shared__ unsigned most;
  const unsigned i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
                     __nvvm_read_ptx_sreg_tid_x();
  if (i >= n) return;
  unsigned count = 0;
  for (unsigned long long x = i + 1; x != 1; x = x % 2 ? 3 * x + 1 : x / 2) {
    if (++count == 1000) break;
  }
  __nvvm_bar_sync(0);
  __nvvm_atom_max_gen_ui(&most, count);
  __nvvm_bar_sync(0);
  steps[i] = most + small[i % 5];
  out[i] = swapped(pairs[i & 1]);
  if (last->a > 2.5f) out[i].b = __nvvm_sqrt_rn_f(out[i].a) / 3.0f;
}
