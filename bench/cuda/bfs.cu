// Breadth-first search, one launch for each level, after Rodinia's. Checked: distances of neighbours differ by at most one, and everyone but
// the source has a neighbour that is nearer. Racy twin: a vertex is reached by plain stores from several blocks.
// VARIANTS: racy=-DRACY
#include "tests/cuda/host/common.h"

constexpr int kDegree = 8;

extern "C" __global__ void connect(int* neighbours, int* distance, int n) {
  const int steps[kDegree / 2] = {1, 37, 631, 4021};
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < kDegree / 2; ++k) {
    neighbours[v * kDegree + 2 * k] = (v + steps[k]) % n;
    neighbours[v * kDegree + 2 * k + 1] = (v + n - steps[k]) % n;
  }
  distance[v] = v == 0 ? 0 : -1;
}

extern "C" __global__ void level(const int* neighbours, int* distance, const int* frontier, int* next, int* size, int now) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size[now]) return;
  const int v = frontier[i];
#pragma unroll 1
  for (int k = 0; k < kDegree; ++k) {
    const int to = neighbours[v * kDegree + k];
#ifdef RACY
    if (distance[to] == -1) {     // RACE
      distance[to] = now + 1;     // RACE RACE2? RACE2?
      next[atomicAdd(&size[now + 1], 1)] = to;
    }
#else
    if (atomicCAS(&distance[to], -1, now + 1) == -1) next[atomicAdd(&size[now + 1], 1)] = to;
#endif
  }
}

extern "C" __global__ void check(const int* neighbours, const int* distance, int* errors) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  const int mine = distance[v];
  bool nearer = v == 0, wrong = mine < 0;
  for (int k = 0; k < kDegree; ++k) {
    const int other = distance[neighbours[v * kDegree + k]];
    nearer |= other == mine - 1;
    wrong |= other > mine + 1 || other < mine - 1;
  }
  if (wrong || !nearer) atomicAdd(errors, 1);
}

extern "C" __global__ void begin(int* size) {
  size[0] = 1;
}

const char* const script = R"(
let n = 16384
let levels = 24
buffer neighbours int n * 8
buffer distance int n
buffer a int n * 2
buffer b int n * 2
buffer size int levels + 2
buffer errors int 1
launch connect<<<n / 256, 256>>>(neighbours, distance, n)
launch begin<<<1, 1>>>(size)
repeat levels / 2 as i
launch level<<<n / 256, 256>>>(neighbours, distance, a, b, size, 2 * i)
launch level<<<n / 256, 256>>>(neighbours, distance, b, a, size, 2 * i + 1)
end
launch check<<<n / 256, 256>>>(neighbours, distance, errors)
expect errors[0] == 0
)";
MAIN(KERNEL(connect), KERNEL(begin), KERNEL(level), KERNEL(check))
