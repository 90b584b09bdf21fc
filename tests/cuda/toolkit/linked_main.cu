// A kernel whose function and variable are in another object.
extern __device__ int scaled(int x);
extern __device__ int scale;

__global__ void run(int* p) { p[threadIdx.x] = scaled(static_cast<int>(threadIdx.x)) + scale; }

int main() {
  int *p, host[32];
  cudaMalloc(&p, sizeof(host));
  run<<<1, 32>>>(p);
  if (cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
  for (int i = 0; i < 32; ++i) {
    if (host[i] != 3 * i + 3) return 1;
  }
  return 0;
}
