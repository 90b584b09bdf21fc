// What ptx_model costs: memory on a grid of a million threads, time for a warp's step.
//
// The kernel is of the usual kind: 4096 blocks of 256 threads, all resident at once (the worst case: nothing
// can be given back), tiles through shared memory with barriers between, results by atomics, then a
// grid barrier. Figures are printed; the memory bound is the project's (4 GB), the time bounds are
// loose enough for shared machines and sanitizers, and there to catch a lost fast path.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>

#include "core/detect/gpu/ptx_model.h"

namespace redflag::gpu {
namespace {

// Of this process: machines are shared.
double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::size_t peak_resident() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::size_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib * 1024;
  }
  return 0;
}

class Driver {
 public:
  Driver(std::uint32_t blocks, std::uint32_t threads, PtxModelOptions options = {})
      : model(std::move(options)) {
    launch.id = LaunchId{1};
    launch.grid.x = blocks;
    launch.block.x = threads;
    launch.shared_bytes = 2048;
    model.launch_begins(launch);
  }
  void access(StepKind kind, std::uint32_t block, std::uint32_t warp, std::uint64_t address,
              unsigned stride, std::uint32_t site) {
    Step s = make(kind, block, warp, ~Lanes{0}, site);
    for (unsigned i = 0; i < kWarp; ++i) addresses[i] = address + std::uint64_t{stride} * i;
    s.address = addresses.data();
    s.wrote = kind == StepKind::kAtomicRmw ? s.lanes : 0;
    model.step(s);
  }
  void barrier(std::uint32_t block, std::uint32_t round) {
    for (const StepKind kind : {StepKind::kBarrierArrive, StepKind::kBarrierPass}) {
      for (std::uint32_t w = 0; w < launch.block_warps(); ++w) {
        Step s = make(kind, block, w, ~Lanes{0}, 99);
        s.round = round;
        s.aligned = true;
        model.step(s);
      }
    }
  }
  void leader(StepKind kind, std::uint32_t block, Order order, std::uint64_t address) {
    Step s = make(kind, block, 0, 1, 98);
    s.order = order;
    s.scope = Scope::kDevice;
    addresses[0] = address;
    s.address = addresses.data();
    s.wrote = 1;
    model.step(s);
  }
  Step make(StepKind kind, std::uint32_t block, std::uint32_t warp, Lanes lanes,
            std::uint32_t site) {
    ++steps;
    Step s;
    s.kind = kind;
    s.block = block;
    s.warp = warp;
    s.lanes = s.converged = lanes;
    s.size = 4;
    s.order = Order::kRelaxed;
    s.scope = Scope::kDevice;
    s.site = SiteId{site};
    return s;
  }

  PtxModel model;
  Launch launch;
  std::array<std::uint64_t, kWarp> addresses{};
  std::uint64_t steps = 0;
};

// Where a warp puts its tile in its block's shared memory.
std::uint64_t tile(std::uint32_t block, std::uint64_t warp) {
  return shared_address(block, warp * 128);
}

constexpr std::uint64_t kIn = 0x10000000;
constexpr std::uint64_t kOut = 0x20000000;
constexpr std::uint64_t kCounter = 0x30000000;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

TEST(Cost, AMillionThreadsStayUnderFourGigabytes) {
  if (kSanitized) GTEST_SKIP() << "takes minutes under ASan, and says nothing new there";
  constexpr std::uint32_t kBlocks = 4096;
  constexpr std::uint32_t kWarps = 8;
  const double begin = cpu_seconds();
  Driver d(kBlocks, kWarps * kWarp);
  for (std::uint32_t phase = 0; phase < 2; ++phase) {
    for (std::uint32_t b = 0; b < kBlocks; ++b) {
      for (std::uint32_t w = 0; w < kWarps; ++w) {
        const std::uint64_t mine = (std::uint64_t{b} * kWarps + w) * kWarp * 4;
        d.access(StepKind::kRead, b, w, kIn + mine, 4, 1);
        d.access(StepKind::kRead, b, w, kIn + mine + 4, 4, 2);
        d.access(StepKind::kWrite, b, w, tile(b, w), 4, 3);
      }
      d.barrier(b, phase * 5);
      for (std::uint32_t w = 0; w < kWarps; ++w) {
        const std::uint64_t mine = (std::uint64_t{b} * kWarps + w) * kWarp * 4;
        d.access(StepKind::kRead, b, w, tile(b, (w + 1) % kWarps), 4, 4);
        d.access(StepKind::kWrite, b, w, kOut + mine, 4, 5);
      }
      d.access(StepKind::kAtomicRmw, b, 0, kCounter, 0, 6);
      d.barrier(b, phase * 5 + 1);
    }
    // Cooperative groups' grid barrier.
    for (std::uint32_t b = 0; b < kBlocks; ++b) {
      d.leader(StepKind::kAtomicRmw, b, Order::kRelease, kCounter + 64);
    }
    for (std::uint32_t b = 0; b < kBlocks; ++b) {
      d.leader(StepKind::kAtomicLoad, b, Order::kAcquire, kCounter + 64);
      d.barrier(b, phase * 5 + 2);
    }
    // Now every thread may read what another block wrote.
    for (std::uint32_t b = 0; b < kBlocks; ++b) {
      for (std::uint32_t w = 0; w < kWarps; ++w) {
        const std::uint64_t there = ((b + 7) % kBlocks * std::uint64_t{kWarps} + w) * kWarp * 4;
        d.access(StepKind::kRead, b, w, kOut + there, 4, 7);
      }
      d.barrier(b, phase * 5 + 3);
    }
    for (std::uint32_t b = 0; b < kBlocks; ++b) {
      d.leader(StepKind::kAtomicRmw, b, Order::kRelease, kCounter + 128);
    }
    for (std::uint32_t b = 0; b < kBlocks; ++b) {
      d.leader(StepKind::kAtomicLoad, b, Order::kAcquire, kCounter + 128);
    }
    for (std::uint32_t b = 0; b < kBlocks; ++b) d.barrier(b, phase * 5 + 4);
  }
  const double seconds = cpu_seconds() - begin;
  const std::size_t metadata = d.model.metadata_bytes();
  std::printf(
      "a million threads: %zu MiB of metadata, peak resident %zu MiB, %.2f s, %.0f ns a step\n",
      metadata >> 20, peak_resident() >> 20, seconds, seconds * 1e9 / static_cast<double>(d.steps));
  for (const Counter& counter : d.model.stats()) {
    std::printf("  %s: %.0f %s\n", counter.name.c_str(), counter.value, counter.unit.c_str());
  }
  EXPECT_TRUE(d.model.races().empty());
  EXPECT_LT(metadata, std::size_t{4} << 30);
  EXPECT_LT(peak_resident(), std::size_t{4} << 30);
}

TEST(Cost, ACoalescedStepIsWellUnderAMicrosecond) {
  for (const bool explain : {true, false}) {
    Driver d(64, 256, {.explain = explain});
    const double begin = cpu_seconds();
    constexpr std::uint32_t kRounds = 50;
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      for (std::uint32_t b = 0; b < 64; ++b) {
        for (std::uint32_t w = 0; w < 8; ++w) {
          const std::uint64_t mine = (std::uint64_t{b} * 8 + w) * kWarp * 4;
          d.access(StepKind::kRead, b, w, kIn + mine, 4, 1);
          d.access(StepKind::kWrite, b, w, tile(b, w), 4, 2);
        }
        d.barrier(b, 2 * round);
        for (std::uint32_t w = 0; w < 8; ++w) {
          const std::uint64_t mine = (std::uint64_t{b} * 8 + w) * kWarp * 4;
          d.access(StepKind::kRead, b, w, tile(b, (w + 3) % 8), 4, 3);
          d.access(StepKind::kRead, b, w, kIn, 0, 4);  // all the same word
          d.access(StepKind::kWrite, b, w, kOut + mine, 4, 5);
        }
        d.barrier(b, 2 * round + 1);
      }
    }
    const double seconds = cpu_seconds() - begin;
    const double nanoseconds = seconds * 1e9 / static_cast<double>(d.steps);
    std::printf("%s explaining: %.0f ns for a step of a warp (%llu steps)\n",
                explain ? "with" : "without", nanoseconds,
                static_cast<unsigned long long>(d.steps));
    EXPECT_TRUE(d.model.races().empty());
    EXPECT_LT(nanoseconds, 20'000);
  }
}

}  // namespace
}  // namespace redflag::gpu
