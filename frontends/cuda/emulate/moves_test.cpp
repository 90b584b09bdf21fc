// Addresses between spaces and blocks: isspacep, mapa, getctarank; and instructions that do nothing here.
#include "frontends/cuda/emulate/testing.h"

namespace redflag::cuda {
namespace {

using testing::address;
using testing::Gpu;
using testing::Keeper;
using testing::kernel;

const std::string kStoreMoved =
    "mul.wide.u32 %l20, %i, 4; add.s64 %l20, %out, %l20; st.global.u32 [%l20], %r1;\n";

// Two blocks of a cluster look at an address of the own block, of the other one, and of global memory.
TEST(Spaces, OfAddressesInACluster) {
  const std::string text = kernel(R"(
    mov.u64 %l1, tile; cvta.shared.u64 %l1, %l1;
    mov.u32 %r2, %cluster_ctarank; xor.b32 %r3, %r2, 1;
    mapa.u64 %l2, %l1, %r3;
    mapa.u64 %l3, %l1, %r2;
    isspacep.shared::cta %p1, %l1; isspacep.shared::cta %p2, %l2; isspacep.shared::cta %p3, %l3;
    isspacep.shared::cluster %p4, %l2; isspacep.shared::cluster %p5, %out; isspacep.global %p6, %l2;
    isspacep.global %p7, %out; isspacep.local %p8, %l1;
    selp.u32 %r1, 1, 0, %p1; @%p2 add.u32 %r1, %r1, 2; @%p3 add.u32 %r1, %r1, 4;
    @%p4 add.u32 %r1, %r1, 8; @%p5 add.u32 %r1, %r1, 16; @%p6 add.u32 %r1, %r1, 32;
    @%p7 add.u32 %r1, %r1, 64; @%p8 add.u32 %r1, %r1, 128;
    getctarank.u32 %r4, %l1; getctarank.u32 %r5, %l2;
    cvta.to.shared.u64 %l4, %l2; cvt.u32.u64 %r6, %l4;
    getctarank.shared::cluster.u32 %r7, %r6;
    mad.lo.u32 %r1, %r4, 1000, %r1; mad.lo.u32 %r1, %r5, 10000, %r1; mad.lo.u32 %r1, %r7, 100000, %r1;
  )" + kStoreMoved,
                                  ".shared .align 8 .b8 tile[64];\n");
  Gpu device(text);
  auto* const out = device.array<std::uint32_t>(4);
  const Fault fault = device.launch("k", {.grid = {4}, .block = {1}, .cluster = {2}}, address(out),
                                    std::uint64_t{0}, 0U);
  ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  constexpr std::uint32_t kSpaces = 1 + 4 + 8 + 64;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t own = i % 2, other = 1 - own;
    EXPECT_EQ(out[i], kSpaces + own * 1000 + other * 10000 + other * 100000) << i;
  }
}

TEST(Hints, ChangeNothing) {
  Gpu device(kernel(R"(
    createpolicy.fractional.L2::evict_last.b64 %l1, 0f3F800000;
    createpolicy.range.global.L2::evict_last.L2::evict_normal.b64 %l2, [%in], 128, 256;
    prefetch.global.L2 [%in]; prefetchu.L1 [%in]; prefetch.L1 [%in];
    applypriority.global.L2::evict_normal [%in], 128;
    cp.async.bulk.prefetch.L2.global [%in], 128;
    griddepcontrol.wait; griddepcontrol.launch_dependents;
    setmaxnreg.inc.sync.aligned.u32 40; pmevent 3; pmevent.mask 5; brkpt;
    nanosleep.u32 1000; nanosleep.u32 %t;
    fence.proxy.async; fence.proxy.alias;
    ld.global.L2::cache_hint.u32 %r1, [%in], %l1;
    st.global.L2::cache_hint.u32 [%out], %r1, %l1;
  )"));
  auto* const in = device.array<std::uint32_t>(64);
  auto* const out = device.array<std::uint32_t>(1);
  in[0] = 17;
  const Fault fault =
      device.launch("k", {.grid = {1}, .block = {32}}, address(out), address(in), 0U);
  ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  EXPECT_EQ(out[0], 17U);
}

// The manual calls it a weak write of an indeterminate value: others must not access it meanwhile.
TEST(Hints, DiscardIsToldAsAWrite) {
  Keeper keeper;
  Gpu device(kernel("discard.global.L2 [%in], 128;"), {.sink = &keeper});
  auto* const in = device.array<std::uint32_t>(64);
  const Fault fault =
      device.launch("k", {.grid = {1}, .block = {1}}, std::uint64_t{0}, address(in), 0U);
  ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  const auto told = keeper.of(gpu::StepKind::kWrite);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].size, 128);
  EXPECT_EQ(told[0].addresses[0], address(in));
}

// As on sm_90, where a block's own addresses have its rank too: only the low bits are an offset.
TEST(Moves, SharedAddressesInClustersHaveTheRank) {
  Gpu gpu(
      kernel(".shared .align 8 .b64 word; mov.u32 %r1, word; cvt.u64.u32 %l1, %r1;\n"
             "mov.u32 %r2, %ctaid.x; mul.wide.u32 %l2, %r2, 8; add.s64 %l2, %l2, %out;\n"
             "st.global.u64 [%l2], %l1; st.shared.u64 [%r1], %l1; ld.shared.u64 %l3, [word];\n"
             "st.global.u64 [%l2+32], %l3;"));
  auto* const out = gpu.array<std::uint64_t>(8);
  LaunchConfig config;
  config.grid = {2, 1, 1};
  ASSERT_EQ(gpu.launch("k", config, address(out), std::uint64_t{0}, 0U).text, "");
  EXPECT_EQ(out[0], out[1]);
  config.cluster = {2, 1, 1};
  ASSERT_EQ(gpu.launch("k", config, address(out), std::uint64_t{0}, 0U).text, "");
  EXPECT_NE(out[0], out[1]);
  EXPECT_EQ(out[0] & 0xffffff, out[1] & 0xffffff);
  EXPECT_EQ(out[4], out[0]);  // both name the same place
  EXPECT_EQ(out[5], out[1]);
}

}  // namespace
}  // namespace redflag::cuda
