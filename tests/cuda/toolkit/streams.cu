// Two kernels in two streams on the same data; with RACE, without the event between them.
__global__ void twice(int* p) { p[threadIdx.x] *= 2; }

int main() {
  int* p;
  cudaMalloc(&p, 64 * sizeof(int));
  cudaMemset(p, 1, 64 * sizeof(int));
  cudaDeviceSynchronize();
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEvent_t done;
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  twice<<<1, 64, 0, a>>>(p);
  cudaEventRecord(done, a);
#ifndef RACE
  cudaStreamWaitEvent(b, done);
#endif
  twice<<<1, 64, 0, b>>>(p);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 2;
}
