// The stack of a thread: alloca, stacksave, stackrestore. Calls are in control_test.cpp.
#include "frontends/cuda/emulate/testing.h"

namespace redflag::cuda {
namespace {

using testing::address;
using testing::Gpu;
using testing::kernel;

// Each lane has its own bytes; the size may differ by lane; restoring gives the same place again.
TEST(Stack, GrowsAndShrinks) {
  const std::string text = kernel(R"(
    stacksave.u64 %l1;
    mad.lo.u32 %r1, %t, 16, 16; cvt.u64.u32 %l2, %r1;
    alloca.u64 %l3, %l2, 32;
    add.s64 %l4, %l3, %l2;
    mul.lo.u32 %r2, %t, 7;
    st.local.u32 [%l3], %r2;
    st.local.u32 [%l4+-4], %t;
    alloca.u64 %l5, 64;
    st.local.u64 [%l5], 99;
    cvta.local.u64 %l6, %l3;
    ld.u32 %r3, [%l6];
    ld.local.u32 %r4, [%l4+-4];
    add.u32 %r5, %r3, %r4;
    and.b64 %l7, %l3, 31; cvt.u32.u64 %r6, %l7; mad.lo.u32 %r5, %r6, 1000, %r5;
    stackrestore.u64 %l1;
    alloca.u64 %l8, %l2, 32;
    setp.ne.u64 %p1, %l8, %l3;
    @%p1 add.u32 %r5, %r5, 100000;
    mul.wide.u32 %l9, %i, 4; add.s64 %l9, %out, %l9; st.global.u32 [%l9], %r5;
  )");
  for (const std::uint64_t seed : {0, 1, 2}) {
    Gpu device(text, {.seed = seed});
    auto* const out = device.array<std::uint32_t>(64);
    const Fault fault =
        device.launch("k", {.grid = {2}, .block = {32}}, address(out), std::uint64_t{0}, 0U);
    ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
    // The last word of lane 0's 16 bytes is another than the first: 7t + t, but lane 0 has 0.
    for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], i % 32 * 8) << i;
  }
}

TEST(Stack, HasALimit) {
  Gpu device(kernel("mov.u64 %l2, 0x100000; alloca.u64 %l3, %l2;"));
  const Fault fault =
      device.launch("k", {.grid = {1}, .block = {1}}, std::uint64_t{0}, std::uint64_t{0}, 0U);
  EXPECT_EQ(fault.kind, FaultKind::kStackOverflow) << fault.text;
}

TEST(Stack, BehindItsTopIsAFault) {
  Gpu device(kernel("alloca.u64 %l3, 16; st.local.u32 [%l3+64], 1;"));
  const Fault fault =
      device.launch("k", {.grid = {1}, .block = {1}}, std::uint64_t{0}, std::uint64_t{0}, 0U);
  EXPECT_EQ(fault.kind, FaultKind::kOutOfBounds) << fault.text;
}

}  // namespace
}  // namespace redflag::cuda
