// mbarriers beyond one block and one count: arrive_drop, remote arrivals, bytes without copies.
#include "frontends/cuda/emulate/mbarrier.h"

#include "frontends/cuda/emulate/testing.h"

namespace redflag::cuda {
namespace {

using testing::address;
using testing::Gpu;
using testing::Keeper;
using testing::kernel;

const std::string kStore =
    "mul.wide.u32 %l20, %i, 4; add.s64 %l20, %out, %l20; st.global.u32 [%l20], %r1;\n";
const std::string kGate = ".shared .align 8 .b64 gate[2];\n.shared .align 16 .b8 tile[1024];\n";
// One thread makes the mbarrier for so many arrivals; all of the cluster see it.
std::string with_gate(const std::string& count) {
  return "mov.u32 %r20, gate; mov.u32 %r21, tile; setp.ne.u32 %p1, %t, 0; @%p1 bra MADE;\n"
         "mbarrier.init.shared.b64 [%r20], " +
         count +
         "; fence.mbarrier_init.release.cluster;\nMADE: barrier.cluster.arrive.aligned;"
         "barrier.cluster.wait.aligned;\n";
}
std::string wait_for(const std::string& parity) {
  return "WAIT" + parity + ": mbarrier.try_wait.parity.shared.b64 %p2, [%r20], " + parity +
         "; @!%p2 bra WAIT" + parity + ";\n";
}

TEST(Mbarrier, PacksItsParts) {
  for (const std::int32_t bytes : {0, 1, -1, (1 << 20) - 1, 1 - (1 << 20)}) {
    const Mbarrier gate{.expected = 1000, .pending = 3, .bytes = bytes, .parity = true};
    const Mbarrier same = Mbarrier::unpack(gate.pack());
    EXPECT_EQ(same.expected, 1000U);
    EXPECT_EQ(same.pending, 3U);
    EXPECT_EQ(same.bytes, bytes);
    EXPECT_TRUE(same.parity);
  }
}

// The odd threads leave in the first phase; in the second one the even ones are enough.
TEST(Mbarrier, ThreadsThatDropOutAreNotAwaited) {
  const std::string text = kernel(with_gate("64") + R"(
    and.b32 %r2, %t, 1; setp.eq.u32 %p3, %r2, 0;
    mov.u32 %r1, 1;
    @%p3 bra STAYS;
    mbarrier.arrive_drop.shared.b64 %l1, [%r20];
    mbarrier.pending_count.b64 %r3, %l1;
    setp.eq.u32 %p4, %r3, 0;
    @%p4 mov.u32 %r1, 100;
    bra DONE;
  STAYS:
    mbarrier.arrive.shared.b64 %l1, [%r20];
  )" + wait_for("0") + "mbarrier.arrive.shared.b64 %l1, [%r20];" +
                                      wait_for("1") + "mov.u32 %r1, 3;\nDONE:\n" + kStore,
                                  kGate);
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    Gpu device(text, {.seed = seed, .timeout_ms = 10000});
    auto* const out = device.array<std::uint32_t>(64);
    const Fault fault =
        device.launch("k", {.grid = {1}, .block = {64}}, address(out), std::uint64_t{0}, 0U);
    ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
    for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], i % 2 == 0 ? 3U : 1U) << i;
  }
}

// Threads of block 1 arrive at the mbarrier of block 0, which waits for them and for its own.
TEST(Mbarrier, BlocksOfAClusterArriveAtEachOthers) {
  const std::string text = kernel(with_gate("64") + R"(
    mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, 0;
    shl.b32 %r4, %t, 2; add.u32 %r5, %r21, %r4;
    mapa.shared::cluster.u32 %r6, %r20, %r3; mapa.shared::cluster.u32 %r7, %r5, %r3;
    mov.u32 %r1, 5;
    setp.eq.u32 %p3, %r2, 0;
    @%p3 bra OWNER;
    add.u32 %r8, %t, 200;
    st.shared::cluster.u32 [%r7], %r8;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r6];
    bra DONE;
  OWNER:
    mbarrier.arrive.shared.b64 %l1, [%r20];
  WAIT:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r20], 0;
    @!%p2 bra WAIT;
    ld.shared.u32 %r1, [%r5];
  DONE:
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
  )" + kStore,
                                  kGate);
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    Keeper keeper;
    Gpu device(text, {.seed = seed, .timeout_ms = 10000, .sink = &keeper});
    auto* const out = device.array<std::uint32_t>(128);
    const Fault fault = device.launch("k", {.grid = {4}, .block = {32}, .cluster = {2}},
                                      address(out), std::uint64_t{0}, 0U);
    ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
    for (std::uint32_t i = 0; i < 128; ++i) {
      EXPECT_EQ(out[i], i / 32 % 2 == 0 ? 200 + i % 32 : 5U) << i << " seed " << seed;
    }
    for (const auto& each : keeper.of(gpu::StepKind::kMbarrierArrive)) {
      EXPECT_EQ(gpu::shared_block(each.addresses[0]), each.block / 2 * 2);
      EXPECT_EQ(each.scope, each.block % 2 == 1 ? Scope::kCluster : Scope::kBlock);
    }
  }
}

TEST(Mbarrier, WaitsForBytesThatAThreadReports) {
  const std::string text = kernel(with_gate("1") + R"(
    @%p1 bra CHECK;
    mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r20], 96;
    mbarrier.arrive.shared.b64 %l1, [%r20];
    mbarrier.test_wait.shared.b64 %p4, [%r20], %l1;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r20], 32;
    mbarrier.test_wait.shared.b64 %p5, [%r20], %l1;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r20], 64;
    mbarrier.test_wait.shared.b64 %p6, [%r20], %l1;
    selp.u32 %r1, 1, 0, %p4; @%p5 add.u32 %r1, %r1, 2; @%p6 add.u32 %r1, %r1, 4;
    mbarrier.inval.shared.b64 [%r20];
    bra DONE;
  CHECK:
    mov.u32 %r1, 9;
  DONE:
  )" + kStore,
                                  kGate);
  Gpu device(text, {.timeout_ms = 10000});
  auto* const out = device.array<std::uint32_t>(32);
  const Fault fault =
      device.launch("k", {.grid = {1}, .block = {32}}, address(out), std::uint64_t{0}, 0U);
  ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  EXPECT_EQ(out[0], 4U);
  EXPECT_EQ(out[1], 9U);
}

}  // namespace
}  // namespace redflag::cuda
