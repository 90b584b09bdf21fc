// Managed memory and a managed variable; with RACE, the host reads before it waits.
__managed__ int total;

__global__ void fill(int* p) {
  p[threadIdx.x] = static_cast<int>(threadIdx.x);
  atomicAdd(&total, 1);
}

int main() {
  int* p;
  cudaMallocManaged(&p, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) p[i] = -1;
  fill<<<1, 64>>>(p);
#ifdef RACE
  const int early = *static_cast<volatile int*>(p + 7);
  if (early == -2) return 3;
#endif
  cudaDeviceSynchronize();
  if (p[7] != 7 || total != 64) return 1;
  cudaFree(p);
  return 0;
}
