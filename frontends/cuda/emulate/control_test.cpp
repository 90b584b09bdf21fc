// Divergence, reconvergence, calls, and lanes that wait for each other.
#include "frontends/cuda/emulate/testing.h"

namespace redflag::cuda {
namespace {

using testing::address;
using testing::Gpu;
using testing::Keeper;
using testing::kernel;

// Stores %r1 at out[i].
const std::string kStoreBranch =
    "mul.wide.u32 %l1, %i, 4; add.s64 %l1, %out, %l1; st.global.u32 [%l1], %r1;\n";

std::vector<std::uint32_t> results(const std::string& text, const LaunchConfig& config,
                                   const DeviceOptions& options = {}, std::uint32_t n = 0) {
  Gpu gpu(text, options);
  const std::size_t threads = config.grid.count() * config.block.count();
  auto* const out = gpu.array<std::uint32_t>(threads);
  const Fault fault = gpu.launch("k", config, address(out), std::uint64_t{0}, n);
  EXPECT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  return {out, out + threads};
}

TEST(Control, BranchesPartAndMeet) {
  const std::string text = kernel(R"(
    and.b32 %r2, %t, 3;
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra ZERO;
    setp.lt.u32 %p2, %r2, 2;
    @%p2 bra ONE;
    mov.u32 %r1, 300;
    bra MEET;
  ONE:
    mov.u32 %r1, 200;
    bra MEET;
  ZERO:
    mov.u32 %r1, 100;
  MEET:
    activemask.b32 %r3;
    setp.eq.u32 %p3, %r3, -1;
    @%p3 add.u32 %r1, %r1, 7;
  )" + kStoreBranch);
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const auto out = results(text, {.grid = {2}, .block = {64}}, {.seed = seed});
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::uint32_t wanted[] = {107, 207, 307, 307};
      ASSERT_EQ(out[i], wanted[i % 4]) << i << " seed " << seed;
    }
  }
}

TEST(Control, LoopsOfDifferentLengthEndTogether) {
  const std::string text = kernel(R"(
    mov.u32 %r1, 0; mov.u32 %r2, 0;
  LOOP:
    add.u32 %r1, %r1, %r2;
    add.u32 %r2, %r2, 1;
    setp.le.u32 %p1, %r2, %t;
    @%p1 bra LOOP;
    activemask.b32 %r3;
    setp.ne.u32 %p2, %r3, -1;
    @%p2 mov.u32 %r1, 9999;
  )" + kStoreBranch);
  const auto out = results(text, {.grid = {1}, .block = {32}});
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i * (i + 1) / 2);
}

TEST(Control, SwitchesThroughTables) {
  const std::string text = kernel(R"(
    and.b32 %r2, %t, 3;
    table: .branchtargets A, B, C, B;
    brx.idx %r2, table;
  A: mov.u32 %r1, 1; bra.uni MEET;
  B: mov.u32 %r1, 2; bra.uni MEET;
  C: mov.u32 %r1, 3;
  MEET:
    activemask.b32 %r3; popc.b32 %r4, %r3; mad.lo.u32 %r1, %r4, 100, %r1;
  )" + kStoreBranch);
  const auto out = results(text, {.grid = {1}, .block = {32}});
  for (std::uint32_t i = 0; i < 32; ++i) {
    const std::uint32_t wanted[] = {3201, 3202, 3203, 3202};
    EXPECT_EQ(out[i], wanted[i % 4]) << i;
  }
}

const char* const kFibonacci = R"(
.func (.param .b32 result) fibonacci(.param .b32 n)
{
  .reg .pred %p<2>; .reg .b32 %r<9>;
  ld.param.u32 %r1, [n];
  mov.u32 %r5, %r1;
  setp.lt.s32 %p1, %r1, 2;
  @%p1 bra DONE;
  add.s32 %r2, %r1, -1;
  { .param .b32 p; .param .b32 r; st.param.b32 [p], %r2; call.uni (r), fibonacci, (p); ld.param.b32 %r3, [r]; }
  add.s32 %r2, %r1, -2;
  { .param .b32 p; .param .b32 r; st.param.b32 [p], %r2; call.uni (r), fibonacci, (p); ld.param.b32 %r4, [r]; }
  add.s32 %r5, %r3, %r4;
DONE:
  st.param.b32 [result], %r5;
  ret;
}
.func (.reg .u32 result) triple(.reg .u32 x) { mul.lo.u32 result, x, 3; ret; }
.func (.param .b32 result) negate(.param .b32 x)
{ .reg .b32 %r<3>; ld.param.u32 %r1, [x]; neg.s32 %r2, %r1; st.param.b32 [result], %r2; ret; }
.func (.param .b32 result) double(.param .b32 x)
{ .reg .b32 %r<3>; ld.param.u32 %r1, [x]; add.s32 %r2, %r1, %r1; st.param.b32 [result], %r2; ret; }
.visible .global .align 8 .u64 table[2] = {negate, double};
)";

TEST(Control, CallsAndRecursion) {
  const std::string text = kernel(R"(
    and.b32 %r2, %t, 7;
    { .param .b32 p; .param .b32 r; st.param.b32 [p], %r2; call (r), fibonacci, (p); ld.param.b32 %r1, [r]; }
    call (%r1), triple, (%r1);
  )" + kStoreBranch,
                                  kFibonacci);
  const std::uint32_t fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13};
  for (const std::uint64_t seed : {0, 5}) {
    const auto out = results(text, {.grid = {1}, .block = {64}}, {.seed = seed});
    for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], 3 * fibonacci[i % 8]) << i;
  }
}

// As clang compiles a structure that is passed by value and indexed.
TEST(Control, AFunctionPointsToItsParameter) {
  const std::string text = kernel(R"(
    and.b32 %r2, %t, 7;
    { .param .align 4 .b8 p[32]; .param .b32 q; .param .b32 r;
      st.param.b32 [p], 100; add.s32 %r3, %t, 200; st.param.b32 [p+4], %r3;
      st.param.v2.b32 [p+8], {300, 400}; st.param.b32 [p+28], 700;
      st.param.b32 [p+16], 500; st.param.b32 [p+20], 600; st.param.b32 [p+24], 650;
      st.param.b32 [q], %r2;
      call (r), pick, (p, q); ld.param.b32 %r1, [r]; }
  )" + kStoreBranch,
                                  R"(
.func (.param .b32 result) pick(.param .align 4 .b8 all[32], .param .b32 n)
{
  .reg .b32 %r<5>; .reg .b64 %rd<5>;
  .local .align 4 .b8 before[12];
  mov.b64 %rd1, all;
  ld.param.u32 %r1, [n];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  mov.u32 %r2, 9;
  st.local.u32 [before+8], %r2;
  ld.param.u32 %r3, [%rd3];
  cvta.local.u64 %rd4, %rd3;
  ld.u32 %r4, [%rd4];
  add.s32 %r3, %r3, %r4;
  st.param.b32 [result], %r3;
  ret;
}
)");
  const auto out = results(text, {.grid = {1}, .block = {64}});
  for (std::uint32_t i = 0; i < 64; ++i) {
    const std::uint32_t all[] = {100, 200 + i, 300, 400, 500, 600, 650, 700};
    EXPECT_EQ(out[i], 2 * all[i % 8]) << i;
  }
}

TEST(Control, CallsThroughPointers) {
  const std::string text = kernel(R"(
    and.b32 %r2, %t, 1;
    mul.wide.u32 %l2, %r2, 8;
    mov.u64 %l3, table;
    add.s64 %l3, %l3, %l2;
    ld.global.u64 %l4, [%l3];
    setp.gt.u32 %p1, %t, 3;
    mov.u32 %r1, 77;
    { .param .b32 p; .param .b32 r; st.param.b32 [p], %t;
      proto: .callprototype (.param .b32 _) _ (.param .b32 _);
      @%p1 call (r), %l4, (p), proto;
      @%p1 ld.param.b32 %r1, [r]; }
  )" + kStoreBranch,
                                  kFibonacci);
  const auto out = results(text, {.grid = {1}, .block = {32}});
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], i <= 3 ? 77U : i % 2 == 0 ? 0 - i : 2 * i) << i;
  }
}

TEST(Control, EndlessRecursionIsAFault) {
  Gpu gpu(kernel("{ call forever; }", ".func forever { call forever; ret; }"));
  const Fault fault =
      gpu.launch("k", {.grid = {1}, .block = {32}}, std::uint64_t{0}, std::uint64_t{0}, 0U);
  EXPECT_EQ(fault.kind, FaultKind::kStackOverflow) << fault.text;
}

TEST(Control, GuardedReturnsAndExits) {
  const std::string text = kernel(R"(
    mov.u32 %r1, 1;
    setp.lt.u32 %p1, %t, 8;
    setp.gt.u32 %p2, %t, 23;
  )" + kStoreBranch + R"(
    @%p1 ret;
    mov.u32 %r1, 2;
  )" + kStoreBranch + R"(
    @%p2 exit;
    mov.u32 %r1, 3;
  )" + kStoreBranch);
  const auto out = results(text, {.grid = {1}, .block = {32}});
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 8 ? 1U : i > 23 ? 2U : 3U) << i;
}

// Each lane takes the lock, adds one without an atomic, and releases: only independent thread
// scheduling lets the lanes of one warp do so.
const char* const kSpinLock = R"(
  SPIN:
    atom.global.cas.b32 %r2, [%out], 0, 1;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra SPIN;
    ld.volatile.global.u32 %r3, [%out+4];
    add.u32 %r3, %r3, 1;
    st.volatile.global.u32 [%out+4], %r3;
    membar.gl;
    atom.global.exch.b32 %r4, [%out], 0;
)";

TEST(Control, LanesReleaseLocksToEachOther) {
  for (const std::uint64_t seed : {0, 1, 2, 3, 4}) {
    for (const unsigned workers : {1U, 2U}) {
      Gpu gpu(kernel(kSpinLock), {.seed = seed, .workers = workers, .timeout_ms = 20000});
      auto* const out = gpu.array<std::uint32_t>(2);
      const Fault fault =
          gpu.launch("k", {.grid = {3}, .block = {64}}, address(out), std::uint64_t{0}, 0U);
      EXPECT_EQ(fault.kind, FaultKind::kNone) << fault.text;
      EXPECT_EQ(out[1], 192U) << seed;
    }
  }
}

// While they wait they do other things too: part, meet, count.
TEST(Control, LanesThatWaitAndBranchReleaseLocks) {
  const std::string text = kernel(R"(
  SPIN:
    and.b32 %r5, %t, 1;
    setp.eq.u32 %p2, %r5, 0;
    @%p2 bra EVEN;
    atom.global.add.u32 %r6, [%out+8], 1;
  EVEN:
  )" + std::string(kSpinLock).substr(std::string_view(kSpinLock).find(':') + 1));
  for (const std::uint64_t seed : {0, 1, 2}) {
    Gpu gpu(text, {.seed = seed, .timeout_ms = 20000});
    auto* const out = gpu.array<std::uint32_t>(3);
    const Fault fault =
        gpu.launch("k", {.grid = {1}, .block = {32}}, address(out), std::uint64_t{0}, 0U);
    EXPECT_EQ(fault.kind, FaultKind::kNone) << fault.text;
    EXPECT_EQ(out[1], 32U) << seed;
  }
}

TEST(Control, LockstepLanesDoNot) {
  Gpu gpu(kernel(kSpinLock), {.lockstep = true, .timeout_ms = 300});
  auto* const out = gpu.array<std::uint32_t>(2);
  const Fault fault =
      gpu.launch("k", {.grid = {1}, .block = {32}}, address(out), std::uint64_t{0}, 0U);
  EXPECT_EQ(fault.kind, FaultKind::kTimeout);
  EXPECT_NE(fault.text.find("test.ptx:"), std::string::npos) << fault.text;
}

// Blocks wait for each other: all arrive, then all go on.
TEST(Control, GridBarriersBySpinning) {
  const std::string text = kernel(R"(
    setp.ne.u32 %p1, %t, 0;
    @%p1 bra WAITED;
    atom.global.add.u32 %r2, [%out], 1;
  SPIN:
    ld.volatile.global.u32 %r3, [%out];
    setp.lt.u32 %p2, %r3, %n;
    @%p2 bra SPIN;
  WAITED:
    bar.sync 0;
    atom.global.add.u32 %r4, [%out+4], 1;
  )");
  for (const bool cooperative : {false, true}) {
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
      for (const unsigned workers : {1U, 2U}) {
        Gpu gpu(text, {.seed = seed, .workers = workers, .timeout_ms = 20000});
        auto* const out = gpu.array<std::uint32_t>(2);
        const Fault fault =
            gpu.launch("k", {.grid = {40}, .block = {64}, .cooperative = cooperative}, address(out),
                       std::uint64_t{0}, 40U);
        EXPECT_EQ(fault.kind, FaultKind::kNone) << fault.text;
        EXPECT_EQ(out[1], 40U * 64) << seed;
      }
    }
  }
}

TEST(Control, TellsBranchesAndMeetings) {
  Keeper keeper;
  Gpu device(kernel(R"(
    setp.lt.u32 %p1, %t, 8;
    @%p1 bra LOW;
    mov.u32 %r1, 1;
    bra MEET;
  LOW:
    mov.u32 %r1, 2;
  MEET:
    add.u32 %r1, %r1, 1;
  )"),
             {.sink = &keeper});
  device.launch("k", {.grid = {1}, .block = {32}}, std::uint64_t{0}, std::uint64_t{0}, 0U);
  const std::vector<gpu::StepKind> wanted{gpu::StepKind::kBranch, gpu::StepKind::kReconverge,
                                          gpu::StepKind::kExit};
  EXPECT_EQ(keeper.kinds(), wanted);
  EXPECT_EQ(keeper.steps[0].lanes, 0xffffff00U);
  EXPECT_EQ(keeper.steps[0].other, 0xffU);
  EXPECT_EQ(keeper.steps[1].lanes, ~0U);
  EXPECT_EQ(keeper.launches.size(), 1U);
  EXPECT_EQ(keeper.ended.size(), 1U);
}

}  // namespace
}  // namespace redflag::cuda
