// Every block writes, all wait, every block reads its neighbour's; with RACE they do not wait.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void exchange(int* in, int* out) {
  if (threadIdx.x == 0) in[blockIdx.x] = static_cast<int>(blockIdx.x) + 1;
#ifndef RACE
  cg::this_grid().sync();
#endif
  if (threadIdx.x == 0) out[blockIdx.x] = in[(blockIdx.x + 1) % gridDim.x];
}

int main() {
  const int blocks = 4;
  int *in, *out, host[blocks];
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  void* args[] = {&in, &out};
  if (cudaLaunchCooperativeKernel(reinterpret_cast<void*>(exchange), blocks, 64, args) != cudaSuccess) return 3;
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
#ifndef RACE
  for (int i = 0; i < blocks; ++i) {
    if (host[i] != (i + 1) % blocks + 1) return 1;
  }
#endif
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 2;
}
