// Barriers, fences, scoped atomics, volatile and warp collectives: the words that order accesses.
__device__ unsigned flag;
__device__ int data[64];

__global__ void publish(int* out, unsigned* counter) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  tile[i] = out[i];
  __syncthreads();
  if (__syncthreads_count(tile[63 - i] > 0) > 3) atomicAdd(counter, 1u);
  if (__syncthreads_or(i == 5)) atomicAdd_block(counter, 2u);
  data[i] = tile[63 - i];
  __threadfence();
  if (i == 0) atomicExch(&flag, 1u);
  volatile unsigned* seen = &flag;
  while (*seen == 0) __nanosleep(20);
  __threadfence_block();
  atomicCAS_system(counter, 3u, 4u);
  __threadfence_system();
  out[i] = data[i];
}

__global__ void lanes(int* out, float* sums) {
  const unsigned all = 0xffffffffu;
  const int lane = threadIdx.x & 31;
  int v = __shfl_down_sync(all, out[lane], 3) + __shfl_xor_sync(all, lane, 1);
  v += __ballot_sync(all, v > 3) + __any_sync(all, v == 7) + __popc(__activemask());
  __syncwarp();
  v += __match_any_sync(all, v);
  int same = 0;
  v += __match_all_sync(all, v, &same) + same;
  float sum = sums[lane];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(all, sum, step);
  if (lane == 0) atomicAdd(sums, sum);
  out[lane] = v;
}
