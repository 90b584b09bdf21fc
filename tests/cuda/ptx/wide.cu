// Numbers of 64 bits in guards, loops and strides, as programs with large arrays have them. All but `racy` are free of
// races (`pitched` if no row is longer than its pitch), and 'redflag ptx --proof' says so.
#include <cstddef>

extern "C" __global__ void guarded(float* y, const float* x, float a, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void strided(float* y, const float* x, float a, size_t n) {
  size_t all = (size_t)blockDim.x * gridDim.x;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += all) y[i] += a * x[i];
}

extern "C" __global__ void last(float* sum, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i + 1 == n) sum[0] = 1;
}

extern "C" __global__ void pitched(float* y, const float* x, size_t rows, size_t columns, size_t pitch) {
  size_t c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < columns) y[r * pitch + c] = x[r * pitch + c];
}

extern "C" __global__ void turned(float* y, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n / 2) y[i] = y[n - 1 - i];
}

extern "C" __global__ void racy(float* y, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i + 1 < n) y[i] = y[i + 1];
}
