// CURD's region sets on a device say what they say on the host: random accesses of a warp, inserted, compressed and compared.
//
// The headers that decide are compiled by nvcc for both. Prints how many cases were the same; exit status 1 when one was not.
// Needs no data of its own: the numbers come from a counter. -DCASES=64 is as much as an emulated device has time for.
#include <cstdio>
#include <vector>

#include "core/detect/gpu/curd/overlaps.h"

using namespace redflag::gpu::curd;

namespace {

#ifndef CASES
#define CASES 2048
#endif
constexpr int kCases = CASES;  // 64 for each block
constexpr unsigned kRows = 12;

__host__ __device__ unsigned long long mix(unsigned long long n) {
  n = (n ^ n >> 31) * 0x9E3779B97F4A7C15ULL;
  return n ^ n >> 29;
}

struct Answer {
  unsigned rows = 0, scattered = 0, regions = 0, sorted = 0, raced = 0;
  unsigned long long insertions = 0, shape = 0;
};

// A warp's accesses on one side, as a stripe.
struct Side {
  Row rows[kRows + 1];
  Begins begins[kRows + 1];
  Stripe stripe;
};

template <typename Pick>
__host__ __device__ void fill(Side& side, Answer& answer, Pick pick) {
  side.stripe = {side.rows, side.begins, 0, 0};
  for (unsigned i = 0; i < kRows; ++i) {
    std::uint64_t address[kLanes];
    const std::uint64_t base = 0x1000 + 4ULL * pick(64);
    const unsigned stride = 4 * pick(5);
    const bool odd = pick(4) == 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      address[lane] = base + stride * lane;
      if (odd) address[lane] += 4ULL * pick(3);
    }
    LaneMask lanes = ~LaneMask{0};
    if (pick(3) == 0) lanes = mix(pick(1000)) & 0xFFFFFFFF;
    if (lanes == 0) lanes = 1;
    const WarpAccess access{address, lanes, 1U << pick(4), pick(5), pick(2)};
    answer.insertions = answer.insertions * 3 + static_cast<unsigned>(insert(side.stripe, access, 4));
  }
  answer.rows += side.stripe.count;
  answer.scattered += side.stripe.scattered;
}

__host__ __device__ void compare(const Side& reads, const Side& writes, Answer& answer) {
  Region out[kRows * kLanes];
  Squeeze squeeze{out, 0, true};
  for (unsigned r = 0; r < reads.stripe.count; ++r) {
    Run runs[kLanes];
    const unsigned count = runs_of(reads.stripe, reads.rows[r], runs);
    for (unsigned i = 0; i < count; ++i) {
      squeeze.add({runs[i].begin, static_cast<std::uint32_t>(runs[i].end - runs[i].begin), reads.rows[r].source});
    }
    for (unsigned w = 0; w < writes.stripe.count; ++w) {
      each_overlap({&reads.stripe, &reads.rows[r], reads.rows[r].lanes},
                   {&writes.stripe, &writes.rows[w], writes.rows[w].lanes}, true, [&](unsigned lane, LaneMask met) {
                     answer.raced += mix(lane * 0x100000000ULL + met) & 0xFFFF;
                     return true;
                   });
    }
  }
  answer.sorted = squeeze.sorted;
  sort(out, squeeze.count);
  answer.regions = merge_sorted(out, squeeze.count);
  for (unsigned i = 0; i < answer.regions; ++i) {
    answer.shape = mix(answer.shape ^ out[i].begin * 31 ^ out[i].size ^ static_cast<unsigned long long>(out[i].source.site) << 40);
  }
}

__host__ __device__ Answer decided(int number, Side* sides) {
  unsigned long long bits = mix(static_cast<unsigned long long>(number) + 1);
  const auto pick = [&](unsigned below) {
    bits = mix(bits + 1);
    return static_cast<unsigned>(bits >> 11) % below;
  };
  Answer answer;
  fill(sides[0], answer, pick);
  fill(sides[1], answer, pick);
  compare(sides[0], sides[1], answer);
  return answer;
}

__global__ void decide_all(Answer* answers, Side* sides) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < kCases) answers[i] = decided(i, sides + 2 * i);
}

}  // namespace

int main() {
  Answer* device = nullptr;
  Side* sides = nullptr;
  if (cudaMalloc(&device, kCases * sizeof(Answer)) != cudaSuccess) return 2;
  if (cudaMalloc(&sides, 2 * kCases * sizeof(Side)) != cudaSuccess) return 2;
  decide_all<<<kCases / 64, 64>>>(device, sides);
  std::vector<Answer> answers(kCases);
  if (cudaMemcpy(answers.data(), device, kCases * sizeof(Answer), cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
  cudaFree(device);
  cudaFree(sides);
  int same = 0;
  unsigned long long raced = 0;
  std::vector<Side> own(2);
  for (int i = 0; i < kCases; ++i) {
    const Answer mine = decided(i, own.data());
    const Answer& theirs = answers[i];
    raced += mine.raced != 0;
    same += mine.rows == theirs.rows && mine.scattered == theirs.scattered && mine.regions == theirs.regions &&
            mine.sorted == theirs.sorted && mine.raced == theirs.raced && mine.insertions == theirs.insertions &&
            mine.shape == theirs.shape;
  }
  std::printf("%d of %d decided alike on host and device\n", same, kCases);
  return same == kCases && raced > 0 ? 0 : 1;
}
