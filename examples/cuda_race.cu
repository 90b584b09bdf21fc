// Blocks add what they counted to one total without an atomic addition, so that some of it is lost.
// Repaired in cuda_ok.cu.
#include <cstdio>

__global__ void count(const int* numbers, int* total) {
  __shared__ int matches;
  if (threadIdx.x == 0) matches = 0;
  __syncthreads();
  if (numbers[blockIdx.x * blockDim.x + threadIdx.x] % 3 == 0) atomicAdd(&matches, 1);
  __syncthreads();
  if (threadIdx.x == 0) *total += matches;  // RACE
}

int main() {
  constexpr int kBlocks = 8, kThreads = 64;
  int *numbers = nullptr, *total = nullptr;
  cudaMallocManaged(&numbers, kBlocks * kThreads * sizeof(int));
  cudaMallocManaged(&total, sizeof(int));
  for (int i = 0; i < kBlocks * kThreads; ++i) numbers[i] = i;
  *total = 0;
  count<<<kBlocks, kThreads>>>(numbers, total);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  std::printf("%d of %d numbers are divisible by 3\n", *total, kBlocks * kThreads);
  cudaFree(total);
  cudaFree(numbers);
}
