// malloc and free of kernels: what is told about them, and what touching freed memory is.
#include "frontends/cuda/emulate/testing.h"

namespace redflag::cuda {
namespace {

using testing::address;
using testing::Gpu;
using testing::Keeper;
using testing::kernel;

const std::string kHeap =
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n";
std::string allocate(const std::string& into, unsigned bytes) {
  return "{ .param .b64 n; .param .b64 r; st.param.b64 [n], " + std::to_string(bytes) +
         "; call.uni (r), malloc, (n); ld.param.b64 " + into + ", [r]; }\n";
}
std::string release(const std::string& what) {
  return "{ .param .b64 p; st.param.b64 [p], " + what + "; call.uni free, (p); }\n";
}

TEST(Heap, IsTold) {
  Keeper keeper;
  Gpu device(kernel(allocate("%l1", 300) + "st.u32 [%l1+4], 7; ld.u32 %r1, [%l1+4];" +
                        "st.global.u32 [%out], %r1;" + release("%l1") + release("0"),
                    kHeap),
             {.sink = &keeper});
  auto* const out = device.array<std::uint32_t>(1);
  const Fault fault =
      device.launch("k", {.grid = {1}, .block = {1}}, address(out), std::uint64_t{0}, 0U);
  ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  EXPECT_EQ(out[0], 7U);
  ASSERT_EQ(keeper.hosted.size(), 2U);
  EXPECT_EQ(keeper.hosted[0].kind, gpu::HostKind::kAlloc);
  EXPECT_EQ(keeper.hosted[0].size, 300U);
  EXPECT_EQ(keeper.hosted[1].kind, gpu::HostKind::kFree);
  EXPECT_EQ(keeper.hosted[1].address, keeper.hosted[0].address);
  EXPECT_EQ(keeper.hosted[1].size, 300U);
  // Who frees writes all of it: two stores of the kernel, then three pieces.
  const auto writes = keeper.of(gpu::StepKind::kWrite);
  ASSERT_EQ(writes.size(), 5U);
  EXPECT_EQ(writes[2].addresses[0], keeper.hosted[0].address);
  EXPECT_EQ(writes[2].size, 128);
  EXPECT_EQ(writes[4].addresses[0], keeper.hosted[0].address + 256);
  EXPECT_EQ(writes[4].size, 44);
}

TEST(Heap, UseAfterFreeAndFreeingTwiceAreFaults) {
  for (const char* const after : {"ld.u32 %r1, [%l1];", "again"}) {
    const std::string what = after == std::string("again") ? release("%l1") : after;
    Gpu device(kernel(allocate("%l1", 16) + release("%l1") + what, kHeap));
    const Fault fault =
        device.launch("k", {.grid = {1}, .block = {1}}, std::uint64_t{0}, std::uint64_t{0}, 0U);
    EXPECT_EQ(fault.kind, FaultKind::kUseAfterFree) << fault.text;
  }
}

}  // namespace
}  // namespace redflag::cuda
