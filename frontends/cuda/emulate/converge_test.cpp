// Lanes that were parted and meet again: at barriers that want whole warps, and at matrix instructions.
#include "frontends/cuda/emulate/testing.h"

namespace redflag::cuda {
namespace {

using testing::address;
using testing::Gpu;
using testing::Keeper;
using testing::kernel;

const std::string kFlag = ".shared .align 4 .u32 flag;\n.shared .align 16 .b8 tile[4096];\n";

// The low half of warp 0 waits for what warp 1 does after long work; the others are at the join, and are
// let go from there.
std::string let_go_then(const std::string& rest) {
  return kernel(R"(
    setp.gt.u32 %p1, %t, 31;
    @%p1 bra WORK;
    setp.gt.u32 %p2, %t, 15;
    @%p2 bra MEET;
  SPIN:
    ld.volatile.shared.u32 %r1, [flag];
    setp.eq.u32 %p3, %r1, 0;
    @%p3 bra SPIN;
  MEET:
    bra.uni JOINED;
  WORK:
    mov.u32 %r2, 0;
  LOOP:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p4, %r2, 30000;
    @%p4 bra LOOP;
    st.volatile.shared.u32 [flag], %r2;
  JOINED:
)" + rest,
                kFlag);
}

TEST(AlignedBarriers, LanesLetGoFromAJoinArriveAsOneWarp) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    for (const char* const barrier :
         {"bar.sync 0;", "bar.red.popc.u32 %r5, 0, %p1;", "bar.arrive 1, 64;"}) {
      Keeper keeper;
      Gpu device(let_go_then(barrier), {.seed = seed, .sink = &keeper});
      const Fault fault =
          device.launch("k", {.grid = {1}, .block = {64}}, std::uint64_t{0}, std::uint64_t{0}, 0U);
      ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
      const auto arrivals = keeper.of(gpu::StepKind::kBarrierArrive);
      ASSERT_EQ(arrivals.size(), 2U) << "seed " << seed << ' ' << barrier;
      EXPECT_EQ(arrivals[0].lanes, ~0U) << "seed " << seed;
      EXPECT_EQ(arrivals[1].lanes, ~0U) << "seed " << seed;
    }
  }
}

TEST(AlignedBarriers, VotesOfLanesThatCameApartCount) {
  const std::string text = let_go_then(
      "setp.lt.u32 %p5, %t, 20; bar.red.popc.u32 %r5, 0, %p5;"
      "mul.wide.u32 %l1, %i, 4; add.s64 %l1, %out, %l1; st.global.u32 [%l1], %r5;");
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Gpu device(text, {.seed = seed});
    auto* const out = device.array<std::uint32_t>(64);
    const Fault fault =
        device.launch("k", {.grid = {1}, .block = {64}}, address(out), std::uint64_t{0}, 0U);
    ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
    for (std::uint32_t i = 0; i < 64; ++i) ASSERT_EQ(out[i], 20U) << i;
  }
}

// Divergence that hardware has too: the two halves of a warp stand at different barriers.
TEST(AlignedBarriers, TrulyPartedLanesArriveInParts) {
  const std::string text = kernel(R"(
    setp.lt.u32 %p1, %t, 16;
    @%p1 bra LOW;
    bar.sync 0;
    bra MEET;
  LOW:
    bar.sync 0;
  MEET:
  )");
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Keeper keeper;
    Gpu device(text, {.seed = seed, .sink = &keeper});
    const Fault fault =
        device.launch("k", {.grid = {2}, .block = {32}}, std::uint64_t{0}, std::uint64_t{0}, 0U);
    ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
    const auto arrivals = keeper.of(gpu::StepKind::kBarrierArrive);
    ASSERT_EQ(arrivals.size(), 4U);
    for (const auto& each : arrivals) {
      EXPECT_TRUE(each.lanes == 0xffffU || each.lanes == 0xffff0000U) << each.lanes;
    }
  }
}

// barrier.sync without .aligned takes lanes as they come: nobody waits for the rest of the warp.
TEST(AlignedBarriers, OthersTakeLanesAsTheyCome) {
  bool apart = false;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Keeper keeper;
    Gpu device(let_go_then("barrier.sync 0;"), {.seed = seed, .sink = &keeper});
    const Fault fault =
        device.launch("k", {.grid = {1}, .block = {64}}, std::uint64_t{0}, std::uint64_t{0}, 0U);
    ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
    apart = apart || keeper.of(gpu::StepKind::kBarrierArrive).size() == 3;
  }
  EXPECT_TRUE(apart);
}

const std::string kTranspose =
    "mad.lo.u32 %r6, %t, 2, 1; shl.b32 %r6, %r6, 16; mad.lo.u32 %r6, %t, 2, %r6;"
    "movmatrix.sync.aligned.m8n8.trans.b16 %r5, %r6;\n";

// Lanes that were let go wait for the others, whose registers the product needs.
TEST(MatrixInstructions, WaitForLanesThatComeLater) {
  const std::string text = let_go_then(
      "setp.gt.u32 %p5, %t, 31; @%p5 bra DONE;" + kTranspose +
      "mul.wide.u32 %l1, %i, 4; add.s64 %l1, %out, %l1; st.global.u32 [%l1], %r5; DONE:");
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Gpu device(text, {.seed = seed});
    auto* const out = device.array<std::uint32_t>(64);
    const Fault fault =
        device.launch("k", {.grid = {1}, .block = {64}}, address(out), std::uint64_t{0}, 0U);
    ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
    // Element (r, c) is 8r + c; the lane has (2(l mod 4), l div 4) and the one below.
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::uint32_t low = lane % 4 * 16 + lane / 4;
      ASSERT_EQ(out[lane], (low + 8) << 16 | low) << lane << " seed " << seed;
    }
  }
}

TEST(MatrixInstructions, LanesThatNeverMeetAreStuck) {
  Gpu device(kernel("setp.lt.u32 %p1, %t, 16; @%p1 bra LOW;" + kTranspose +
                    "bra MEET; LOW: add.u32 %r6, %r6, 1;" + kTranspose + "MEET:"));
  const Fault fault =
      device.launch("k", {.grid = {1}, .block = {32}}, std::uint64_t{0}, std::uint64_t{0}, 0U);
  EXPECT_EQ(fault.kind, FaultKind::kDeadlock);
  EXPECT_NE(fault.text.find("waits for all lanes of its warp at test.ptx:"), std::string::npos)
      << fault.text;
}

TEST(MatrixInstructions, NeedAllLanes) {
  const auto fault_of = [](const std::string& before, const std::string& guard,
                           std::uint32_t threads) {
    Gpu device(kernel(before + guard + "movmatrix.sync.aligned.m8n8.trans.b16 %r5, %t;"));
    return device.launch("k", {.grid = {1}, .block = {threads}}, std::uint64_t{0}, std::uint64_t{0},
                         0U);
  };
  const Fault few = fault_of("", "", 20);
  EXPECT_EQ(few.kind, FaultKind::kTrap);
  EXPECT_NE(few.text.find("needs all 32 lanes of the warp, and 20 are alive"), std::string::npos)
      << few.text;
  const Fault guarded = fault_of("setp.lt.u32 %p1, %t, 30;", "@%p1 ", 32);
  EXPECT_NE(guarded.text.find("its guard leaves out 2"), std::string::npos) << guarded.text;
  // The others end while these wait.
  const Fault ended = fault_of("setp.lt.u32 %p1, %t, 16; @%p1 exit;", "", 32);
  EXPECT_NE(ended.text.find("16 are alive"), std::string::npos) << ended.text;
  EXPECT_EQ(fault_of("", "", 32).kind, FaultKind::kNone);
}

}  // namespace
}  // namespace redflag::cuda
