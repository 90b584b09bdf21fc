// Barriers, clusters, and what lanes of a warp do together.
#include "frontends/cuda/emulate/testing.h"

namespace redflag::cuda {
namespace {

using testing::address;
using testing::Gpu;
using testing::Keeper;
using testing::kernel;

const std::string kStoreAfter =
    "mul.wide.u32 %l1, %i, 4; add.s64 %l1, %out, %l1; st.global.u32 [%l1], %r1;\n";

std::vector<std::uint32_t> results(const std::string& text, const LaunchConfig& config,
                                   const DeviceOptions& options = {}) {
  Gpu device(text, options);
  const std::size_t threads = config.grid.count() * config.block.count();
  auto* const out = device.array<std::uint32_t>(threads);
  const Fault fault = device.launch("k", config, address(out), std::uint64_t{0}, 0U);
  EXPECT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  return {out, out + threads};
}

TEST(Barriers, OrderTheBlock) {
  const std::string text = kernel(R"(
    mov.u32 %r2, tile;
    shl.b32 %r3, %t, 2;
    add.u32 %r4, %r2, %r3;
    st.shared.u32 [%r4], %t;
    bar.sync 0;
    sub.u32 %r5, 127, %t; shl.b32 %r5, %r5, 2; add.u32 %r5, %r2, %r5;
    ld.shared.u32 %r1, [%r5];
    setp.lt.u32 %p1, %t, 40;
    bar.red.popc.u32 %r6, 0, %p1;
    bar.red.or.pred %p2, 0, %p1;
    bar.red.and.pred %p3, 0, %p1;
    mad.lo.u32 %r1, %r6, 1000, %r1;
    @%p2 add.u32 %r1, %r1, 100000;
    @%p3 add.u32 %r1, %r1, 1000000;
  )" + kStoreAfter,
                                  ".shared .align 4 .b8 tile[512];\n");
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const auto out = results(text, {.grid = {3}, .block = {128}}, {.seed = seed});
    for (std::uint32_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], 140000 + 127 - i % 128);
  }
}

// Warp 0 produces and only arrives; warp 1 waits. Then the other way round with another barrier.
TEST(Barriers, WithPartialCounts) {
  const std::string text = kernel(R"(
    setp.gt.u32 %p1, %t, 31;
    @%p1 bra CONSUMER;
    st.shared.u32 [cell], 42;
    barrier.arrive 3, 64;
    mov.u32 %r1, 1;
    bra DONE;
  CONSUMER:
    setp.gt.u32 %p2, %t, 63;
    mov.u32 %r1, 2;
    @%p2 bra DONE;
    barrier.sync 3, 64;
    ld.shared.u32 %r1, [cell];
  DONE:
  )" + kStoreAfter,
                                  ".shared .align 4 .u32 cell;\n");
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const auto out = results(text, {.grid = {1}, .block = {96}}, {.seed = seed});
    for (std::uint32_t i = 0; i < 96; ++i) ASSERT_EQ(out[i], i < 32 ? 1U : i < 64 ? 42U : 2U) << i;
  }
}

TEST(Barriers, ThreadsThatEndedAreNotAwaited) {
  const std::string text =
      kernel("setp.lt.u32 %p1, %t, 40; @%p1 ret; bar.sync 0; mov.u32 %r1, 5;" + kStoreAfter);
  const auto out = results(text, {.grid = {1}, .block = {128}});
  for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(out[i], i < 40 ? 0U : 5U);
}

TEST(Barriers, OneThatSomeLeaveOutIsADeadlock) {
  Gpu device(kernel("setp.lt.u32 %p1, %t, 32; @%p1 bar.sync 1, 64;"));
  const Fault fault =
      device.launch("k", {.grid = {1}, .block = {64}}, std::uint64_t{0}, std::uint64_t{0}, 0U);
  EXPECT_EQ(fault.kind, FaultKind::kDeadlock);
  EXPECT_NE(fault.text.find("waits at a barrier of its block at test.ptx:"), std::string::npos)
      << fault.text;
}

TEST(Barriers, AreTold) {
  Keeper keeper;
  Gpu device(kernel("bar.sync 2;"), {.sink = &keeper});
  device.launch("k", {.grid = {1}, .block = {64}}, std::uint64_t{0}, std::uint64_t{0}, 0U);
  using enum gpu::StepKind;
  const std::vector<gpu::StepKind> wanted{kBarrierArrive, kBarrierArrive, kBarrierPass,
                                          kBarrierPass,   kExit,          kExit};
  EXPECT_EQ(keeper.kinds(), wanted);
  EXPECT_EQ(keeper.steps[1].object, 2U);
  EXPECT_EQ(keeper.steps[1].warp, 1U);
  EXPECT_EQ(keeper.steps[3].round, 0U);
}

// The prologue of kernel() has seven. Passing a barrier is no instruction.
TEST(Steps, SayHowManyInstructionsLedToThem) {
  Keeper keeper;
  Gpu gpu(kernel("mul.wide.u32 %l1, %i, 4; add.s64 %l2, %out, %l1; st.global.u32 [%l2], %i;\n"
                 "ld.global.u32 %r2, [%l2]; add.u32 %r2, %r2, 1; bar.sync 0; add.u32 %r2, %r2, 1;"),
          {.sink = &keeper});
  auto* const out = gpu.array<std::uint32_t>(64);
  gpu.launch("k", {.grid = {1}, .block = {64}}, address(out), std::uint64_t{0}, 0U);
  std::uint64_t sum = 0;
  for (const testing::KeptStep& each : keeper.steps) sum += each.instructions;
  EXPECT_EQ(sum, gpu.device.stats().warp_instructions);
  EXPECT_EQ(keeper.of(gpu::StepKind::kWrite).at(0).instructions, 10U);
  EXPECT_EQ(keeper.of(gpu::StepKind::kRead).at(1).instructions, 1U);
  EXPECT_EQ(keeper.of(gpu::StepKind::kBarrierArrive).at(1).instructions, 2U);
  EXPECT_EQ(keeper.of(gpu::StepKind::kBarrierPass).at(0).instructions, 0U);
}

TEST(Steps, OfClusterBarriersCountNothingTwice) {
  Keeper keeper;
  Gpu gpu(kernel("st.global.u32 [%out], %i; barrier.cluster.arrive; barrier.cluster.wait;\n"
                 "st.global.u32 [%out], %i;"),
          {.sink = &keeper});
  auto* const out = gpu.array<std::uint32_t>(64);
  gpu.launch("k", {.grid = {2}, .block = {32}, .cluster = {2}}, address(out), std::uint64_t{0}, 0U);
  std::uint64_t sum = 0;
  for (const testing::KeptStep& each : keeper.steps) sum += each.instructions;
  EXPECT_EQ(sum, gpu.device.stats().warp_instructions);
}

TEST(Clusters, ReachEachOthersSharedMemory) {
  const std::string text = kernel(R"(
    mov.u32 %r2, tile;
    shl.b32 %r3, %t, 2; add.u32 %r4, %r2, %r3;
    mov.u32 %r5, %cluster_ctarank; mad.lo.u32 %r6, %r5, 1000, %t;
    st.shared.u32 [%r4], %r6;
    barrier.cluster.arrive.release.aligned;
    barrier.cluster.wait.acquire.aligned;
    xor.b32 %r7, %r5, 1;
    mapa.shared::cluster.u32 %r8, %r4, %r7;
    ld.shared::cluster.u32 %r1, [%r8];
    cvta.shared::cluster.u64 %l2, %r8;
    atom.add.u32 %r9, [%l2], 500000;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ld.shared.u32 %r10, [%r4];
    sub.u32 %r10, %r10, %r6;
    add.u32 %r1, %r1, %r10;
  )" + kStoreAfter,
                                  ".shared .align 4 .b8 tile[256];\n");
  for (const std::uint64_t seed : {0, 1, 2}) {
    Gpu device(text, {.seed = seed});
    auto* const out = device.array<std::uint32_t>(256);
    const Fault fault = device.launch("k", {.grid = {4}, .block = {64}, .cluster = {2}},
                                      address(out), std::uint64_t{0}, 0U);
    ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
    for (std::uint32_t i = 0; i < 256; ++i) {
      ASSERT_EQ(out[i], 500000 + (i / 64 % 2 == 0 ? 1000 : 0) + i % 64) << i;
    }
  }
}

TEST(Collectives, ShufflesVotesAndMatches) {
  const auto run = [](const std::string& body) {
    return results(kernel(body + kStoreAfter), {.grid = {1}, .block = {32}});
  };
  auto out = run("shfl.sync.down.b32 %r1|%p1, %t, 3, 31, -1; @!%p1 add.u32 %r1, %r1, 100;");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i + 3 < 32 ? i + 3 : i + 100);
  out = run("shfl.sync.up.b32 %r1|%p1, %t, 2, 0x1800, -1; @!%p1 add.u32 %r1, %r1, 100;");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i % 8 >= 2 ? i - 2 : i + 100) << i;
  out = run("shfl.sync.bfly.b32 %r1, %t, 5, 31, -1;");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i ^ 5);
  out = run("shfl.sync.idx.b32 %r1, %t, 9, 31, -1;");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 9U);
  out = run("setp.lt.u32 %p1, %t, 5; vote.sync.ballot.b32 %r1, !%p1, -1;");
  EXPECT_EQ(out[3], ~0x1fU);
  out = run(
      "setp.lt.u32 %p1, %t, 5; vote.sync.any.pred %p2, %p1, -1; vote.sync.all.pred %p3, %p1, -1;"
      "vote.sync.uni.pred %p4, %p1, -1; selp.u32 %r1, 1, 0, %p2; @%p3 add.u32 %r1, %r1, 2; @%p4 "
      "add.u32 %r1, %r1, 4;");
  EXPECT_EQ(out[9], 1U);
  out = run("and.b32 %r2, %t, 3; match.any.sync.b32 %r1, %r2, -1;");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 0x11111111U << i % 4);
  out = run("mov.u32 %r2, 7; match.all.sync.b32 %r1|%p1, %r2, -1; @%p1 sub.u32 %r1, %r1, 1;");
  EXPECT_EQ(out[0], ~1U);
  out = run("redux.sync.add.s32 %r1, %t, -1;");
  EXPECT_EQ(out[5], 496U);
  out = run("sub.s32 %r2, 3, %t; redux.sync.min.s32 %r1, %r2, -1;");
  EXPECT_EQ(out[5], static_cast<std::uint32_t>(-28));
  out = run("elect.sync %r1|%p1, -1; @%p1 add.u32 %r1, %r1, 50;");
  EXPECT_EQ(out[0], 50U);
  EXPECT_EQ(out[1], 0U);
}

// Lanes come to the shuffle from two sides of a branch, at different times and places.
TEST(Collectives, WaitForTheLanesOfTheMask) {
  const std::string text = kernel(R"(
    setp.lt.u32 %p1, %t, 16;
    @%p1 bra LOW;
    add.u32 %r2, %t, 100;
    shfl.sync.bfly.b32 %r1, %r2, 16, 31, -1;
    bar.warp.sync -1;
    bra MEET;
  LOW:
    add.u32 %r2, %t, 200;
    mul.lo.u32 %r2, %r2, 2;
    shfl.sync.bfly.b32 %r1, %r2, 16, 31, -1;
    bar.warp.sync -1;
  MEET:
  )" + kStoreAfter);
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const auto out = results(text, {.grid = {1}, .block = {32}}, {.seed = seed});
    for (std::uint32_t i = 0; i < 32; ++i) {
      ASSERT_EQ(out[i], i < 16 ? i + 16 + 100 : 2 * (i - 16 + 200)) << i << " seed " << seed;
    }
  }
}

TEST(Collectives, SyncOfAPartIsTold) {
  Keeper keeper;
  Gpu device(kernel("setp.lt.u32 %p1, %t, 4; @!%p1 bra DONE; bar.warp.sync 0xf; DONE:"),
             {.sink = &keeper});
  device.launch("k", {.grid = {1}, .block = {32}}, std::uint64_t{0}, std::uint64_t{0}, 0U);
  const auto syncs = keeper.of(gpu::StepKind::kWarpSync);
  ASSERT_EQ(syncs.size(), 1U);
  EXPECT_EQ(syncs[0].lanes, 0xfU);
}

}  // namespace
}  // namespace redflag::cuda
