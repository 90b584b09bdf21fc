// Each rule of pruning on the smallest kernel: what it may leave out, and what it must not.
#include <gtest/gtest.h>

#include "frontends/cuda/rewrite/testing.h"

namespace redflag::rewrite {
namespace {

std::string kernel(const std::string& body) {
  return ".version 8.5\n.target sm_90\n.address_size 64\n"
         ".const .align 4 .u32 table[4];\n.extern .func outside();\n"
         ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n"
         ".local .align 8 .b8 mine[64]; .shared .align 4 .u32 ours[64];\n"
         ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %l<20>;\n"
         "ld.param.u64 %l0, [a]; ld.param.u64 %l1, [b];\n" +
         body + "\nret;\n}\n";
}

struct Left {
  std::uint64_t kept = 0, is_private = 0, constant = 0, repeated = 0;
  friend bool operator==(const Left&, const Left&) = default;
};
std::ostream& operator<<(std::ostream& to, const Left& left) {
  return to << left.kept << " kept, " << left.is_private << " private, " << left.constant
            << " constant, " << left.repeated << " repeated";
}
Left pruned(const std::string& body) {
  const Counts counts = testing::rewritten(kernel(body)).counts;
  return {counts.accesses - counts.pruned_private - counts.pruned_constant - counts.pruned_repeated,
          counts.pruned_private, counts.pruned_constant, counts.pruned_repeated};
}

TEST(Prune, LeavesOutWhatNobodyShares) {
  EXPECT_EQ(pruned("ld.local.u32 %r1, [mine]; st.local.u32 [mine+4], %r1;"), (Left{0, 2, 0, 0}));
  EXPECT_EQ(pruned("ld.const.u32 %r1, [table];"), (Left{0, 0, 1, 0}));
  const std::string local = "mov.u64 %l2, mine; cvta.local.u64 %l3, %l2; ";
  EXPECT_EQ(pruned(local + "st.u32 [%l3+8], 1;"), (Left{0, 1, 0, 0}));
  EXPECT_EQ(pruned(local + "mov.b64 %l4, %l3; ld.u32 %r1, [%l4];"), (Left{0, 1, 0, 0}));
  EXPECT_EQ(pruned(local + "mul.wide.u32 %l5, %r2, 4; add.s64 %l4, %l3, %l5; ld.u32 %r1, [%l4];"),
            (Left{0, 1, 0, 0}));
  EXPECT_EQ(pruned(local + "mad.lo.s64 %l4, %l0, 4, %l3; atom.add.u32 %r1, [%l4], 1;"),
            (Left{0, 1, 0, 0}));
  EXPECT_EQ(pruned("mov.u64 %l2, table; cvta.const.u64 %l3, %l2; ld.u32 %r1, [%l3];"),
            (Left{0, 0, 1, 0}));
  // Around a loop, where the pointer moves on.
  EXPECT_EQ(pruned(local + "mov.b64 %l4, %l3;\nagain: ld.u32 %r1, [%l4]; add.s64 %l4, %l4, 4; "
                           "setp.lt.u32 %p1, %r1, 9; @%p1 bra again;"),
            (Left{0, 1, 0, 0}));
}

TEST(Prune, KeepsWhatMayBeShared) {
  const std::string local = "mov.u64 %l2, mine; cvta.local.u64 %l3, %l2; ";
  EXPECT_EQ(pruned("ld.u32 %r1, [%l0];"), (Left{1, 0, 0, 0}));
  EXPECT_EQ(pruned("mov.u64 %l2, ours; cvta.shared.u64 %l3, %l2; ld.u32 %r1, [%l3];"),
            (Left{1, 0, 0, 0}));
  // One of two, by a predicate or by the way that was taken.
  EXPECT_EQ(pruned(local + "selp.b64 %l4, %l3, %l0, %p1; ld.u32 %r1, [%l4];"), (Left{1, 0, 0, 0}));
  EXPECT_EQ(pruned(local + "@%p1 mov.b64 %l3, %l0; ld.u32 %r1, [%l3];"), (Left{1, 0, 0, 0}));
  EXPECT_EQ(pruned(local + "mov.b64 %l4, %l3;\nagain: ld.u32 %r1, [%l4]; mov.b64 %l4, %l0; "
                           "@%p1 bra again;"),
            (Left{1, 0, 0, 0}));
  // An address computed from a difference, and a pointer that was loaded from private memory.
  EXPECT_EQ(pruned(local + "sub.s64 %l4, %l0, %l3; add.s64 %l5, %l3, %l4; ld.u32 %r1, [%l5];"),
            (Left{1, 0, 0, 0}));
  EXPECT_EQ(pruned(local + "ld.u64 %l4, [%l3]; ld.u32 %r1, [%l4];"), (Left{1, 1, 0, 0}));
  EXPECT_EQ(pruned(local + "xor.b64 %l4, %l3, %l0; ld.u32 %r1, [%l4];"), (Left{1, 0, 0, 0}));
}

TEST(Prune, LeavesOutReadOnlyLoads) {
  EXPECT_EQ(pruned("ld.global.nc.u32 %r1, [%l0]; ldu.global.u32 %r2, [%l0+4];"),
            (Left{0, 0, 2, 0}));
  EXPECT_EQ(pruned("ld.global.u32 %r1, [%l0];"), (Left{1, 0, 0, 0}));
}

TEST(Prune, LeavesOutRepeatedAccesses) {
  EXPECT_EQ(pruned("ld.global.u32 %r1, [%l0]; ld.global.u32 %r2, [%l0];"), (Left{1, 0, 0, 1}));
  EXPECT_EQ(pruned("ld.global.u32 %r5, [%l0+8]; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%l0];"),
            (Left{1, 0, 0, 1}));
  EXPECT_EQ(pruned("st.shared.u32 [ours], %r1; ld.shared.u32 %r2, [ours]; st.global.u32 [%l0], 1;"),
            (Left{2, 0, 0, 1}));
  EXPECT_EQ(pruned("st.shared.u32 [ours], %r1; ld.shared.u32 %r2, [ours]; bar.sync 0;"),
            (Left{1, 0, 0, 1}));
  EXPECT_EQ(pruned("ld.global.u32 %r1, [%l0]; add.s32 %r1, %r1, 1; st.global.u32 [%l0], %r1;"),
            (Left{1, 0, 0, 1}));
  EXPECT_EQ(pruned("st.global.u32 [%l0], 7; st.global.u32 [%l0], 7;"), (Left{1, 0, 0, 1}));
  EXPECT_EQ(pruned("@%p1 ld.global.u32 %r1, [%l0]; @%p1 ld.global.u32 %r2, [%l0];"),
            (Left{1, 0, 0, 1}));
  EXPECT_EQ(pruned("ld.global.u32 %r1, [%l0]; st.global.u32 [%l1], %r1; ld.global.u32 %r2, [%l0];"),
            (Left{2, 0, 0, 1}));
}

TEST(Prune, KeepsWhatIsNotRepeated) {
  const auto kept = [](const std::string& body) {
    const Left left = pruned(body);
    EXPECT_EQ(left.repeated, 0U) << body;
  };
  // Only in part, elsewhere, of another space, with another value.
  kept("ld.global.v2.u32 {%r4, %r5}, [%l0]; ld.global.v2.u32 {%r2, %r3}, [%l0+4]; bar.sync 0;");
  kept("ld.global.u32 %r1, [%l0]; ld.global.u32 %r2, [%l0+2];");
  kept("ld.global.u32 %r1, [%l0]; ld.u32 %r2, [%l0];");
  kept("st.global.u32 [%l0], 7; st.global.u32 [%l0], 8;");
  kept("st.global.u32 [%l0], %r1; st.global.u32 [%l0], %r2;");
  // The register is another one, or holds another address.
  kept("ld.global.u32 %r1, [%l0]; add.s64 %l0, %l0, 4; ld.global.u32 %r2, [%l0];");
  kept("ld.global.u64 %l0, [%l0]; ld.global.u64 %l2, [%l0];");
  kept("ld.global.u32 %r1, [%l0]; ld.global.u32 %r2, [%l1];");
  // Under a guard that may be false, or that changed.
  kept("@%p1 ld.global.u32 %r1, [%l0]; ld.global.u32 %r2, [%l0];");
  kept("@%p1 ld.global.u32 %r1, [%l0]; @!%p1 ld.global.u32 %r2, [%l0];");
  kept("@%p1 ld.global.u32 %r1, [%l0]; setp.eq.u32 %p1, %r1, 0; @%p1 ld.global.u32 %r2, [%l0];");
  kept(
      "@%p1 st.global.u32 [%l0], %r1; setp.eq.u32 %p1, %r1, 0; @%p1 ld.global.u32 %r2, [%l0];"
      "@%p1 st.global.u32 [%l1], %r2;");
  kept("ld.global.u32 %r1, [%l0]; @%p1 st.global.u32 [%l0], %r1;");
  // By fewer lanes: those that it leaves out met the others at the first one, not since.
  kept("ld.global.u32 %r1, [%l0]; @%p1 ld.global.u32 %r2, [%l0];");
  // It is the last that is told of these lanes together: others may come in between.
  kept("st.shared.u32 [ours], %r1; ld.shared.u32 %r2, [ours];");
  kept("st.shared.u32 [ours], %r1; ld.shared.u32 %r2, [ours]; @%p1 st.global.u32 [%l0], 1;");
  kept("ld.global.u32 %r1, [%l0]; @%p1 st.global.u32 [%l1], 1; st.global.u32 [%l0], %r1;");
  kept("st.shared.u32 [ours], %r1; ld.shared.u32 %r2, [ours]; bar.warp.sync 3;");
  // Something between them may order, or is not known.
  for (const std::string between :
       {"bar.sync 0;", "membar.gl;", "fence.acq_rel.gpu;", "bar.warp.sync -1;",
        "atom.global.add.u32 %r9, [%l1], 1;", "ld.acquire.gpu.global.u32 %r9, [%l1];",
        "ld.volatile.global.u32 %r9, [%l1];", "call.uni outside;",
        "shfl.sync.idx.b32 %r9, %r8, 0, 31, -1;", "cp.async.wait_all;",
        "next:", "barrier.cluster.arrive;"}) {
    const std::string more = between == "next:" ? "@%p1 bra next; " : "";
    kept("ld.global.u32 %r1, [%l0]; " + more + between + " ld.global.u32 %r2, [%l0];");
    kept("ld.global.u32 %r1, [%l0]; " + more + between + " st.global.u32 [%l0], %r2;");
  }
  kept("ld.global.u32 %r1, [%l0]; bra.uni next;\nnext: ld.global.u32 %r2, [%l0];");
}

TEST(Prune, CanBeSwitchedOff) {
  const std::string text = kernel("ld.global.u32 %r1, [%l0]; ld.global.u32 %r2, [%l0];");
  EXPECT_EQ(testing::rewritten(text, testing::quiet_runtime(), false).counts.pruned_repeated, 0U);
}

}  // namespace
}  // namespace redflag::rewrite
