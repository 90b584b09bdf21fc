// The papers' rules on a device say what they say on the host: random entries and accesses, both sides compared.
//
// scord, iguard and barracuda as a GPU would run them: entries, rules and tables of locks compiled by nvcc for both. Prints how many
// decisions were the same; exit status 1 when one was not. Needs no data of its own: the numbers come from a counter.
#include <cstdio>
#include <cstring>
#include <vector>

#include "core/detect/gpu/barracuda/rules.h"
#include "core/detect/gpu/barracuda/shadow_entry.h"
#include "core/detect/gpu/iguard/locks.h"
#include "core/detect/gpu/iguard/rules.h"
#include "core/detect/gpu/scord/rules.h"

using namespace redflag::gpu;

namespace {

constexpr int kCases = 4096;

__host__ __device__ unsigned long long mix(unsigned long long n) {
  n = (n ^ n >> 31) * 0x9E3779B97F4A7C15ULL;
  return n ^ n >> 29;
}

struct Answer {
  unsigned scord = 0, iguard = 0, filters = 0, barracuda = 0;
  scord::Entry entry;
  iguard::Entry pair;
  barracuda::ShadowEntry shadow;
};

__host__ __device__ Answer decided(int number) {
  unsigned long long bits = mix(static_cast<unsigned long long>(number) + 1);
  const auto pick = [&](unsigned below) {
    bits = mix(bits + 1);
    return static_cast<unsigned>(bits >> 11) % below;
  };
  scord::Access access;
  access.kind = pick(2) ? scord::AccessKind::kStore : scord::AccessKind::kLoad;
  access.is_atomic = pick(3) == 0;
  access.strong = access.is_atomic || pick(2) != 0;
  access.block_scope = access.is_atomic && pick(2) != 0;
  access.block = pick(3);
  access.warp = pick(3);
  access.barrier = pick(2);
  scord::LockTable table;
  for (unsigned i = 0; i < 6; ++i) {
    const unsigned lock = pick(9);  // arguments have no order among themselves
    const bool block_scope = pick(2) != 0;
    const unsigned hash = scord::lock_hash(0x1000 + 4ULL * lock, block_scope, access.block);
    if (pick(3) != 0) table.take(hash, pick(2) != 0);
    if (pick(3) == 0) table.fence(pick(2) != 0);
    if (pick(4) == 0) table.give_back(hash, pick(2) != 0);
  }
  access.locks = table.filter();
  scord::Fences file;
  file.device = pick(2);
  file.block = pick(2);
  Answer answer;
  for (unsigned i = 0; i < 4; ++i) {
    const scord::Rule rule = scord::decide(answer.entry, access, file);
    answer.scord = answer.scord * 16 + static_cast<unsigned>(rule);
    answer.entry = scord::updated(answer.entry, access, file, rule);
    access.block = pick(3);
    access.warp = pick(3);
    access.kind = pick(2) ? scord::AccessKind::kStore : scord::AccessKind::kLoad;
  }

  iguard::Access other;
  other.block_warps = 2;
  iguard::LockTable locks;
  for (unsigned i = 0; i < 5; ++i) {
    const unsigned lock = pick(9);
    const bool block_scope = pick(2) != 0;
    locks.take(iguard::lock_hash(0x1000 + 4ULL * lock, block_scope, 0), block_scope);
    if (pick(2) == 0) locks.fence(pick(2) != 0);
  }
  iguard::Counters counters;
  for (unsigned i = 0; i < 4; ++i) {
    other.kind = pick(2) ? iguard::AccessKind::kStore : iguard::AccessKind::kLoad;
    other.is_atomic = pick(3) == 0;
    other.block_scope = pick(2) != 0;
    other.warp = pick(4);
    other.lane = pick(3);
    other.active = 1U << other.lane | pick(8);
    other.locks = pick(2) ? locks.filter() : 0;
    other.counters.block_barrier = pick(2);
    other.counters.warp_barrier = pick(2);
    counters.device_fence = pick(2);
    counters.block_fence = pick(2);
    const iguard::Rule rule = iguard::decide(answer.pair, other, counters);
    answer.iguard = answer.iguard * 16 + static_cast<unsigned>(rule);
    answer.pair = iguard::updated(answer.pair, other, counters, rule);
  }

  // A location's flags as accesses come: which rule, what conflicts, what is forgotten.
  for (unsigned i = 0; i < 4; ++i) {
    const auto access_kind = static_cast<barracuda::Access>(pick(4));
    const auto earlier = static_cast<barracuda::Access>(pick(4));
    const barracuda::RxWx state{answer.shadow.atomic != 0, answer.shadow.shared != 0, pick(2) != 0};
    const barracuda::Rule rule = barracuda::rule_of(access_kind, state);
    answer.barracuda = answer.barracuda * 64 + static_cast<unsigned>(rule) * 4 +
                       (barracuda::conflict(earlier, access_kind) ? 2 : 0) + (barracuda::stands_for(access_kind, earlier) ? 1 : 0);
    if (rule == barracuda::Rule::kReadInflate) answer.shadow.shared = 1;
    if (access_kind == barracuda::Access::kWrite) answer.shadow.shared = answer.shadow.atomic = 0;
    if (access_kind == barracuda::Access::kAtomicWrite) answer.shadow.atomic = 1;
    answer.shadow.write = {pick(1000), pick(1000)};
    answer.shadow.site = barracuda::kept_site(pick(1U << 21)) & ((1U << barracuda::kSiteBits) - 1);
  }
  answer.filters = table.filter() << 16 | locks.filter();
  return answer;
}

__global__ void decide_all(Answer* answers) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < kCases) answers[i] = decided(i);
}

}  // namespace

int main() {
  Answer* device = nullptr;
  if (cudaMalloc(&device, kCases * sizeof(Answer)) != cudaSuccess) return 2;
  decide_all<<<kCases / 128, 128>>>(device);
  std::vector<Answer> answers(kCases);
  if (cudaMemcpy(answers.data(), device, kCases * sizeof(Answer), cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
  cudaFree(device);
  int same = 0;
  for (int i = 0; i < kCases; ++i) {
    const Answer mine = decided(i);
    same += mine.scord == answers[i].scord && mine.iguard == answers[i].iguard && mine.filters == answers[i].filters &&
            mine.barracuda == answers[i].barracuda && std::memcmp(&mine.shadow, &answers[i].shadow, sizeof mine.shadow) == 0 &&
            std::memcmp(&mine.entry, &answers[i].entry, sizeof mine.entry) == 0 &&
            std::memcmp(&mine.pair, &answers[i].pair, sizeof mine.pair) == 0;
  }
  std::printf("%d of %d decided alike on host and device\n", same, kCases);
  return same == kCases ? 0 : 1;
}
