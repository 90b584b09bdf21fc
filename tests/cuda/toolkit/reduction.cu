// The sum of a block in shared memory; with RACE, without the barrier in the loop.
#include <cstdio>

__global__ void sum(const int* in, int* out) {
  __shared__ int part[256];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
#ifndef RACE
    __syncthreads();
#else
    if (half <= 32) __syncthreads();
#endif
  }
  if (threadIdx.x == 0) *out = part[0];
}

int main() {
  int host[256], result = 0;
  for (int i = 0; i < 256; ++i) host[i] = i;
  int *in, *out;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(int));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  sum<<<1, 256>>>(in, out);
  cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost);
#ifndef RACE
  if (result != 255 * 128) return 1;
#endif
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 2;
}
