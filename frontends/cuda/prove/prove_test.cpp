// What a launch decides: sizes, parameters, allocations.
#include "frontends/cuda/prove/prove.h"

#include <gtest/gtest.h>

#include "frontends/cuda/prove/testing.h"

namespace redflag::prove {
namespace {

using testing::Launched;
using testing::told;

TEST(Prove, EachThreadItsOwn) {
  EXPECT_EQ(told("st.global.u32 [%at], %t; ld.global.u32 %r1, [%at];"), "qq");
  EXPECT_EQ(told("st.global.u32 [%at], %t; ld.global.u32 %r1, [%at+4];"), "tt");
  EXPECT_EQ(told("ld.global.u32 %r1, [%a]; ld.global.u32 %r1, [%at];"), "qq") << "nobody writes";
  EXPECT_EQ(told("st.global.u32 [%at], %t;", {.threads_y = 2}), "t") << "two rows are one";
  EXPECT_EQ(told("st.global.u8 [%at+3], %t; st.global.u16 [%at], %t;"), "qq");
  EXPECT_EQ(told("st.global.u64 [%at], %w;"), "t") << "wider than its stride";
}

TEST(Prove, Vectors) {
  const std::string wide = "mul.wide.s32 %l1, %g, 16; add.s64 %l2, %a, %l1;";
  EXPECT_EQ(told(wide + "st.global.v4.u32 [%l2], {%t, %t, %t, %t};"), "q");
  EXPECT_EQ(told(wide + "st.global.v2.u64 [%l2], {%w, %w};"), "q");
  EXPECT_EQ(told(wide + "st.global.v4.u32 [%l2+4], {%t, %t, %t, %t}; ld.global.u32 %r1, [%l2];"),
            "tt");
  EXPECT_EQ(told(wide + "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%l2]; st.global.u32 [%l2-4], %t;"),
            "tt");
}

TEST(Prove, OneThreadOrOneBlockAlone) {
  EXPECT_EQ(told("st.global.u32 [%a], %t;", {.threads = 1, .blocks = 1}), "q");
  EXPECT_EQ(told("st.global.u32 [%a], %t;", {.threads = 1, .blocks = 2}), "t");
  EXPECT_EQ(told("st.shared.u32 [one], %t;", {.threads = 1, .blocks = 2}), "q");
  EXPECT_EQ(told("ld.global.u32 %r1, [%at]; mul.wide.u32 %l1, %r1, 4; add.s64 %l2, %a, %l1; "
                 "st.global.u32 [%l2], %t;",
                 {.threads = 1, .blocks = 1}),
            "qq");
}

TEST(Prove, AllocationsThatAreOneOrNone) {
  const std::string copy = "ld.global.u32 %r1, [%bt]; st.global.u32 [%at], %r1;";
  EXPECT_EQ(told(copy), "qq");
  EXPECT_EQ(told(copy, {.b = 0x10000000}), "qq") << "in place";
  EXPECT_EQ(told(copy, {.b = 0x10000004}), "tt") << "moved by one";
  EXPECT_EQ(told(copy, {.b = 0x10000100}), "qq") << "behind all";
  EXPECT_EQ(told(copy, {.b = 0x50000000}), "tq") << "nobody knows who else is there";
  const std::string somewhere =
      "ld.global.u32 %r1, [%bt]; mul.wide.u32 %l1, %r1, 4; add.s64 %l2, %a, %l1; "
      "st.global.u32 [%l2], %t;";
  EXPECT_EQ(told(somewhere), "qt");
  EXPECT_EQ(told(somewhere, {.b = 0x10080000}), "tt");
}

TEST(Prove, PointersThatMayLeadAnywhere) {
  EXPECT_EQ(told("ld.global.u64 %l1, [%at]; st.global.u32 [%l1], %t;"), "tt");
  EXPECT_EQ(told("setp.lt.s32 %p1, %t, 4; selp.b64 %l1, %at, %bt, %p1; st.global.u32 [%l1], %t;"),
            "t");
  EXPECT_EQ(told("st.u32 [%at], %t;"), "q") << "a generic address of a parameter";
  EXPECT_EQ(told("cvt.u64.u32 %l1, %one; cvta.shared.u64 %l2, %l1; st.u32 [%l2], %t; "
                 "ld.shared.u32 %r1, [%one];"),
            "tt");
  EXPECT_EQ(told("add.s64 %l1, %at, %b; st.global.u32 [%l1], %t;"), "t") << "of two pointers";
  EXPECT_EQ(told("add.s64 %l1, %at, %w; st.global.u32 [%l1], %t;"), "q") << "a number";
}

TEST(Prove, VariablesOfTheModule) {
  const std::string before = ".global .align 4 .b8 data[65536];\n";
  EXPECT_EQ(
      told("mov.u64 %l1, data; add.s64 %l2, %l1, %wide; st.global.u32 [%l2], %t;", {}, before),
      "q");
  EXPECT_EQ(told("st.global.u32 [data+4], %t;", {}, before), "t");
  EXPECT_EQ(told("red.global.add.u32 [data+4], 1;", {}, before), "q");
}

TEST(Prove, AtomicsReachEachOtherOrNot) {
  EXPECT_EQ(told("red.global.add.u32 [%a], 1;"), "q");
  EXPECT_EQ(told("red.relaxed.cta.global.add.u32 [%a], 1;"), "t");
  EXPECT_EQ(told("red.relaxed.cta.global.add.u32 [%a], 1;", {.blocks = 1}), "q");
  EXPECT_EQ(told("red.relaxed.cluster.global.add.u32 [%a], 1;"), "t");
  EXPECT_EQ(told("red.relaxed.cta.shared.add.u32 [one], 1;"), "q");
  EXPECT_EQ(told("red.global.add.u32 [%a], 1; ld.global.u32 %r1, [%a];"), "tt");
  EXPECT_EQ(told("red.global.add.u32 [%a], 1; ld.relaxed.gpu.global.u32 %r1, [%a];"), "qq");
  EXPECT_EQ(told("red.global.add.u32 [%a], 1; ld.volatile.global.u32 %r1, [%a];"), "tt");
  EXPECT_EQ(told("red.global.add.u32 [%a], 1; red.global.add.u64 [%a], 1;"), "tt")
      << "of two sizes";
}

TEST(Prove, SharedArraysAreApart) {
  EXPECT_EQ(told("st.shared.u32 [%one], %t; bar.sync 0; ld.shared.u32 %r1, [two];"), "qq");
  EXPECT_EQ(told("st.shared.u32 [%one], %t; ld.shared.u32 %r1, [two];"), "qq");
  EXPECT_EQ(told("st.shared.u32 [three], %t;"), "t");
  EXPECT_EQ(
      told("setp.eq.s32 %p1, %t, 0; @%p1 st.shared.u32 [three], %t; ld.shared.u32 %r1, [four];"),
      "tt")
      << "those without a size begin at one place";
  EXPECT_EQ(told("mov.u64 %l1, one; mul.wide.u32 %l2, %t, 4; add.s64 %l3, %l1, %l2; "
                 "st.shared.u32 [%l3], %t;"),
            "q")
      << "by registers of 64 bits";
}

TEST(Prove, SharedAddressesWrapAround) {
  EXPECT_EQ(
      told("shl.b32 %r1, %t, 30; shl.b32 %r2, %r1, 2; mov.u32 %r3, one; add.s32 %r4, %r3, %r2; "
           "st.shared.u32 [%r4], %t;"),
      "t")
      << "all have the same";
  EXPECT_EQ(told("shl.b32 %r1, %t, 30; mov.u32 %r3, one; add.s32 %r4, %r3, %r1; "
                 "st.shared.u32 [%r4], %t;"),
            "t")
      << "every fourth has";
  EXPECT_EQ(
      told("add.s32 %r1, %one, 4294967292; st.shared.u32 [%r1+4], %t; ld.shared.u32 %r2, [%one];"),
      "qq")
      << "less 4, as it is also written";
}

TEST(Prove, NumbersOf32BitsWrapAround) {
  const std::string far =
      "shl.b32 %r1, %g, 30; shl.b32 %r2, %r1, 2; mul.wide.s32 %l1, %r2, 4; "
      "add.s64 %l2, %a, %l1; st.global.u32 [%l2], %t;";
  EXPECT_EQ(told(far), "t");
  EXPECT_EQ(told("sub.s32 %r1, %g, 8; mul.wide.s32 %l1, %r1, 4; add.s64 %l2, %a, %l1; "
                 "st.global.u32 [%l2], %t;"),
            "q");
  EXPECT_EQ(told("sub.s32 %r1, %g, 8; mul.wide.u32 %l1, %r1, 4; add.s64 %l2, %a, %l1; "
                 "st.global.u32 [%l2], %t;"),
            "t")
      << "unsigned, and below 0";
}

TEST(Prove, TurnsOfLoopsWithBarriers) {
  // Two buffers in turn: what is written in this turn is read behind the barrier.
  const auto buffers = [](const std::string& offset) {
    return "mov.u32 %r9, 0;\nagain: mad.lo.s32 %r1, %r9, 128, %one; st.shared.u32 [%r1], %t;\n"
           "bar.sync 0; ld.shared.u32 %r2, [%r1+" +
           offset + "]; add.s32 %r9, %r9, 1; setp.lt.s32 %p1, %r9, 8; @%p1 bra again;";
  };
  EXPECT_EQ(told(buffers("4"), {.threads = 31}), "qq") << "the next turn writes elsewhere";
  EXPECT_EQ(told(buffers("132"), {.threads = 31}), "tt");
}

TEST(Prove, OneCountsUpAndTheOtherDown) {
  // The first half is written, the second one read from its end.
  const std::string body =
      "sub.s32 %r1, %m, %g; mul.wide.s32 %l1, %r1, 4; add.s64 %l2, %a, %l1; ld.global.u32 %r2, "
      "[%l2-4]; st.global.u32 [%at], %r2;";
  EXPECT_EQ(told(body, {.m = 128}), "qq");
  EXPECT_EQ(told(body, {.m = 126}), "tt");
}

TEST(Prove, WaysFromOnePointerToAnother) {
  const std::string way = "sub.s64 %l1, %b, %a;";
  // As compilers write *to++ = *from++ with one counter.
  EXPECT_EQ(
      told(way + "add.s64 %l2, %at, %l1; ld.global.u32 %r1, [%at]; st.global.u32 [%l2], %r1;"),
      "qq");
  EXPECT_EQ(told(way + "add.s64 %l2, %at, %l1; ld.global.u32 %r1, [%at]; st.global.u32 [%l2+4], "
                       "%r1; ld.global.u32 %r1, [%bt];"),
            "qtt");
  EXPECT_EQ(told(way + "add.s64 %l2, %w, %l1; st.global.u32 [%l2], %t;"), "t");
  EXPECT_EQ(told("sub.s64 %l1, %at, %w; st.global.u32 [%l1], %t;"), "t")
      << "which of them is the pointer?";
}

TEST(Prove, RowsThatOnlyALoopAsksFor) {
  // Each thread stores to words of its own kilobyte, from the block's number on, as many as its row says.
  const std::string body =
      "shr.u32 %r1, %t, 5; mov.u32 %r2, 0; shl.b32 %r3, %t, 10; shl.b32 %r4, %c, 2; add.s32 %r5, "
      "%r3, %r4; mul.wide.s32 %l1, %r5, 1; add.s64 %l2, %a, %l1;\n$again: setp.ge.s32 %p1, %r2, "
      "%r1; @%p1 bra $out; st.global.u32 [%l2], %t; add.s64 %l2, %l2, 4; add.s32 %r2, %r2, 1; bra "
      "$again;\n$out:";
  EXPECT_EQ(told(body, {.threads = 96, .blocks = 2}), "t");
  EXPECT_EQ(told(body, {.threads = 96, .blocks = 1}), "q");
}

TEST(Prove, NothingIsKnownWithoutAProof) {
  EXPECT_TRUE(noisy({}, {}, [](std::uint64_t) { return std::uint64_t{1}; }).empty());
}

}  // namespace
}  // namespace redflag::prove
