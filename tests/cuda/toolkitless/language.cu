// C++ on the device: the heap, virtual functions, structures by value, constant and dynamic shared
// memory, complex numbers, mathematics that both sides call, printf and assert, and the vectors.
#include <cuComplex.h>
#include <cuda_device_runtime_api.h>
#include <math_constants.h>

#include <cassert>

#include "check.h"

struct Values {
  int a[6];
  double d;
};
__device__ int pick(Values v, int i) { return v.a[i] + static_cast<int>(v.d); }
__device__ int table[4] = {1, 2, 3, 4};
__constant__ float weights[3] = {1, 2, 3};

struct Base {
  __device__ virtual int get() const { return 1; }
  __device__ virtual ~Base() {}
};
struct Derived : Base {
  __device__ explicit Derived(int v) : value(v) {}
  __device__ int get() const override { return value; }
  int value;
};
__host__ __device__ double both(double x) {
  return rsqrt(x) + fmax(x, 2.0) + sinpi(x) + cospi(x) + max(x, 1.0) + norm3d(x, x, x) + rcbrt(x) + normcdf(x) + sqrt(x) + pow(x, 1.5);
}
// One block; what each lane computes is in four integers and three doubles of its own.
__global__ void language(int* out, double* reals, Values values) {
  extern __shared__ int dynamic[];
  const int i = threadIdx.x;
  dynamic[i] = values.a[i % 6];
  __syncthreads();
  int* const heap = static_cast<int*>(malloc(16));
  heap[1] = 3;
  Base* const object = i % 2 ? new Base : new Derived(9);
  out[i * 4] = heap[1] + pick(values, i % 6), out[i * 4 + 1] = object->get(), out[i * 4 + 2] = table[i & 3] + static_cast<int>(weights[i % 3]);
  out[i * 4 + 3] = dynamic[31 - i];
  free(heap);
  delete object;
  assert(out[i * 4 + 3] > 0);
  const cuDoubleComplex z = cuCdiv(cuCmul(make_cuDoubleComplex(1, i), make_cuDoubleComplex(3, 4)), make_cuDoubleComplex(3, 4));
  reals[i * 3] = both(0.25 + i), reals[i * 3 + 1] = cuCabs(z) + CUDART_PI - CUDART_PI_F;
  const long long before = clock64();
  reals[i * 3 + 2] = __globaltimer() != 0 && clock64() >= before;
  if (i == 0) printf("%s %d %g\n", "from the device:", out[0], 0.5);
}

int main() {
  const Values values{{1, 2, 3, 4, 5, 6}, 7};
  check::Buffer<int> out(128);
  check::Buffer<double> reals(96);
  language<<<1, 32, 32 * sizeof(int)>>>(out.device, reals.device, values);
  out.download(), reals.download();
  for (int i = 0; i < 32; i++) {
    const int wanted[] = {3 + i % 6 + 1 + 7, i % 2 ? 1 : 9, 1 + i % 4 + 1 + i % 3, 1 + (31 - i) % 6};
    for (int k = 0; k < 4; k++) check::same("language", i * 4 + k, out.host[i * 4 + k], wanted[k]);
    check::near<double>("both sides", i, reals.host[i * 3], static_cast<long double>(both(0.25 + i)), 8);
    check::near<double>("complex", i, reals.host[i * 3 + 1], std::hypot(1.0, i) + 3.141592653589793 - static_cast<double>(3.14159274f), 16);
    check::same("clocks", i, reals.host[i * 3 + 2], 1.0);
  }
  // Vectors, on the host.
  const float4 v = make_float4(1, 2, 3, 4);
  const dim3 d(5, 6);
  check::same("vectors", 0, static_cast<int>(v.x + v.w + make_short3(1, 2, 3).z + make_ulonglong2(8, 9).y), 17);
  check::same("dim3", 0, d.x * 100 + d.y * 10 + d.z, 561u);
  return check::finish();
}
