// Steps as the paper's trace operations: figure 5.3, and what fences make of accesses beside them.
#include "core/detect/gpu/barracuda/operation.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/detect/gpu/barracuda/barracuda.h"
#include "core/detect/gpu/testing.h"

namespace redflag::gpu::barracuda {
namespace {

// A kernel, and the operations that the detector made of it.
struct Traced {
  std::string text;
  KernelOn<Barracuda, Options> kernel;

  explicit Traced(std::uint32_t blocks = 2, std::uint32_t threads = 32)
      : kernel(blocks, threads,
               {.on_operation = [this](Op op, const Step& /*step*/, Lanes /*lanes*/) {
                 if (op == Op::kEndInstruction) return;
                 text += std::string(text.empty() ? "" : " ") + std::string(name(op));
               }}) {}
};
constexpr By kOneLane{0, 0, 1};
constexpr By kTwo{1, 0, 1};

TEST(BarracudaOperations, NamesAreThePapers) {
  const std::set<std::string_view> names(kOpNames.begin(), kOpNames.end());
  EXPECT_EQ(names.size(), kOpCount);
  EXPECT_EQ(name(Op::kEndInstruction), "endi");
  EXPECT_EQ(name(Op::kAcquireReleaseBlock), "arBlk");
  EXPECT_EQ(name(acquire(true)), "acqGlb");
  EXPECT_EQ(name(release(false)), "relBlk");
  EXPECT_EQ(name(acquire_release(true)), "arGlb");
}

// Figure 5.3: a warp of two threads reads, then one path of a branch has a fence and a store.
TEST(BarracudaOperations, Figure53) {
  Traced t(1, 2);
  KernelOn<Barracuda, Options>& k = t.kernel;
  k.read({0, 0, 3}, kData, 4);
  k.branch({0, 0, 1}, 2);
  k.fence({0, 0, 1}, Scope::kBlock);
  k.write({0, 0, 1}, kFlag);
  k.read({0, 0, 2}, kData);
  k.reconverge({0, 0, 3});
  EXPECT_EQ(t.text, "rd if relBlk rd fi");
  EXPECT_EQ(k.model.count(Op::kEndInstruction), 4U);
}

TEST(BarracudaOperations, StoreBehindAFenceReleasesWithItsScope) {
  for (const bool global : {false, true}) {
    Traced t;
    t.kernel.fence(kOneLane, global ? Scope::kDevice : Scope::kBlock);
    t.kernel.write(kOneLane, kFlag);
    EXPECT_EQ(t.text, global ? "relGlb" : "relBlk");
  }
}

TEST(BarracudaOperations, OnlyRightBehindIt) {
  Traced t;
  t.kernel.fence(kOneLane);
  t.kernel.read(kOneLane, kData);
  t.kernel.write(kOneLane, kFlag);
  EXPECT_EQ(t.text, "rd wr");
}

TEST(BarracudaOperations, OnlyForTheLanesThatFenced) {
  Traced t;
  t.kernel.fence({0, 0, 1});
  t.kernel.write({0, 0, 3}, kFlag, 4);
  EXPECT_EQ(t.text, "relGlb wr");
}

TEST(BarracudaOperations, LoadBeforeAFenceAcquires) {
  Traced t;
  t.kernel.fence(kOneLane);
  t.kernel.write(kOneLane, kFlag);
  t.kernel.read(kTwo, kFlag);
  t.kernel.fence(kTwo, Scope::kBlock);
  EXPECT_EQ(t.text, "relGlb rd acqBlk");
}

// Nothing was released: a load is a load.
TEST(BarracudaOperations, LoadOfDataBeforeAFenceIsALoad) {
  Traced t;
  t.kernel.write(kOneLane, kData);
  t.kernel.read(kTwo, kData);
  t.kernel.fence(kTwo);
  EXPECT_EQ(t.text, "wr rd");
}

TEST(BarracudaOperations, AtomicsAloneOrderNothing) {
  Traced t;
  t.kernel.add(kOneLane, kFlag);
  t.kernel.add(kTwo, kFlag);
  EXPECT_EQ(t.text, "atm atm");
}

TEST(BarracudaOperations, AtomicBetweenFencesAcquiresAndReleases) {
  Traced t;
  t.kernel.fence(kOneLane);
  t.kernel.add(kOneLane, kFlag);
  t.kernel.fence(kTwo);
  t.kernel.add(kTwo, kFlag);
  EXPECT_EQ(t.text, "relGlb arGlb");
}

// atom.cas takes a lock with the fence behind it, atom.exch gives it back with the one before it.
TEST(BarracudaOperations, Locks) {
  Traced t;
  t.kernel.swap(kOneLane, kFlag);
  t.kernel.fence(kOneLane);
  t.kernel.write(kOneLane, kData);
  t.kernel.fence(kOneLane);
  t.kernel.exchange(kOneLane, kFlag);
  t.kernel.swap(kTwo, kFlag);
  t.kernel.fence(kTwo);
  EXPECT_EQ(t.text, "atm wr relGlb atm acqGlb") << "what follows the lock's fence is no signal";
}

TEST(BarracudaOperations, NewerPtxSaysItself) {
  Traced t;
  t.kernel.atomic(kOneLane, StepKind::kAtomicStore, kFlag, Scope::kDevice, Order::kRelease);
  t.kernel.atomic(kTwo, StepKind::kAtomicLoad, kFlag, Scope::kBlock, Order::kAcquire);
  t.kernel.add(kTwo, kFlag, Scope::kBlock, Order::kAcqRel);
  EXPECT_EQ(t.text, "relGlb acqBlk arBlk");
}

TEST(BarracudaOperations, Barrier) {
  Traced t(1, 64);
  t.kernel.barrier(0);
  EXPECT_EQ(t.text, "bar");
}

}  // namespace
}  // namespace redflag::gpu::barracuda
