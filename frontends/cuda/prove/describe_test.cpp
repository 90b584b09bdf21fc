// From PTX to what is asked: guards, loops, registers that change.
#include "frontends/cuda/prove/describe.h"

#include <gtest/gtest.h>

#include "frontends/cuda/prove/testing.h"

namespace redflag::prove {
namespace {

using testing::Launched;
using testing::told;

// Stores to a[value].
std::string store(const std::string& value) {
  return "mul.wide.s32 %l1, " + value + ", 4; add.s64 %l2, %a, %l1; st.global.u32 [%l2], %t;\n";
}

TEST(Describe, GuardsOfBranchesAndOfInstructions) {
  EXPECT_EQ(told("st.global.u32 [%a], %t;"), "t");
  EXPECT_EQ(told("setp.eq.s32 %p1, %g, 0; @%p1 st.global.u32 [%a], %t;"), "q");
  EXPECT_EQ(told("setp.ne.s32 %p1, %g, 0; @!%p1 st.global.u32 [%a], %t;"), "q");
  EXPECT_EQ(told("setp.ne.s32 %p1, %g, 0; @%p1 bra out; st.global.u32 [%a], %t;\nout:"), "q");
  EXPECT_EQ(told("setp.eq.s32 %p1, %g, 0; @!%p1 bra out; st.global.u32 [%a], %t;\nout:"), "q");
  EXPECT_EQ(told("setp.eq.s32 %p1, %g, 0; @%p1 bra out; st.global.u32 [%a], %t;\nout:"), "t");
  EXPECT_EQ(told("setp.eq.s32 %p1, %t, 0; @%p1 st.global.u32 [%a], %t;"), "t") << "of each block";
  EXPECT_EQ(told("setp.lt.u32 %p1, %g, 1; @%p1 st.global.u32 [%a], %t;"), "q");
  EXPECT_EQ(told("setp.lo.u32 %p1, %g, 2; @%p1 st.global.u32 [%a], %t;"), "t");
  EXPECT_EQ(told("setp.hs.u32 %p1, %g, 63; @%p1 st.global.u32 [%a], %t;"), "q");
  EXPECT_EQ(told("setp.eq.s32 %p1, %t, 0; setp.eq.s32 %p2, %c, 1; and.pred %p3, %p1, %p2; "
                 "@%p3 st.global.u32 [%a], %t;"),
            "q");
  EXPECT_EQ(told("setp.ne.s32 %p1, %t, 0; setp.ne.s32 %p2, %c, 1; or.pred %p3, %p1, %p2; "
                 "@!%p3 st.global.u32 [%a], %t;"),
            "q");
  EXPECT_EQ(told("setp.eq.s32 %p1, %t, 0; setp.eq.s32 %p2, %c, 1; or.pred %p3, %p1, %p2; "
                 "@%p3 st.global.u32 [%a], %t;"),
            "t");
  EXPECT_EQ(told("setp.ne.s32 %p1, %g, 0; not.pred %p2, %p1; @%p2 st.global.u32 [%a], %t;"), "q");
}

TEST(Describe, GuardsThatSayLessThanTheySeem) {
  EXPECT_EQ(told("setp.eq.s32 %p1, %g, 0; setp.ge.s32 %p1, %g, 0; @%p1 st.global.u32 [%a], %t;"),
            "t")
      << "set again";
  EXPECT_EQ(told("setp.eq.s32 %p1|%p2, %g, 0; @%p2 st.global.u32 [%a], %t;"), "t")
      << "the second is the opposite";
  EXPECT_EQ(told("setp.eq.and.s32 %p1, %g, 0, %p2; @!%p1 st.global.u32 [%a], %t;"), "t");
  // Unsigned, and of a number that is below 0 for all but one.
  EXPECT_EQ(told("sub.s32 %r1, %g, 63; setp.lt.s32 %p1, %r1, 0; @!%p1 st.global.u32 [%a], %t;"),
            "q");
  EXPECT_EQ(told("sub.s32 %r1, %g, 63; setp.lt.u32 %p1, %r1, -10; @!%p1 st.global.u32 [%a], %t;"),
            "t");
  EXPECT_EQ(told("shl.b32 %r1, %t, 31; setp.eq.s32 %p1, %r1, 0; @%p1 st.global.u32 [%a], %t;"), "t")
      << "every second thread: it wraps around";
  EXPECT_EQ(
      told("setp.lt.s32 %p1, %g, %n; @%p1 bra in; bra out;\nin: st.global.u32 [%a], %t;\nout:",
           {.n = 1}),
      "q");
  EXPECT_EQ(told("setp.lt.u32 %p1, %g, %n; @%p1 st.global.u32 [%a], %t;", {.n = -1}), "t");
  EXPECT_EQ(told("setp.lt.s32 %p1, %g, %n; @%p1 st.global.u32 [%a], %t;", {.n = -1}), "q")
      << "never";
}

TEST(Describe, GuardsOf64Bits) {
  // Two blocks of 32 threads; only those of the first come by.
  const std::string wide = "cvt.u64.u32 %l1, %g;", store = "st.global.u32 [%a], %t;";
  const auto guarded = [&](const std::string& test) {
    return wide + test + "@%p1 bra $out;\n" + store + "\n$out:";
  };
  EXPECT_EQ(told(guarded("setp.ge.u64 %p1, %l1, %w;"), {.w = 1}), "q");
  EXPECT_EQ(told(guarded("setp.ge.u64 %p1, %l1, %w;"), {.w = 2}), "t");
  EXPECT_EQ(told(guarded("setp.le.s64 %p1, %w, %l1;"), {.w = 1}), "q");
  EXPECT_EQ(told(guarded("sub.s64 %l2, %w, 7; setp.ge.u64 %p1, %l1, %l2;"), {.w = 8}), "q");
  EXPECT_EQ(told(guarded("sub.s64 %l2, %w, 7; setp.ge.u64 %p1, %l1, %l2;"), {.w = 3}), "t")
      << "there is no limit at all";
  EXPECT_EQ(told(guarded("sub.s64 %l2, %w, 7; setp.ge.s64 %p1, %l1, %l2;"), {.w = 3}), "q");
  EXPECT_EQ(told(guarded("shr.u64 %l2, %w, 4; setp.ge.u64 %p1, %l1, %l2;"), {.w = 16}), "q");
  EXPECT_EQ(told(guarded("setp.ge.u64 %p1, %l1, %w;"), {.w = ~std::uint64_t{0}}), "t");
  EXPECT_EQ(told(guarded("setp.ge.s64 %p1, %l1, %w;"), {.w = ~std::uint64_t{0}}), "q") << "nobody";
  EXPECT_EQ(told(guarded("setp.ne.s64 %p1, %l1, %w;"), {.w = 63}), "q");
  // Up to a pointer.
  EXPECT_EQ(told(guarded("add.s64 %l2, %a, %w; setp.ge.u64 %p1, %at, %l2;"), {.w = 4}), "q");
  EXPECT_EQ(told(guarded("add.s64 %l2, %a, %w; setp.ge.u64 %p1, %at, %l2;"), {.w = 5}), "t");
}

TEST(Describe, LoopsOf64Bits) {
  // Each thread has a row of 8 words.
  const std::string row = "mul.wide.s32 %l1, %g, 32; add.s64 %l2, %a, %l1;";
  const auto loop = [&](const std::string& begin, const std::string& test,
                        const std::string& next) {
    return row + begin + "\n$again: st.global.u32 [%l2], %t; add.s64 %l2, %l2, 4;" + next + test +
           "@%p1 bra $again;";
  };
  const std::string wide =
      loop("mov.u64 %l3, 0;", "setp.lt.u64 %p1, %l3, %w;", "add.s64 %l3, %l3, 1;");
  EXPECT_EQ(told(wide, {.w = 8}), "q");
  EXPECT_EQ(told(wide, {.w = 9}), "t");
  const std::string narrow = loop(
      "mov.u32 %r3, 0;", "cvt.s64.s32 %l3, %r3; setp.lt.s64 %p1, %l3, %w;", "add.s32 %r3, %r3, 1;");
  EXPECT_EQ(told(narrow, {.w = 8}), "q") << "it ends before it could wrap around";
  EXPECT_EQ(told(narrow, {.w = 9}), "t");
  EXPECT_EQ(told(narrow, {.w = std::uint64_t{1} << 33}), "t");
  const auto down = [&](const std::string& widen) {
    return loop("mov.u32 %r3, 7;", widen + " %l3, %r3; setp.ge.s64 %p1, %l3, 0;",
                "sub.s32 %r3, %r3, 1;");
  };
  EXPECT_EQ(told(down("cvt.s64.s32")), "q");
  EXPECT_EQ(told(down("cvt.u64.u32")), "t") << "-1 is a large number";
  const std::string pointer = loop("add.s64 %l3, %l2, %w;", "setp.ne.s64 %p1, %l2, %l3;", "");
  EXPECT_EQ(told(pointer, {.threads = 1, .blocks = 1, .w = 32}), "q");
  const std::string strided =
      "cvt.u64.u32 %l1, %g;\n$again: shl.b64 %l2, %l1, 2; add.s64 %l3, %a, %l2; setp.ge.u64 %p1, "
      "%l1, %w; @%p1 bra $out; "
      "st.global.u32 [%l3], %t; add.s64 %l1, %l1, 64; bra $again;\n$out:";
  EXPECT_EQ(told(strided, {.w = 1000}), "q");
  EXPECT_EQ(told(strided, {.blocks = 3, .w = 1000}), "t") << "the stride is for two blocks";
}

TEST(Describe, CountersOfLoops) {
  const auto loop = [](const std::string& first, const std::string& step, const std::string& test) {
    return "mad.lo.s32 %r2, %g, 8, 0; mov.u32 %r9, " + first +
           ";\nagain: add.s32 %r3, %r2, %r9;\n" + store("%r3") + "add.s32 %r9, %r9, " + step +
           "; setp." + test + "; @%p1 bra again;\n";
  };
  EXPECT_EQ(told(loop("0", "1", "lt.s32 %p1, %r9, 8")), "q");
  EXPECT_EQ(told(loop("0", "1", "le.s32 %p1, %r9, 8")), "t") << "one too far";
  EXPECT_EQ(told(loop("0", "1", "ne.s32 %p1, %r9, 8")), "q");
  EXPECT_EQ(told(loop("0", "3", "ne.s32 %p1, %r9, 8")), "t") << "steps over it";
  EXPECT_EQ(told(loop("7", "-1", "ge.s32 %p1, %r9, 0")), "q");
  EXPECT_EQ(told(loop("7", "-1", "ge.u32 %p1, %r9, 0")), "t") << "always so";
  EXPECT_EQ(told(loop("7", "-1", "gt.s32 %p1, %r9, -2")), "t");
  EXPECT_EQ(told(loop("0", "1", "lt.s32 %p1, %r9, %m")), "q");
  EXPECT_EQ(told(loop("0", "1", "lt.s32 %p1, %r9, %m"), {.m = 9}), "t");
  EXPECT_EQ(told(loop("0", "1", "lt.u32 %p1, %r9, %n"), {.n = -1}), "t");
  EXPECT_EQ(told("mov.u32 %r9, %g;\nagain: " + store("%r9") +
                 "mad.lo.s32 %r9, %d, 2, %r9; setp.lt.s32 %p1, %r9, 1000; @%p1 bra again;"),
            "q")
      << "by as many as there are threads";
  EXPECT_EQ(told("mov.u32 %r9, %g;\nagain: " + store("%r9") +
                 "add.s32 %r9, %d, %r9; setp.lt.s32 %p1, %r9, 1000; @%p1 bra again;"),
            "t");
}

TEST(Describe, ACounterThatGoesOnInTheNextTurnOfAnOuterLoop) {
  const auto nested = [](const std::string& before, const std::string& within) {
    return before + "mov.u32 %r8, 0;\nouter: " + within + "\ninner: mad.lo.s32 %r3, %g, 4, %r9;\n" +
           store("%r3") +
           "add.s32 %r9, %r9, 1; and.b32 %r7, %r9, 3; setp.lt.s32 %p1, %r9, 4; @%p1 bra inner;\n"
           "add.s32 %r8, %r8, 1; setp.lt.s32 %p2, %r8, 3; @%p2 bra outer;";
  };
  EXPECT_EQ(told(nested("", "mov.u32 %r9, 0;")), "q");
  EXPECT_EQ(told(nested("mov.u32 %r9, 0; ", "mov.u32 %r6, %r8;")), "t");
}

TEST(Describe, AStepThatWasComputedBeforeTheLoop) {
  // %r9 is 0, then 4 for ever; %r2 goes on by 4. Their difference is not always 0.
  EXPECT_EQ(
      told("mov.u32 %r9, 0; add.s32 %r8, %r9, 4; mov.u32 %r2, 0;\nagain: sub.s32 %r3, %r2, %r9; "
           "add.s32 %r4, %r3, %g;\n" +
           store("%r4") +
           "mov.u32 %r9, %r8; add.s32 %r2, %r2, 4; setp.lt.s32 %p1, %r2, 64; @%p1 bra again;"),
      "t");
}

TEST(Describe, CountersWithSeveralUpdates) {
  const auto loop = [](const std::string& update) {
    return "mov.u32 %r9, 0; mov.u32 %r8, 0;\nagain: mad.lo.s32 %r3, %g, 16, %r9;\n" + store("%r3") +
           update + "\nadd.s32 %r8, %r8, 1; setp.lt.s32 %p1, %r8, 8; @%p1 bra again;";
  };
  EXPECT_EQ(told(loop("add.s32 %r9, %r9, 1;")), "q");
  EXPECT_EQ(told(loop("add.s32 %r9, %r9, 1; add.s32 %r9, %r9, 8;")), "t");
  EXPECT_EQ(told(loop("setp.lt.s32 %p2, %t, 4; @%p2 add.s32 %r9, %r9, 1;")), "t");
  EXPECT_EQ(told(loop("setp.lt.s32 %p2, %t, 4; @%p2 bra over; add.s32 %r9, %r9, 1;\nover:")), "t");
  EXPECT_EQ(told(loop("mul.lo.s32 %r9, %r9, 2;")), "t");
}

TEST(Describe, WaysBackBeforeTheUpdate) {
  // continue: the second way back does not come by the update.
  EXPECT_EQ(told("mov.u32 %r9, 0; mov.u32 %r8, 0;\nagain: add.s32 %r8, %r8, 1; mad.lo.s32 %r3, %g, "
                 "8, %r9;\n" +
                 store("%r3") +
                 "setp.lt.s32 %p2, %t, %r8; @%p2 bra again;\n"
                 "add.s32 %r9, %r9, 1; setp.lt.s32 %p1, %r9, 8; @%p1 bra again;"),
            "t");
}

TEST(Describe, BeforeAndBehindTheUpdate) {
  // Both words of %r9 turns: what is stored behind the update is one further.
  EXPECT_EQ(told("mov.u32 %r9, 0;\nagain: mad.lo.s32 %r3, %g, 8, %r9;\n" + store("%r3") +
                 "add.s32 %r9, %r9, 1; mad.lo.s32 %r4, %g, 8, %r9; mul.wide.s32 %l3, %r4, 4; "
                 "add.s64 %l4, %a, %l3; st.global.u32 [%l4], %t;\n"
                 "setp.lt.s32 %p1, %r9, 8; @%p1 bra again;"),
            "tt");
  EXPECT_EQ(told("mov.u32 %r9, 0;\nagain: mad.lo.s32 %r3, %g, 8, %r9;\n" + store("%r3") +
                 "add.s32 %r9, %r9, 1; mad.lo.s32 %r4, %g, 8, %r9; mul.wide.s32 %l3, %r4, 4; "
                 "add.s64 %l4, %a, %l3; st.global.u32 [%l4], %t;\n"
                 "setp.lt.s32 %p1, %r9, 7; @%p1 bra again;"),
            "qq");
}

TEST(Describe, SharedMemoryOfOtherBlocks) {
  EXPECT_EQ(told("mapa.shared::cluster.u32 %r1, %one, 1; st.shared.u32 [%one], %t;"), "none");
}

TEST(Describe, LaunchesThatCountClusters) {
  std::string text = testing::kernel("st.global.u32 [%at], %t;");
  EXPECT_TRUE(testing::proof_of(testing::parsed(text)).is_possible);
  text.replace(text.find("{\n.reg"), 1, ".blocksareclusters .reqnctapercluster 2 {");
  EXPECT_FALSE(testing::proof_of(testing::parsed(text)).is_possible);
}

TEST(Describe, WhatIsNotUnderstoodHasNoProof) {
  EXPECT_EQ(told("cp.async.ca.shared.global [%one], [%at], 4;"), "none");
  EXPECT_EQ(told("{ .param .b32 x; st.param.b32 [x], %t; call.uni f, (x); }", {},
                 ".func f(.param .b32 x) { ret; }\n"),
            "none");
  EXPECT_EQ(told("barrier.cluster.arrive; barrier.cluster.wait;"), "none");
}

}  // namespace
}  // namespace redflag::prove
