// Kernels from end to end: values, loading, memory, faults.
#include "frontends/cuda/emulate/device.h"

#include "frontends/cuda/emulate/testing.h"

namespace redflag::cuda {
namespace {

using testing::address;
using testing::Gpu;
using testing::kernel;
using testing::with_header;

constexpr const char* kVectorAdd = R"(
  setp.ge.u32 %p1, %i, %n;
  @%p1 bra DONE;
  mul.wide.u32 %l1, %i, 4;
  add.s64 %l2, %in, %l1;
  ld.global.u32 %r1, [%l2];
  add.u32 %r2, %r1, %i;
  add.s64 %l3, %out, %l1;
  st.global.u32 [%l3], %r2;
DONE:
)";

TEST(Device, AddsVectors) {
  for (const unsigned workers : {1U, 2U}) {
    Gpu gpu(kernel(kVectorAdd), {.workers = workers});
    constexpr std::uint32_t kN = 1000;
    auto* const out = gpu.array<std::uint32_t>(kN);
    auto* const in = gpu.array<std::uint32_t>(kN);
    for (std::uint32_t i = 0; i < kN; ++i) in[i] = 3 * i;
    const Fault fault =
        gpu.launch("k", {.grid = {8}, .block = {128}}, address(out), address(in), kN);
    EXPECT_EQ(fault.kind, FaultKind::kNone) << fault.text;
    for (std::uint32_t i = 0; i < kN; ++i) ASSERT_EQ(out[i], 4 * i);
    EXPECT_GT(gpu.device.stats().thread_instructions, kN * 10);
  }
}

}  // namespace
}  // namespace redflag::cuda
