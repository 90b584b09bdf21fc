// Kernels from end to end: values, loading, memory, faults.
#include "frontends/cuda/emulate/device.h"

#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>

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

TEST(Device, BlocksAreOnMultiprocessorsThatThereAre) {
  Gpu gpu(kernel(R"(
    mov.u32 %r1, %smid;
    mov.u32 %r2, %nsmid;
    mul.wide.u32 %l1, %i, 8;
    add.s64 %l2, %out, %l1;
    st.global.v2.u32 [%l2], {%r1, %r2};
  )"));
  constexpr std::uint32_t kBlocks = kMultiprocessors + 1;
  auto* const out = gpu.array<std::uint32_t>(std::size_t{2} * kBlocks);
  const Fault fault =
      gpu.launch("k", {.grid = {kBlocks}, .block = {1}}, address(out), std::uint64_t{0}, 0U);
  EXPECT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  for (std::uint32_t i = 0; i < kBlocks; ++i) {
    EXPECT_EQ(out[2 * i], i % kMultiprocessors);
    EXPECT_EQ(out[2 * i + 1], kMultiprocessors);
  }
}

TEST(Device, PrintsAllocatesAndAsserts) {
  const std::string declared = R"(
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.extern .func __assertfail(.param .b64 e, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s) .noreturn;
.global .align 1 .b8 format[] = {37, 100, 32, 37, 46, 50, 102, 32, 37, 108, 108, 117, 32, 37, 115, 32, 37, 37, 10, 0};
.global .align 1 .b8 word[] = {104, 105, 0};
)";
  std::string text = kernel(R"(
    setp.ne.u32 %p1, %t, 3;
    @%p1 bra DONE;
    st.local.u32 [stack], %t;
    st.local.f64 [stack+8], 0d3FF4000000000000;
    st.local.u64 [stack+16], 12345678901;
    mov.u64 %l1, word; cvta.global.u64 %l1, %l1; st.local.u64 [stack+24], %l1;
    mov.u64 %l2, format; cvta.global.u64 %l2, %l2;
    mov.u64 %l3, stack; cvta.local.u64 %l3, %l3;
    { .param .b64 p; .param .b64 q; .param .b32 r; st.param.b64 [p], %l2; st.param.b64 [q], %l3; call.uni (r), vprintf, (p, q); }
    { .param .b64 p; .param .b64 r; st.param.b64 [p], 64; call.uni (r), malloc, (p); ld.param.b64 %l4, [r]; }
    st.u32 [%l4+60], 77; ld.u32 %r1, [%l4+60]; st.global.u32 [%out], %r1;
    { .param .b64 p; st.param.b64 [p], %l4; call.uni free, (p); }
    setp.eq.u32 %p2, %n, 0;
    @%p2 bra DONE;
    { .param .b64 p; .param .b64 q; .param .b32 l; .param .b64 s; .param .b64 c;
      st.param.b64 [p], %l1; st.param.b64 [q], %l1; st.param.b32 [l], 12; st.param.b64 [s], %l1; st.param.b64 [c], 1;
      call.uni __assertfail, (p, q, l, s, c); }
  DONE:
  )",
                            declared);
  text.insert(text.find(".reg .pred"), ".local .align 8 .b8 stack[32];\n");
  Gpu gpu(text);
  auto* const out = gpu.array<std::uint32_t>(1);
  Fault fault = gpu.launch("k", {.grid = {1}, .block = {32}}, address(out), std::uint64_t{0}, 0U);
  EXPECT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  EXPECT_EQ(gpu.printed, "3 1.25 12345678901 hi %\n");
  EXPECT_EQ(out[0], 77U);
  fault = gpu.launch("k", {.grid = {1}, .block = {32}}, address(out), std::uint64_t{0}, 1U);
  EXPECT_EQ(fault.kind, FaultKind::kAssert);
  EXPECT_NE(fault.text.find("hi:12: assertion 'hi' failed"), std::string::npos) << fault.text;
}

TEST(Device, NamesWhatIsNotSupportedBeforeAnythingRuns) {
  Gpu gpu(kernel("tcgen05.wait::ld.sync.aligned;"));
  const Result<KernelId> found = gpu.device.find_kernel(gpu.id, "k");
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("test.ptx:"), std::string::npos) << found.error().message;
  EXPECT_NE(found.error().message.find("tcgen05.wait::ld"), std::string::npos);
  EXPECT_NE(found.error().message.find("not emulated"), std::string::npos);
}

TEST(Device, LinksModules) {
  Gpu gpu(
      kernel("ld.global.u32 %r1, [theirs]; { .param .b32 p; .param .b32 r; st.param.b32 [p], %r1; "
             "call (r), other, (p); ld.param.b32 %r1, [r]; }"
             "st.global.u32 [%out], %r1;",
             ".extern .global .align 4 .u32 theirs;\n.extern .func (.param .b32 r) other(.param "
             ".b32 x);\n"));
  gpu.find("k");
  auto* const out = gpu.array<std::uint32_t>(1);
  const std::uint64_t values[] = {address(out), 0, 0};
  Fault fault;
  const Result<void> early = gpu.device.launch(gpu.kernel, {.grid = {1}, .block = {1}},
                                               std::as_bytes(std::span(values)), fault);
  ASSERT_FALSE(early);
  EXPECT_NE(early.error().message.find("no loaded module defines"), std::string::npos);
  Result<ptx::Module> second = ptx::parse(
      "second.ptx",
      with_header(".visible .global .align 4 .u32 theirs = 20;\n"
                  ".visible .func (.param .b32 r) other(.param .b32 x) { .reg .b32 %r<3>; "
                  "ld.param.u32 %r1, [x]; add.u32 %r2, %r1, 1; st.param.b32 [r], %r2; ret; }\n"));
  ASSERT_TRUE(second) << second.error().message;
  ASSERT_TRUE(gpu.device.load(std::move(*second)));
  const Result<void> late = gpu.device.launch(gpu.kernel, {.grid = {1}, .block = {1}},
                                              std::as_bytes(std::span(values)), fault);
  ASSERT_TRUE(late) << late.error().message;
  EXPECT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  EXPECT_EQ(out[0], 21U);
}

TEST(Device, RefusesLaunchesThatCannotBegin) {
  Gpu gpu(kernel(""));
  gpu.find("k");
  std::vector<std::byte> params(24);
  Fault fault;
  EXPECT_FALSE(gpu.device.launch(gpu.kernel, {.grid = {1}, .block = {2048}}, params, fault));
  EXPECT_FALSE(gpu.device.launch(gpu.kernel, {.grid = {0}, .block = {32}}, params, fault));
  EXPECT_FALSE(
      gpu.device.launch(gpu.kernel, {.grid = {3}, .block = {32}, .cluster = {2}}, params, fault));
  EXPECT_FALSE(gpu.device.launch(
      gpu.kernel, {.grid = {1}, .block = {32}, .dynamic_shared = 1 << 20}, params, fault));
  EXPECT_FALSE(gpu.device.launch(gpu.kernel, {.grid = {1}, .block = {32}},
                                 std::span(params).first(4), fault));
  EXPECT_FALSE(gpu.device.find_kernel(gpu.id, "other"));
}

TEST(Device, EndsKernelsThatRunTooLong) {
  for (const std::uint64_t seed : {0, 1}) {
    Gpu gpu(kernel("FOREVER: bra FOREVER;"), {.seed = seed, .timeout_ms = 50});
    const Fault fault =
        gpu.launch("k", {.grid = {2}, .block = {32}}, std::uint64_t{0}, std::uint64_t{0}, 0U);
    EXPECT_EQ(fault.kind, FaultKind::kTimeout);
    EXPECT_NE(fault.text.find("thread (0,0,0) of block (0,0,0) and 31 more"), std::string::npos)
        << fault.text;
  }
}

// A seed replays its steps; different seeds interleave differently.
TEST(Device, SeedsReplay) {
  const std::string text = kernel(R"(
    and.b32 %r2, %t, 1; setp.eq.u32 %p1, %r2, 0;
    @%p1 bra EVEN;
    atom.global.add.u32 %r1, [%out], 1;
    bra MEET;
  EVEN:
    atom.global.add.u32 %r1, [%out+4], 1;
  MEET:
    atom.global.exch.b32 %r3, [%out], %i;
  )");
  const auto trace = [&](std::uint64_t seed) {
    testing::Keeper keeper;
    Gpu gpu(text, {.seed = seed, .sink = &keeper});
    auto* const out = gpu.array<std::uint32_t>(2);
    gpu.launch("k", {.grid = {6}, .block = {64}}, address(out), std::uint64_t{0}, 0U);
    std::string all;
    for (const testing::KeptStep& each : keeper.steps) {
      all += std::to_string(static_cast<int>(each.kind)) + "." + std::to_string(each.block) + "." +
             std::to_string(each.warp) + "." + std::to_string(each.lanes) + " ";
    }
    return all;
  };
  std::vector<std::string> seen;
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    seen.push_back(trace(seed));
    EXPECT_EQ(seen.back(), trace(seed)) << seed;
  }
  EXPECT_NE(seen[1], seen[2]);
  EXPECT_NE(seen[0], seen[1]);
}

// The program's own module of tests/cuda/ptx.
class Checked : public ::testing::Test {
 protected:
  static std::string text_of(const std::string& name) {
    std::ifstream in(std::string(TEST_FILES) + "/" + name);
    std::stringstream text;
    text << in.rdbuf();
    EXPECT_FALSE(text.str().empty()) << name;
    return text.str();
  }
};

TEST_F(Checked, Calls) {
  struct Point {
    int id;
    double at;
    char tag[5];
  };
  for (const int n : {0, 1, 2, 3, 4, 5, 9}) {
    Gpu gpu(text_of("calls.sm_75.ptx"));
    auto* const out = gpu.array<int>(8);
    auto* const points = gpu.array<Point>(16);
    const Point p{5, 1.5, {1, 2, 3, 4, 5}};
    const Fault fault = gpu.launch("_Z3run5PointiPiPS_", {.grid = {1}, .block = {32}}, p, n,
                                   address(out), address(points));
    if (n == 9) {
      EXPECT_EQ(fault.kind, FaultKind::kTrap) << fault.text;
      continue;
    }
    ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
    const int fibonacci[] = {0, 1, 1, 2, 3, 5};
    // local[n & 15] was never written: it holds anything, here zero.
    EXPECT_EQ(out[0], n % 2 == 0 ? 3 * n : fibonacci[n]) << n;
    EXPECT_EQ(points[n].id, 15);
    EXPECT_EQ(points[n].at, 3.0);
    EXPECT_EQ(points[n].tag[4], 5);
    const int wanted[] = {1, 3, 'l',
                          7, 0, 2147483647};  // out[1 + n]; the last is out of int's range
    EXPECT_EQ(out[1 + n], wanted[n]) << n;
  }
}

TEST_F(Checked, Sync) {
  for (const char* const name : {"sync.sm_75.ptx", "sync.sm_90.ptx"}) {
    for (const std::uint64_t seed : {0, 1, 2}) {
      Gpu gpu(text_of(name), {.seed = seed, .timeout_ms = 20000});
      auto* const out = gpu.array<int>(64);
      auto* const counter = gpu.array<unsigned>(1);
      for (int i = 0; i < 64; ++i) out[i] = i;
      Fault fault = gpu.launch("_Z7publishPiPj", {.grid = {1}, .block = {64}}, address(out),
                               address(counter));
      ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
      for (int i = 0; i < 64; ++i) EXPECT_EQ(out[i], 63 - i);
      EXPECT_EQ(counter[0], 64U * 3);
      auto* const sums = gpu.array<float>(32);
      auto* const lanes = gpu.array<int>(32);
      for (int i = 0; i < 32; ++i) {
        sums[i] = 1;
        lanes[i] = 2;
      }
      fault =
          gpu.launch("_Z5lanesPiPf", {.grid = {1}, .block = {32}}, address(lanes), address(sums));
      ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
      EXPECT_EQ(sums[0], 33.0F);
    }
  }
}

TEST_F(Checked, EveryKernelIsDecoded) {
  for (const auto& each : std::filesystem::directory_iterator(TEST_FILES)) {
    if (each.path().extension() != ".ptx" || each.path().filename() == "isa.ptx") continue;
    Gpu gpu(text_of(each.path().filename().string()));
    Result<ptx::Module> module = ptx::parse("again.ptx", text_of(each.path().filename().string()));
    ASSERT_TRUE(module);
    for (const ptx::Function& function : module->functions) {
      if (!function.is_entry || !function.defined) continue;
      const Result<KernelId> found = gpu.device.find_kernel(gpu.id, function.name);
      EXPECT_TRUE(found) << (found ? "" : found.error().message);
    }
  }
}

TEST_F(Checked, SitesHaveFramesWithWhatWasInlined) {
  testing::Keeper keeper;
  Gpu gpu(text_of("inlined.sm_80.ptx"), {.sink = &keeper});
  Result<ptx::Module> module = ptx::parse("again.ptx", text_of("inlined.sm_80.ptx"));
  ASSERT_TRUE(module);
  std::size_t deepest = 0;
  for (std::uint32_t site = 1; site < 2000; ++site) {
    const std::vector<Frame> frames = gpu.device.frames(static_cast<gpu::SiteId>(site));
    deepest = std::max(deepest, frames.size());
    for (const Frame& frame : frames) EXPECT_FALSE(frame.function.empty());
  }
  EXPECT_GE(deepest, 3U);
}

}  // namespace
}  // namespace redflag::cuda
