// A message with a flag: released and acquired; with RACE, no flag at all.
#include <cuda/atomic>

__global__ void pass(int* data, int* flag, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (blockIdx.x == 0) {
    *data = 42;
    ready.store(1, cuda::memory_order_release);
  } else {
#ifndef RACE
    while (ready.load(cuda::memory_order_acquire) == 0) {
    }
#endif
    *out = *data;
  }
}

int main() {
  int *p, host[3] = {0, 0, 0};
  cudaMalloc(&p, sizeof(host));
  cudaMemcpy(p, host, sizeof(host), cudaMemcpyHostToDevice);
  pass<<<2, 1>>>(p, p + 1, p + 2);
  cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost);
#ifndef RACE
  if (host[2] != 42) return 1;
#endif
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 2;
}
