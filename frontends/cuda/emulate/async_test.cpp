// Bulk copies and reductions, st.async and red.async: where bytes go, who is told, who may go on.
// cp.async is in memory_test.cpp.
#include "frontends/cuda/emulate/testing.h"

namespace redflag::cuda {
namespace {

using testing::address;
using testing::Gpu;
using testing::Keeper;
using testing::kernel;

const std::string kStore =
    "mul.wide.u32 %l20, %i, 4; add.s64 %l20, %out, %l20; st.global.u32 [%l20], %r1;\n";
const std::string kTile = ".shared .align 16 .b8 tile[1024];\n.shared .align 8 .b64 gate;\n";
// %r20: the mbarrier, which one arrival and `bytes` complete; %r21: the tile; %r22: this lane's word in it;
// %r23: the rank in the cluster; %p1: not the first thread.
std::string begin(const std::string& bytes) {
  return R"(
    mov.u32 %r20, gate; mov.u32 %r21, tile; shl.b32 %r22, %t, 2; add.u32 %r22, %r21, %r22;
    mov.u32 %r23, %cluster_ctarank; setp.ne.u32 %p1, %t, 0;
    @%p1 bra MADE;
    mbarrier.init.shared.b64 [%r20], 1;
    mbarrier.arrive.expect_tx.shared.b64 %l1, [%r20], )" +
         bytes + R"(;
  MADE:
    st.shared.u32 [%r22+512], %t;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
  )";
}
const std::string kWait =
    "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [%r20], 0; @!%p2 bra WAIT;\n";
const std::string kEnd = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";

// Runs two blocks of 32 threads as a cluster under several seeds; in[i] = i + 1.
void check(const std::string& body, const std::vector<std::uint32_t>& wanted,
           void (*look)(const Keeper&, const std::uint32_t* in,
                        const std::uint32_t* out) = nullptr) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    Keeper keeper;
    Gpu device(kernel(body, kTile), {.seed = seed, .timeout_ms = 10000, .sink = &keeper});
    auto* const in = device.array<std::uint32_t>(256);
    auto* const out = device.array<std::uint32_t>(256);
    for (std::uint32_t i = 0; i < 256; ++i) in[i] = i + 1;
    const Fault fault = device.launch("k", {.grid = {2}, .block = {32}, .cluster = {2}},
                                      address(out), address(in), 0U);
    ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(out[i], wanted[i]) << i << " seed " << seed;
    }
    if (look != nullptr) look(keeper, in, out);
  }
}
template <typename F>
std::vector<std::uint32_t> values(F of) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < 64; ++i) all.push_back(of(i));
  return all;
}

TEST(BulkCopies, FromGlobalToShared) {
  check(begin("128") + R"(
    @%p1 bra WAIT;
    mul.wide.u32 %l2, %r23, 128; add.s64 %l2, %in, %l2;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r21], [%l2], 128, [%r20];
  )" + kWait +
            "ld.shared.u32 %r1, [%r22];\n" + kEnd + kStore,
        values([](std::uint32_t i) { return i + 1; }),
        [](const Keeper& keeper, const std::uint32_t* in, const std::uint32_t*) {
          const auto copies = keeper.of(gpu::StepKind::kAsyncCopy);
          ASSERT_EQ(copies.size(), 2U);
          EXPECT_EQ(copies[0].size, 128);
          EXPECT_EQ(copies[0].sources[0], address(in) + copies[0].block * 128);
          EXPECT_EQ(gpu::shared_block(copies[0].addresses[0]), copies[0].block);
          EXPECT_EQ(keeper.of(gpu::StepKind::kAsyncArrive).size(), 2U);
        });
}

TEST(BulkCopies, FromSharedToGlobalInGroups) {
  check(begin("0") + R"(
    @%p1 bra DONE;
    mul.wide.u32 %l2, %r23, 128; add.s64 %l2, %out, %l2;
    fence.proxy.async;
    cp.async.bulk.global.shared::cta.bulk_group [%l2], [%r21+512], 128;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group.read 0;
    cp.async.bulk.wait_group 0;
  DONE:
  )" + kEnd,
        values([](std::uint32_t i) { return i % 32; }),
        [](const Keeper& keeper, const std::uint32_t*, const std::uint32_t* out) {
          const auto copies = keeper.of(gpu::StepKind::kAsyncCopy);
          ASSERT_EQ(copies.size(), 2U);
          EXPECT_EQ(copies[0].space, gpu::Space::kGlobal);
          EXPECT_EQ(copies[0].addresses[0], address(out) + copies[0].block * 128);
          EXPECT_EQ(keeper.of(gpu::StepKind::kAsyncCommit).size(), 2U);
          EXPECT_EQ(keeper.of(gpu::StepKind::kAsyncWait).size(), 4U);
        });
}

// Each block sends its tile to the other one, and waits at its own mbarrier.
TEST(BulkCopies, FromBlockToBlock) {
  check(begin("128") + R"(
    mad.lo.u32 %r2, %r23, 1000, %t; st.shared.u32 [%r22+512], %r2;
    bar.warp.sync -1;
    @%p1 bra WAIT;
    xor.b32 %r3, %r23, 1;
    mapa.shared::cluster.u32 %r4, %r21, %r3; mapa.shared::cluster.u32 %r5, %r20, %r3;
    fence.proxy.async;
    cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r4], [%r21+512], 128, [%r5];
  )" + kWait +
            "ld.shared.u32 %r1, [%r22];\n" + kEnd + kStore,
        values([](std::uint32_t i) { return (i < 32 ? 1000 : 0) + i % 32; }));
}

TEST(BulkCopies, ToSeveralBlocks) {
  check(begin("128") + R"(
    setp.ne.u32 %p3, %r23, 0; or.pred %p3, %p3, %p1;
    @%p3 bra WAIT;
    mov.u16 %h1, 3;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r21], [%in], 128, [%r20], %h1;
  )" + kWait +
            "ld.shared.u32 %r1, [%r22];\n" + kEnd + kStore,
        values([](std::uint32_t i) { return i % 32 + 1; }),
        [](const Keeper& keeper, const std::uint32_t*, const std::uint32_t*) {
          const auto copies = keeper.of(gpu::StepKind::kAsyncCopy);
          ASSERT_EQ(copies.size(), 2U);
          EXPECT_EQ(copies[0].block, 0U);
          EXPECT_EQ(gpu::shared_block(copies[1].addresses[0]), 1U);
        });
}

TEST(BulkCopies, MustBeAligned) {
  Gpu device(
      kernel(begin("0") +
                 "@%p1 bra DONE; cp.async.bulk.global.shared::cta.bulk_group [%out+4], [%r21], 16;"
                 "\nDONE:\n",
             kTile));
  auto* const out = device.array<std::uint32_t>(16);
  const Fault fault =
      device.launch("k", {.grid = {1}, .block = {32}}, address(out), std::uint64_t{0}, 0U);
  EXPECT_EQ(fault.kind, FaultKind::kMisaligned) << fault.text;
}

// Both blocks add their tiles to the same memory.
TEST(BulkReductions, OfSharedToGlobal) {
  check(
      begin("0") + R"(
    @%p1 bra DONE;
    cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%out], [%r21+512], 128;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
  DONE:
  )" + kEnd,
      [] {
        auto all = values([](std::uint32_t i) { return i < 32 ? 2 * i : 0; });
        return all;
      }(),
      [](const Keeper& keeper, const std::uint32_t*, const std::uint32_t*) {
        const auto told = keeper.of(gpu::StepKind::kAtomicRmw);
        ASSERT_EQ(told.size(), 64U);  // one for each element
        EXPECT_EQ(told[0].size, 4);
        EXPECT_EQ(told[0].order, Order::kRelaxed);
      });
}

TEST(BulkReductions, OfBlockIntoBlock) {
  check(begin("128") + R"(
    @%p1 bra WAIT;
    xor.b32 %r3, %r23, 1;
    mapa.shared::cluster.u32 %r4, %r21, %r3; mapa.shared::cluster.u32 %r5, %r20, %r3;
    cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.max.u32 [%r4+512], [%r21], 128, [%r5];
  )" + kWait +
            "ld.shared.u32 %r1, [%r22+512];\n" + kEnd + kStore,
        values([](std::uint32_t i) { return i % 32; }));
}

// Every lane stores two words into the other block; the mbarrier there counts 8 bytes of each.
TEST(AsyncStores, AreCountedByTheOthersMbarrier) {
  check(begin("256") + R"(
    xor.b32 %r3, %r23, 1;
    shl.b32 %r6, %t, 3; add.u32 %r6, %r21, %r6;
    mapa.shared::cluster.u32 %r4, %r6, %r3; mapa.shared::cluster.u32 %r5, %r20, %r3;
    mad.lo.u32 %r7, %r23, 1000, %t; mul.lo.u32 %r8, %t, 2;
    st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r4], {%r7, %r8}, [%r5];
  )" + kWait +
            "ld.shared.v2.u32 {%r9, %r10}, [%r6]; add.u32 %r1, %r9, %r10;\n" + kEnd + kStore,
        values([](std::uint32_t i) { return (i < 32 ? 1000 : 0) + i % 32 * 3; }),
        [](const Keeper& keeper, const std::uint32_t*, const std::uint32_t*) {
          const auto copies = keeper.of(gpu::StepKind::kAsyncCopy);
          ASSERT_EQ(copies.size(), 2U);
          EXPECT_EQ(copies[0].lanes, ~0U);
          EXPECT_EQ(copies[0].size, 8);
          EXPECT_EQ(gpu::shared_block(copies[0].addresses[0]), 1 - copies[0].block);
          EXPECT_EQ(keeper.of(gpu::StepKind::kAsyncArrive).size(), 64U);
        });
}

TEST(AsyncStores, ReduceInTheOtherBlock) {
  check(begin("128") + R"(
    xor.b32 %r3, %r23, 1;
    mapa.shared::cluster.u32 %r4, %r21, %r3; mapa.shared::cluster.u32 %r5, %r20, %r3;
    red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r4], %t, [%r5];
  )" + kWait +
            "ld.shared.u32 %r1, [%r21];\n" + kEnd + kStore,
        values([](std::uint32_t) { return 496; }),
        [](const Keeper& keeper, const std::uint32_t*, const std::uint32_t*) {
          const auto told = keeper.of(gpu::StepKind::kAtomicRmw);
          ASSERT_EQ(told.size(), 2U);
          EXPECT_EQ(told[0].scope, Scope::kCluster);
          EXPECT_EQ(told[0].wrote, ~0U);
        });
}

}  // namespace
}  // namespace redflag::cuda
