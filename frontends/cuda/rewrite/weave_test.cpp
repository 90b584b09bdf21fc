// Single instructions: which hooks they have, with which arguments, in which order; and that registers, guards
// and results are those of the program.
#include "frontends/cuda/rewrite/weave.h"

#include <gtest/gtest.h>

#include "frontends/cuda/emulate/testing.h"
#include "frontends/cuda/rewrite/testing.h"

namespace redflag::rewrite {
namespace {

using device::Deed;
using device::Hook;
using device::Memory;
using device::What;
using testing::Record;

// One launch of `k` of a test kernel (emulate/testing.h) with hooks that write down.
struct Ran {
  std::vector<Record> records;  // without enter and exit
  std::vector<std::uint64_t> out;
  Rewritten made;
};
Ran run(const std::string& body, const cuda::LaunchConfig& config = {},
        const std::string& before = "", std::uint32_t splice = 0) {
  Ran ran;
  ran.made = testing::rewritten(cuda::testing::kernel(body, before), testing::recording_runtime(),
                                false, splice);
  cuda::testing::Gpu gpu(ran.made.ptx);
  testing::Recorder recorder(gpu.device, gpu.id);
  auto* const out = gpu.array<std::uint64_t>(64);
  auto* const in = gpu.array<std::uint64_t>(64);
  for (unsigned i = 0; i < 64; ++i) {
    out[i] = 0;
    in[i] = 1000 + i;
  }
  const cuda::Fault fault = gpu.launch("k", config, cuda::testing::address(out),
                                       cuda::testing::address(in), 5U, std::uint64_t{77});
  EXPECT_EQ(fault.text, "");
  std::size_t enters = 0, exits = 0;
  for (const Record& each : recorder.take()) {
    if (each.which() == Hook::kEnter) {
      ++enters;
      EXPECT_EQ(each.arguments[0], 77U);
    } else if (each.which() == Hook::kExit) {
      ++exits;
    } else {
      ran.records.push_back(each);
    }
  }
  EXPECT_EQ(enters, config.grid.count() * config.block.count());
  EXPECT_EQ(exits, enters);
  ran.out.assign(out, out + 64);
  return ran;
}
What what_of(const Record& record, std::size_t at = 2) {
  return What::of(static_cast<std::uint32_t>(record.arguments[at]));
}
std::vector<Hook> hooks_of(const Ran& ran) {
  std::vector<Hook> all;
  for (const Record& each : ran.records) all.push_back(each.which());
  return all;
}

TEST(Weave, LoadOverItsOwnAddress) {
  const Ran ran =
      run("st.global.u64 [%in], %in; ld.global.u64 %in, [%in]; atom.global.add.u64 %in, [%in], 1;"
          "st.global.u64 [%out], %in;");
  ASSERT_EQ(hooks_of(ran), (std::vector{Hook::kStore, Hook::kLoad, Hook::kAtomicBegin,
                                        Hook::kAtomicEnd, Hook::kStore}));
  EXPECT_EQ(ran.records[2].arguments[0], ran.records[3].arguments[0]);
  EXPECT_EQ(ran.records[3].arguments[0], ran.records[1].arguments[0]);
  EXPECT_EQ(ran.out[0], ran.records[1].arguments[0]);
}

TEST(Weave, HooksAreUnderTheGuard) {
  const Ran ran =
      run("setp.eq.u32 %p1, %t, 3; @%p1 st.global.u32 [%out], %t; @!%p1 ld.global.u32 %r1, [%in];",
          {.block = {8}});
  std::size_t stores = 0, loads = 0;
  for (const Record& each : ran.records) {
    stores += each.which() == Hook::kStore ? 1 : 0;
    loads += each.which() == Hook::kLoad ? 1 : 0;
    EXPECT_EQ(each.which() == Hook::kStore, each.thread == 3);
  }
  EXPECT_EQ(stores, 1U);
  EXPECT_EQ(loads, 7U);
}

// test_wait writes the predicate that guards it.
TEST(Weave, GuardThatTheInstructionOverwrites) {
  const Ran ran = run(
      "mov.u32 %r1, gate; mbarrier.init.shared.b64 [%r1], 1; mbarrier.arrive.shared.b64 %l1, [%r1];"
      "setp.eq.u32 %p1, 0, 0; @%p1 mbarrier.test_wait.shared.b64 %p1, [%r1], %l1;"
      "@%p1 mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 1;",
      {}, ".shared .align 8 .b64 gate;\n");
  ASSERT_EQ(hooks_of(ran), (std::vector{Hook::kMbarrierInit, Hook::kMbarrierArrive,
                                        Hook::kMbarrierWait, Hook::kMbarrierWait}));
  EXPECT_EQ(ran.records[0].arguments[3], 1U);
  EXPECT_EQ(what_of(ran.records[0]).memory, Memory::kShared);
  EXPECT_EQ(ran.records[2].arguments[3], 1U);  // complete
  EXPECT_EQ(ran.records[3].arguments[3], 0U);  // the second phase is not
}

TEST(Weave, CompareAndSwapTellsWhetherItWrote) {
  const Ran ran =
      run("mov.u32 %r1, 0; atom.global.cas.b32 %r1, [%out], %r1, 5;"  // writes; old over compared
          "atom.global.cas.b32 _, [%out], 4, 6; mov.b64 %l1, 5;"      // does not
          "atom.global.acq_rel.gpu.cas.b64 %l2, [%out], %l1, %in;");  // writes
  ASSERT_EQ(ran.records.size(), 6U);
  EXPECT_EQ(ran.records[1].arguments[3], 1U);
  EXPECT_EQ(ran.records[3].arguments[3], 0U);
  EXPECT_EQ(ran.records[5].arguments[3], 1U);
  EXPECT_EQ(ran.records[0].arguments[3], 5U);  // the value
  EXPECT_EQ(what_of(ran.records[0]).rmw, device::Rmw::kCompareSwap);
  EXPECT_EQ(what_of(ran.records[4]).order, Order::kAcqRel);
}

TEST(Weave, WhoReadsTheResultOfAnAtomic) {
  const Ran ran = run(
      "atom.global.add.u32 %r1, [%out], 1; atom.global.add.u32 %r2, [%out], 1; mov.u32 %r3, %r2;"
      "atom.global.exch.b32 %r4, [%out], 9; mov.u32 %r3, %r4; red.global.add.u32 [%out], 1;");
  ASSERT_EQ(ran.records.size(), 8U);
  EXPECT_EQ(what_of(ran.records[0]).rmw, device::Rmw::kReduction);
  EXPECT_EQ(what_of(ran.records[2]).rmw, device::Rmw::kOther);
  EXPECT_EQ(what_of(ran.records[4]).rmw, device::Rmw::kExchange);
  EXPECT_EQ(ran.records[4].arguments[3], 9U);
  EXPECT_EQ(what_of(ran.records[6]).rmw, device::Rmw::kReduction);
}

TEST(Weave, ValuesOfStores) {
  const Ran ran = run(
      "mov.u32 %r1, 0x12345678; st.global.u8 [%out], %r1; cvt.u16.u32 %h1, %r1;"
      "st.global.u16 [%out+8], %h1; st.global.f32 [%out+16], 0f3F800000; mov.f32 %f1, 0f40000000;"
      "st.global.f32 [%out+24], %f1; st.global.v2.u32 [%out+32], {%r1, 7};"
      "st.global.v4.u8 [%out+40], {1, 2, 3, 4}; mov.f64 %d1, 0d3FF0000000000000;"
      "st.global.f64 [%out+48], %d1; st.global.u64 [%out+56], -1; st.volatile.global.u32 "
      "[%out+64], 3;");
  const std::uint64_t wanted[] = {0x78,        0x5678,     0x3F800000,         0x40000000,
                                  0x712345678, 0x04030201, 0x3FF0000000000000, ~std::uint64_t{0}};
  ASSERT_EQ(ran.records.size(), 10U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(ran.records[i].which(), Hook::kStore);
    EXPECT_EQ(ran.records[i].arguments[3], wanted[i]) << i;
    std::uint64_t stored = ran.out[i];
    EXPECT_EQ(stored, wanted[i]) << i;
  }
  EXPECT_EQ(ran.records[8].which(), Hook::kAtomicBegin);
  EXPECT_EQ(what_of(ran.records[8]).deed, Deed::kWrite);
  EXPECT_TRUE(what_of(ran.records[8]).is_volatile);
  EXPECT_EQ(ran.records[8].arguments[3], 3U);
}

TEST(Weave, BarriersAndFences) {
  const Ran ran = run(
      "bar.sync 1, 32; barrier.sync.aligned 2; bar.red.popc.u32 %r1, 3, 32, %p1; bar.arrive 4, 64;"
      "bar.warp.sync 0x3; membar.gl; fence.sc.cta;");
  ASSERT_EQ(hooks_of(ran),
            (std::vector{Hook::kBarrierArrive, Hook::kBarrierPass, Hook::kBarrierArrive,
                         Hook::kBarrierPass, Hook::kBarrierArrive, Hook::kBarrierPass,
                         Hook::kBarrierArrive, Hook::kWarpSync, Hook::kFence, Hook::kFence}));
  EXPECT_EQ(ran.records[0].arguments[2], 1U);
  EXPECT_EQ(ran.records[0].arguments[3], 32U);
  EXPECT_EQ(ran.records[4].arguments[2], 3U);
  EXPECT_EQ(ran.records[6].arguments[3], 64U);
  EXPECT_EQ(ran.records[7].arguments[2], 3U);
  EXPECT_EQ(what_of(ran.records[8], 1).order, Order::kSeqCst);
  EXPECT_EQ(what_of(ran.records[8], 1).scope, Scope::kDevice);
  EXPECT_EQ(what_of(ran.records[9], 1).scope, Scope::kBlock);
}

TEST(Weave, FunctionsEndThreadsAndAreCalledByAddress) {
  const std::string before =
      ".func leave(.param .b32 x)\n{\n.reg .b32 %r<2>; .reg .pred %p;\nld.param.u32 %r1, [x];\n"
      "setp.eq.u32 %p, %r1, 1; @%p exit; ret;\n}\n"
      ".func (.param .b32 y) twice(.param .b64 at)\n{\n.reg .b32 %r<3>; .reg .b64 %l;\n"
      "ld.param.u64 %l, [at]; ld.u32 %r1, [%l]; add.u32 %r2, %r1, %r1; st.param.b32 [y], %r2; "
      "ret;\n}\n";
  const Ran ran =
      run("{ .param .b32 x; st.param.b32 [x], %t; call.uni leave, (x); }\n"
          "mov.u64 %l1, twice;\nproto: .callprototype (.param .b32 _) _ (.param .b64 _);\n"
          "{ .param .b64 at; .param .b32 y; st.param.b64 [at], %in; call (y), %l1, (at), proto; "
          "ld.param.u32 %r1, [y]; }\nst.global.u32 [%out], %r1;",
          {.block = {2}}, before);
  ASSERT_EQ(hooks_of(ran), (std::vector{Hook::kLoad, Hook::kStore}));
  EXPECT_EQ(ran.records[0].thread, 0U);
  EXPECT_EQ(what_of(ran.records[0]).memory, Memory::kGeneric);
  EXPECT_EQ(ran.out[0], 2000U);
}

TEST(Weave, SplicedHooksSeeTheSame) {
  const std::string body =
      "setp.eq.u32 %p1, %t, 3; @%p1 st.global.u32 [%out], %t; bar.sync 0;"
      "atom.global.cas.b32 %r1, [%out], 3, 4; @!%p1 ld.global.u32 %r1, [%in+4]; bar.warp.sync -1;";
  const Ran calls = run(body, {.block = {8}});
  const Ran spliced = run(body, {.block = {8}}, "", 1000);
  EXPECT_EQ(spliced.made.ptx.find("call.uni"), std::string::npos);
  ASSERT_EQ(calls.records.size(), spliced.records.size());
  EXPECT_EQ(calls.out[0], spliced.out[0]);
}

TEST(Weave, CallsOfTheHeapAreToldWithAddressAndBytes) {
  const Ran ran = run(
      "{ .param .b64 n; st.param.b64 [n+0], 48; .param .b64 p; call.uni (p), malloc, (n);\n"
      "ld.param.b64 %l4, [p+0]; }\n"
      "st.u64 [%l4], 7; ld.u64 %l5, [%l4]; st.global.u64 [%out], %l5;\n"
      "{ .param .b64 q; st.param.b64 [q], %l4; call.uni free, (q); }\n",
      {},
      ".extern .func (.param .b64 p) malloc(.param .b64 n);\n.extern .func free(.param .b64 q);\n");
  EXPECT_EQ(ran.out[0], 7U);
  std::vector<Record> heap;
  for (const Record& each : ran.records) {
    if (each.which() == Hook::kMalloc || each.which() == Hook::kFree) heap.push_back(each);
  }
  ASSERT_EQ(heap.size(), 2U);
  EXPECT_EQ(heap[0].which(), Hook::kMalloc);
  EXPECT_NE(heap[0].arguments[0], 0U);
  EXPECT_EQ(heap[0].arguments[1], 48U);
  EXPECT_EQ(heap[1].which(), Hook::kFree);
  EXPECT_EQ(heap[1].arguments[0], heap[0].arguments[0]);
  EXPECT_TRUE(ran.made.sites[heap[1].arguments[1]].text.starts_with("call"));
}

}  // namespace
}  // namespace redflag::rewrite
