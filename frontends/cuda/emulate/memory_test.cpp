// Spaces, atomics, asynchronous copies, faults, and what is told about them.
#include "frontends/cuda/emulate/memory.h"

#include <bit>

#include "frontends/cuda/emulate/testing.h"

namespace redflag::cuda {
namespace {

using testing::address;
using testing::Gpu;
using testing::Keeper;
using testing::kernel;

TEST(GlobalMemory, KnowsAllocationsAndWhatWasFreed) {
  GlobalMemory memory(1 << 20);
  const std::uint64_t at = *memory.allocate(100, 256);
  EXPECT_EQ(at % 256, 0U);
  EXPECT_TRUE(memory.find(at + 99).contains(at + 99, 1));
  EXPECT_EQ(memory.find(at + 100).end, 0U);
  EXPECT_FALSE(memory.allocate(2 << 20, 16));
  EXPECT_FALSE(memory.free(at + 4));
  EXPECT_TRUE(memory.free(at));
  EXPECT_FALSE(memory.free(at));
  EXPECT_EQ(memory.find(at).end, 0U);
  EXPECT_EQ(memory.find_freed(at + 5).begin, at);
  memory.adopt(0x1000, 16);
  EXPECT_EQ(memory.find(0x100f).begin, 0x1000U);
  memory.disown(0x1000);
  EXPECT_EQ(memory.find(0x100f).end, 0U);
}

std::string with_stack(std::string text) {
  const std::string reg = ".reg .pred";
  return text.insert(text.find(reg), ".local .align 16 .b8 stack[64];\n");
}

TEST(Memory, SpacesAndVectors) {
  Gpu device(with_stack(kernel(R"(
    ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%in];
    ld.global.s8 %r1, [%in+2];
    ld.global.s16 %l2, [%in+2];
    ld.global.v2.f64 {%d1, %d2}, [%in+16];
    st.local.u32 [stack+4], %r1;
    mov.u64 %l3, stack;
    cvta.local.u64 %l4, %l3;
    ld.u32 %r2, [%l4+4];
    mov.u32 %r3, tile;
    mov.u64 %l5, tile;
    cvta.shared.u64 %l5, %l5;
    st.u64 [%l5+8], %l2;
    ld.shared.u64 %l6, [%r3+8];
    ld.const.u32 %r4, [weights+4];
    mov.u64 %l7, weights; cvta.const.u64 %l7, %l7; ld.u32 %r5, [%l7];
    isspacep.shared %p1, %l5; isspacep.global %p2, %in; isspacep.local %p3, %l4; isspacep.global %p4, %l4;
    selp.u32 %r6, 1, 0, %p1; @%p2 add.u32 %r6, %r6, 2; @%p3 add.u32 %r6, %r6, 4; @%p4 add.u32 %r6, %r6, 8;
    st.global.v4.u8 [%out], {%h4, %h3, %h2, %h1};
    st.global.u32 [%out+4], %r1;
    st.global.u64 [%out+8], %l6;
    st.global.v2.f64 [%out+16], {%d2, %d1};
    st.global.v2.u32 [%out+32], {%r2, %r4};
    st.global.u32 [%out+40], %r5;
    st.global.u32 [%out+44], %r6;
  )", ".const .align 4 .u32 weights[2] = {11, 22};\n.shared .align 8 .b8 tile[64];\n")));
  auto* const in = device.array<std::uint8_t>(32);
  auto* const out = device.array<std::uint8_t>(48);
  const std::uint8_t bytes[] = {1, 2, 0xf0, 0x80};
  std::memcpy(in, bytes, 4);
  const double reals[] = {1.5, -2.25};
  std::memcpy(in + 16, reals, 16);
  const Fault fault = device.launch("k", {.grid = {1}, .block = {32}}, address(out), address(in), 0U);
  ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  const std::uint8_t reversed[] = {0x80, 0xf0, 2, 1};
  EXPECT_EQ(std::memcmp(out, reversed, 4), 0);
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, out + at, 4);
    return value;
  };
  EXPECT_EQ(word(4), 0xfffffff0U);
  EXPECT_EQ(word(8), 0xffff80f0U);
  EXPECT_EQ(word(12), 0xffffffffU);
  const double swapped[] = {-2.25, 1.5};
  EXPECT_EQ(std::memcmp(out + 16, swapped, 16), 0);
  EXPECT_EQ(word(32), 0xfffffff0U);
  EXPECT_EQ(word(36), 22U);
  EXPECT_EQ(word(40), 11U);
  EXPECT_EQ(word(44), 7U);
}

TEST(Memory, DynamicSharedMemoryIsBehindTheStatic) {
  Gpu device(kernel(R"(
    mov.u32 %r2, dynamic; mov.u32 %r3, fixed; shl.b32 %r4, %t, 2;
    add.u32 %r5, %r2, %r4; st.shared.u32 [%r5], %t; st.shared.u32 [fixed], 99;
    bar.sync 0;
    xor.b32 %r6, %r4, 4; add.u32 %r6, %r6, %r2; ld.shared.u32 %r1, [%r6];
    mul.wide.u32 %l1, %i, 4; add.s64 %l1, %out, %l1; st.global.u32 [%l1], %r1;
  )", ".shared .align 4 .u32 fixed;\n.extern .shared .align 16 .b8 dynamic[];\n"));
  auto* const out = device.array<std::uint32_t>(64);
  const Fault fault = device.launch("k", {.grid = {1}, .block = {64}, .dynamic_shared = 256},
                                    address(out), std::uint64_t{0}, 0U);
  ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], i ^ 1);
  EXPECT_EQ(device.device.info(device.kernel).static_shared, 16U);
  const Fault small = device.launch("k", {.grid = {1}, .block = {64}, .dynamic_shared = 128},
                                    address(out), std::uint64_t{0}, 0U);
  EXPECT_EQ(small.kind, FaultKind::kOutOfBounds);
  EXPECT_NE(small.text.find("shared memory, which has 144 bytes"), std::string::npos) << small.text;
}

struct AtomicCase {
  const char* instruction;
  std::uint64_t before, after;
};
// One thread; %r2 = 5, %l2 = 5, %f1 = 1.5, %d1 = 1.5, %h1 = 1.5 as f16 (0x3e00).
TEST(Atomics, OfEveryOperationAndWidth) {
  const AtomicCase cases[] = {
      {"atom.global.add.u32 %r1, [%out], %r2;", 7, 12},
      {"atom.global.add.u64 %l1, [%out], %l2;", 1ULL << 40, (1ULL << 40) + 5},
      {"atom.global.min.s32 %r1, [%out], %r2;", 0xfffffff0, 0xfffffff0},
      {"atom.global.min.u32 %r1, [%out], %r2;", 0xfffffff0, 5},
      {"atom.global.max.s32 %r1, [%out], %r2;", 0xfffffff0, 5},
      {"atom.global.max.u64 %l1, [%out], %l2;", 4, 5},
      {"atom.global.max.s64 %l1, [%out], %l2;", ~0ULL, 5},
      {"atom.global.inc.u32 %r1, [%out], %r2;", 5, 0},
      {"atom.global.inc.u32 %r1, [%out], %r2;", 4, 5},
      {"atom.global.dec.u32 %r1, [%out], %r2;", 0, 5},
      {"atom.global.dec.u32 %r1, [%out], %r2;", 3, 2},
      {"atom.global.and.b32 %r1, [%out], %r2;", 6, 4},
      {"atom.global.or.b64 %l1, [%out], %l2;", 8, 13},
      {"atom.global.xor.b32 %r1, [%out], %r2;", 4, 1},
      {"atom.global.exch.b64 %l1, [%out], %l2;", 9, 5},
      {"atom.global.cas.b32 %r1, [%out], 9, %r2;", 9, 5},
      {"atom.global.cas.b32 %r1, [%out], 9, %r2;", 8, 8},
      {"atom.global.cas.b64 %l1, [%out], 9, %l2;", 9, 5},
      {"atom.global.cas.b16 %h2, [%out], 9, %h1;", 9, 0x3e00},
      {"atom.global.add.f32 %f2, [%out], %f1;", 0x3f800000, 0x40200000},
      {"atom.global.add.f64 %d2, [%out], %d1;", 0x3ff0000000000000, 0x4004000000000000},
      {"atom.global.add.noftz.f16 %h2, [%out], %h1;", 0x3c00, 0x4100},
      {"red.global.add.noftz.bf16 [%out], %h3;", 0x3f80, 0x4020},
      {"atom.global.add.noftz.f16x2 %r1, [%out], %r3;", 0x3c003c00, 0x41004100},
      {"red.global.add.u32 [%out], %r2;", 7, 12},
      {"red.relaxed.gpu.global.or.b32 [%out], %r2;", 8, 13},
      {"atom.acq_rel.sys.exch.b32 %r1, [%out], %r2;", 1, 5},
  };
  for (const unsigned workers : {1U, 2U}) {
    for (const AtomicCase& each : cases) {
      Gpu device(kernel(std::string("mov.u32 %r2, 5; mov.u64 %l2, 5; mov.f32 %f1, 0f3FC00000; mov.f64 %d1, 0d3FF8000000000000; "
                                    "mov.u16 %h1, 0x3e00; mov.u16 %h3, 0x3fc0; mov.u32 %r3, 0x3e003e00;\n") +
                        each.instruction),
                 {.workers = workers});
      auto* const out = device.array<std::uint64_t>(2);
      out[0] = each.before;
      const Fault fault = device.launch("k", {.grid = {1}, .block = {1}}, address(out), std::uint64_t{0}, 0U);
      ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
      EXPECT_EQ(out[0], each.after) << each.instruction;
    }
  }
}

TEST(Atomics, OfManyThreadsOnTwoWorkers) {
  Gpu device(kernel("atom.global.add.u32 %r1, [%out], 1; red.shared.add.u32 [sum], 1; bar.sync 0;"
                    "setp.ne.u32 %p1, %t, 0; @%p1 bra DONE; ld.shared.u32 %r2, [sum]; red.global.add.u32 [%out+4], %r2; DONE:",
                    ".shared .align 4 .u32 sum;\n"),
             {.workers = 2});
  auto* const out = device.array<std::uint32_t>(2);
  const Fault fault = device.launch("k", {.grid = {200}, .block = {96}}, address(out), std::uint64_t{0}, 0U);
  ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  EXPECT_EQ(out[0], 200U * 96);
  EXPECT_EQ(out[1], 200U * 96);
}

const std::string kCopy = R"(
    mov.u32 %r2, tile; shl.b32 %r3, %t, 4; add.u32 %r4, %r2, %r3;
    mul.wide.u32 %l1, %t, 16; add.s64 %l2, %in, %l1;
    cp.async.cg.shared.global [%r4], [%l2], 16;
    cp.async.commit_group;
    ld.shared.u32 %r5, [%r4];
    cp.async.wait_group 0;
    ld.shared.u32 %r6, [%r4+12];
    cp.async.ca.shared.global [%r4], [%l2], 16, 4;
    cp.async.wait_all;
    ld.shared.u32 %r7, [%r4+12]; ld.shared.u32 %r8, [%r4];
    add.s64 %l3, %out, %l1; st.global.v4.u32 [%l3], {%r5, %r6, %r7, %r8};
)";

TEST(AsyncCopies, ArriveWhenTheyAreWaitedFor) {
  Keeper keeper;
  Gpu device(kernel(kCopy, ".shared .align 16 .b8 tile[512];\n"), {.sink = &keeper});
  auto* const out = device.array<std::uint32_t>(128);
  auto* const in = device.array<std::uint32_t>(128);
  for (std::uint32_t i = 0; i < 128; ++i) in[i] = i + 1;
  const Fault fault = device.launch("k", {.grid = {1}, .block = {32}}, address(out), address(in), 0U);
  ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[4 * i], 0U);  // too early
    EXPECT_EQ(out[4 * i + 1], 4 * i + 4);
    EXPECT_EQ(out[4 * i + 2], 0U);  // filled with zeros
    EXPECT_EQ(out[4 * i + 3], 4 * i + 1);
  }
  const auto copies = keeper.of(gpu::StepKind::kAsyncCopy);
  ASSERT_EQ(copies.size(), 2U);
  EXPECT_EQ(copies[0].size, 16U);
  EXPECT_EQ(copies[0].addresses[1], gpu::shared_address(0, 16));
  EXPECT_EQ(copies[0].sources[1], address(in) + 16);
  EXPECT_EQ(keeper.of(gpu::StepKind::kAsyncCommit).size(), 1U);
  EXPECT_EQ(keeper.of(gpu::StepKind::kAsyncWait)[1].object, ~0U);
}

TEST(Mbarriers, CountArrivalsAndBytesByPhases) {
  const std::string text = kernel(R"(
    mov.u32 %r2, gate; mov.u32 %r3, tile;
    setp.ne.u32 %p1, %t, 0;
    @%p1 bra READY;
    mbarrier.init.shared.b64 [%r2], 64;
    mbarrier.init.shared.b64 [%r2+8], 1;
  READY:
    bar.sync 0;
    shl.b32 %r4, %t, 2; add.u32 %r4, %r3, %r4;
    st.shared.u32 [%r4], %t;
    mbarrier.arrive.shared.b64 %l2, [%r2];
  WAIT:
    mbarrier.test_wait.shared.b64 %p2, [%r2], %l2;
    @!%p2 bra WAIT;
    xor.b32 %r5, %t, 63; shl.b32 %r5, %r5, 2; add.u32 %r5, %r3, %r5;
    ld.shared.u32 %r1, [%r5];
    bar.sync 0;
    @%p1 bra POLL;
    mbarrier.arrive.expect_tx.shared.b64 %l3, [%r2+8], 256;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%in], 256, [%r2+8];
  POLL:
    mbarrier.try_wait.parity.shared.b64 %p3, [%r2+8], 0;
    @!%p3 bra POLL;
    ld.shared.u32 %r6, [%r4];
    mad.lo.u32 %r1, %r6, 100, %r1;
    mul.wide.u32 %l1, %i, 4; add.s64 %l1, %out, %l1; st.global.u32 [%l1], %r1;
  )", ".shared .align 8 .b64 gate[2];\n.shared .align 16 .b8 tile[256];\n");
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    Keeper keeper;
    Gpu device(text, {.seed = seed, .timeout_ms = 10000, .sink = &keeper});
    auto* const out = device.array<std::uint32_t>(64);
    auto* const in = device.array<std::uint32_t>(64);
    for (std::uint32_t i = 0; i < 64; ++i) in[i] = i + 1;
    const Fault fault = device.launch("k", {.grid = {1}, .block = {64}}, address(out), address(in), 0U);
    ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
    for (std::uint32_t i = 0; i < 64; ++i) ASSERT_EQ(out[i], 100 * (i + 1) + (i ^ 63)) << i;
    gpu::Lanes arrived = 0;
    for (const auto& each : keeper.of(gpu::StepKind::kMbarrierArrive)) {
      if (each.warp == 1 && each.round == 0) arrived |= each.lanes;
    }
    EXPECT_EQ(arrived, ~0U);
    EXPECT_GE(keeper.of(gpu::StepKind::kMbarrierWait).size(), 4U);
  }
}

TEST(Faults, NameAddressThreadAndLine) {
  const std::string store = "mul.wide.u32 %l1, %i, 4; add.s64 %l1, %out, %l1; st.global.u32 [%l1], %i;";
  Gpu device(kernel(store));
  auto* const out = device.array<std::uint32_t>(40);
  Fault fault = device.launch("k", {.grid = {1}, .block = {64}}, address(out), std::uint64_t{0}, 0U);
  EXPECT_EQ(fault.kind, FaultKind::kOutOfBounds);
  EXPECT_EQ(fault.address, address(out + 40));
  EXPECT_EQ(fault.thread, 40U);
  EXPECT_TRUE(fault.wrote);
  EXPECT_NE(fault.text.find("write of 4 bytes"), std::string::npos) << fault.text;
  EXPECT_NE(fault.text.find("thread (40,0,0) of block (0,0,0)"), std::string::npos) << fault.text;
  EXPECT_NE(fault.text.find("test.ptx:"), std::string::npos) << fault.text;
  fault = device.launch("k", {.grid = {1}, .block = {1}}, address(out) + 2, std::uint64_t{0}, 0U);
  EXPECT_EQ(fault.kind, FaultKind::kMisaligned);
  EXPECT_TRUE(device.device.free(address(out)));
  fault = device.launch("k", {.grid = {1}, .block = {1}}, address(out), std::uint64_t{0}, 0U);
  EXPECT_EQ(fault.kind, FaultKind::kUseAfterFree);
  fault = device.launch("k", {.grid = {1}, .block = {1}}, std::uint64_t{8}, std::uint64_t{0}, 0U);
  EXPECT_EQ(fault.kind, FaultKind::kOutOfBounds);
}

TEST(Steps, OfAccessesHaveAddressesOrderAndScope) {
  Keeper keeper;
  Gpu device(kernel(R"(
    mul.wide.u32 %l1, %t, 8; add.s64 %l2, %out, %l1;
    st.global.u32 [%l2], %t;
    ld.acquire.gpu.global.u32 %r1, [%l2];
    st.release.cta.global.u32 [%l2], 7;
    ld.volatile.global.u32 %r2, [%l2];
    fence.sc.sys;
    membar.gl;
    atom.global.cas.b32 %r3, [%out], 7, %t;
    st.shared.u32 [cell], 3;
  )", ".shared .align 4 .b32 cell;\n"), {.sink = &keeper});
  auto* const out = device.array<std::uint64_t>(32);
  device.launch("k", {.grid = {1}, .block = {32}}, address(out), std::uint64_t{0}, 0U);
  using enum gpu::StepKind;
  const std::vector<gpu::StepKind> wanted{kWrite, kAtomicLoad, kAtomicStore, kRead, kFence, kFence,
                                          kAtomicRmw, kWrite, kExit};
  ASSERT_EQ(keeper.kinds(), wanted);
  const auto& steps = keeper.steps;
  EXPECT_EQ(steps[0].addresses[5], address(out + 5));
  EXPECT_EQ(steps[0].values[5], 5U);
  EXPECT_EQ(steps[0].size, 4U);
  EXPECT_EQ(steps[0].order, Order::kPlain);
  EXPECT_EQ(steps[1].order, Order::kAcquire);
  EXPECT_EQ(steps[1].scope, Scope::kDevice);
  EXPECT_EQ(steps[2].order, Order::kRelease);
  EXPECT_EQ(steps[2].scope, Scope::kBlock);
  EXPECT_TRUE(steps[3].is_volatile);
  EXPECT_EQ(steps[4].order, Order::kSeqCst);
  EXPECT_EQ(steps[4].scope, Scope::kSystem);
  EXPECT_EQ(steps[5].scope, Scope::kDevice);
  EXPECT_EQ(steps[6].wrote, 1U);  // only the first lane found 7
  EXPECT_EQ(steps[7].space, gpu::Space::kShared);
  EXPECT_TRUE(gpu::is_shared(steps[7].addresses[0]));
  EXPECT_EQ(device.device.instruction_text(steps[0].site), "st.global.u32 [%l2], %t");
}

}  // namespace
}  // namespace redflag::cuda
