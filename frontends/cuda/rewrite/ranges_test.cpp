// Loops whose loads of shared memory are told in front of them, and loops whose loads are not.
#include "frontends/cuda/rewrite/ranges.h"

#include <gtest/gtest.h>

#include <string>

#include "frontends/cuda/ptx/parser.h"
#include "frontends/cuda/rewrite/mentions.h"

namespace redflag::rewrite {
namespace {

// `start`: in front of the loop; `body`: of it; `end`: the comparison.
std::vector<Range> found(const std::string& start, const std::string& body,
                         const std::string& end) {
  const std::string text =
      ".version 8.5\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 a)\n{\n.shared .align 4 .u32 ours[64];\n"
      ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %l<4>; .reg .f32 %f<4>;\n"
      "ld.param.u64 %l0, [a]; mov.u32 %r1, ours;\n" +
      start + "\nagain:\n" + body + "\n" + end + " @%p1 bra again;\nret;\n}\n";
  const Result<ptx::Module> module = ptx::parse("test.ptx", text);
  EXPECT_TRUE(module) << (module ? "" : module.error().message);
  if (!module) return {};
  const ptx::Function& function = *module->find_function("k");
  const Mentions mentions(function);
  std::vector<Plan> plans;
  for (const ptx::Instruction& each : function.body.instructions) {
    plans.push_back(plan(*module, function, mentions, each));
  }
  return find_ranges(*module, function, plans, prune(*module, function, plans));
}

const std::string kStart = "mov.u32 %r2, 0;";
const std::string kLoad = "ld.shared.u32 %r3, [%r1+8]; add.s32 %r1, %r1, 4; add.s32 %r2, %r2, 1;";
const std::string kEnd = "setp.ne.s32 %p1, %r2, 33;";

TEST(Ranges, OfLoopsThatCount) {
  const std::vector<Range> one = found(kStart, kLoad, kEnd);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].offset, 8);
  EXPECT_EQ(one[0].stride, 4);
  EXPECT_EQ(one[0].count, 33U);
  EXPECT_EQ(one[0].before + 1, one[0].load);
  // Downwards; the address goes on before the load.
  const std::vector<Range> down = found(
      "mov.u32 %r2, 10;", "add.s32 %r1, %r1, -16; ld.shared.f32 %f1, [%r1]; add.s32 %r2, %r2, -3;",
      "setp.gt.s32 %p1, %r2, -2;");
  ASSERT_EQ(down.size(), 1U);
  EXPECT_EQ(down[0].offset, -16);
  EXPECT_EQ(down[0].stride, -16);
  EXPECT_EQ(down[0].count, 4U);
  EXPECT_EQ(found(kStart, kLoad, "setp.lt.u32 %p1, %r2, 1;").at(0).count, 1U);
}

TEST(Ranges, NotWhereTheCountIsNotKnown) {
  EXPECT_TRUE(found("mov.u32 %r2, %tid.x;", kLoad, kEnd).empty());
  EXPECT_TRUE(found("@%p2 mov.u32 %r2, 0;", kLoad, kEnd).empty());
  EXPECT_TRUE(found(kStart, kLoad, "setp.ne.s32 %p1, %r2, %r4;").empty());
  EXPECT_TRUE(found(kStart, kLoad, "setp.ne.s32 %p1, %r2, 100000;").empty());
  EXPECT_TRUE(found(kStart, kLoad, "setp.ne.and.s32 %p1, %r2, 33, %p2;").empty());
  EXPECT_TRUE(found(kStart, kLoad + " @%p2 add.s32 %r2, %r2, 1;", kEnd).empty());
}

TEST(Ranges, NotWhereTheAddressIsNotKnown) {
  EXPECT_TRUE(found(kStart, "ld.shared.u32 %r1, [%r1]; add.s32 %r2, %r2, 1;", kEnd).empty());
  EXPECT_TRUE(
      found(kStart, "ld.shared.u32 %r3, [%r1]; add.s32 %r1, %r1, %r3; add.s32 %r2, %r2, 1;", kEnd)
          .empty());
}

TEST(Ranges, NotWhereLanesPartOrMeet) {
  EXPECT_TRUE(found(kStart, "@%p2 " + kLoad, kEnd).empty());
  EXPECT_TRUE(found(kStart, kLoad + " @%p2 st.shared.u32 [ours], 1;", kEnd).empty());
  EXPECT_TRUE(found(kStart, kLoad + " bar.sync 0;", kEnd).empty());
  EXPECT_TRUE(found(kStart, kLoad + " atom.shared.add.u32 %r5, [ours], 1;", kEnd).empty());
  EXPECT_TRUE(found(kStart, kLoad + " @%p2 bra again;", kEnd).empty());
  EXPECT_EQ(found(kStart, kLoad + " st.shared.u32 [ours], 1;", kEnd).size(), 1U);
}

}  // namespace
}  // namespace redflag::rewrite
