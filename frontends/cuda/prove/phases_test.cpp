// Barriers: which accesses of a block no barrier keeps apart. Kernels here have one block.
#include "frontends/cuda/prove/phases.h"

#include <gtest/gtest.h>

#include "frontends/cuda/prove/testing.h"

namespace redflag::prove {
namespace {

std::string told(const std::string& body) {
  return testing::told(body, {.blocks = 1});
}
// Own word, then the neighbour's.
const std::string kWrite = "st.shared.u32 [%one], %t;\n", kRead = "ld.shared.u32 %r1, [%one+4];\n";

TEST(Phases, ABarrierKeepsApart) {
  EXPECT_EQ(told(kWrite + kRead), "tt");
  EXPECT_EQ(told(kWrite + "bar.sync 0;\n" + kRead), "qq");
  EXPECT_EQ(told(kWrite + "barrier.sync 0;\n" + kRead), "qq");
  EXPECT_EQ(told(kWrite + "bar.red.popc.u32 %r2, 0, %p1;\n" + kRead), "qq");
  EXPECT_EQ(told(kWrite + "bar.sync 0, 32;\n" + kRead), "none") << "of a part of the block";
  EXPECT_EQ(told(kWrite + "bar.warp.sync -1;\n" + kRead), "tt");
  EXPECT_EQ(told(kWrite + "membar.gl;\n" + kRead), "tt");
}

TEST(Phases, BarriersThatNotAllComeTo) {
  EXPECT_EQ(told("setp.lt.s32 %p1, %t, 4;\n" + kWrite + "@%p1 bar.sync 0;\n" + kRead), "none");
  EXPECT_EQ(
      told("setp.lt.s32 %p1, %t, 4; @%p1 bra over;\n" + kWrite + "bar.sync 0;\n over:" + kRead),
      "none");
  EXPECT_EQ(
      told("setp.lt.s32 %p1, %n, 4; @%p1 bra over;\n" + kWrite + "bar.sync 0;\n over:" + kRead),
      "qq")
      << "all or none";
  EXPECT_EQ(
      told("setp.lt.s32 %p1, %c, 4; @%p1 bra.uni over;\n" + kWrite + "bar.sync 0;\n over:" + kRead),
      "qq")
      << "the number of the block is the same for all of it";
  EXPECT_EQ(told("ld.global.u32 %r1, [%b]; setp.lt.s32 %p1, %r1, 4; @%p1 bra over;\n" + kWrite +
                 "bar.sync 0;\n over:" + kRead),
            "none")
      << "memory may change between two loads";
  EXPECT_EQ(told("mov.u32 %r1, %laneid; vote.sync.any.pred %p1, 1, -1; @%p1 bra over;\n" + kWrite +
                 "bar.sync 0;\n over:" + kRead),
            "none");
}

TEST(Phases, BarriersInALoop) {
  const std::string begin = "mov.u32 %r9, 0;\nagain:\n";
  const std::string end = "add.s32 %r9, %r9, 1; setp.lt.s32 %p2, %r9, %n; @%p2 bra again;\n";
  EXPECT_EQ(told(begin + kWrite + "bar.sync 0;\n" + kRead + "bar.sync 0;\n" + end), "qq");
  EXPECT_EQ(told(begin + kWrite + "bar.sync 0;\n" + kRead + end), "tt") << "the next turn's write";
  const std::string uneven = "mov.u32 %r9, 0;\nagain:\n" + kWrite + "bar.sync 0;\n" + kRead +
                             "bar.sync 0;\nadd.s32 %r9, %r9, 1; setp.lt.s32 %p2, %r9, %t; "
                             "@%p2 bra again;\n";
  EXPECT_EQ(told(uneven), "qq") << "who goes round no more has ended";
  EXPECT_EQ(told(uneven + kWrite + "bar.sync 0;\n"), "none") << "not all go round as often";
}

TEST(Phases, WhoEndsEarlyIsNotWaitedFor) {
  const std::string test = "setp.ge.s32 %p1, %t, 20;\n";
  EXPECT_EQ(told(test + "@%p1 ret;\n" + kWrite + "bar.sync 0;\n" + kRead), "qq");
  EXPECT_EQ(told(test + "@%p1 bra out;\n" + kWrite + "bar.sync 0;\n" + kRead + "out:"), "qq");
}

TEST(Phases, WhoEndsIsNotOrderedByTheNextBarrier) {
  EXPECT_EQ(told("setp.ge.s32 %p1, %t, 20;\n" + kWrite + "@%p1 ret;\nbar.sync 0;\n" + kRead),
            "none");
  EXPECT_EQ(
      told("setp.ge.s32 %p1, %t, 20;\n" + kWrite + "@%p1 bra out;\nbar.sync 0;\n" + kRead + "out:"),
      "none");
  EXPECT_EQ(
      told("setp.ge.s32 %p1, %t, 20;\n" + kWrite + "bar.sync 0;\n@%p1 ret;\nbar.sync 0;\n" + kRead),
      "qq")
      << "he came to the one before";
  EXPECT_EQ(told("setp.ge.s32 %p1, %n, 20;\n" + kWrite + "@%p1 ret;\nbar.sync 0;\n" + kRead), "qq")
      << "all or none";
  EXPECT_EQ(told("setp.ge.s32 %p1, %t, 20;\n" + kWrite + "bar.sync 0;\n" + kRead +
                 "@%p1 ret;\nst.shared.u32 [%one], 1;"),
            "qtt")
      << "no barrier comes any more";
}

TEST(Phases, AWayOutWithinDivergentCode) {
  // Threads from 8 on pass by the barrier, or end there.
  EXPECT_EQ(told("setp.lt.s32 %p1, %t, 8; setp.lt.s32 %p2, %t, 4; @%p1 bra over; @%p2 ret; "
                 "bar.sync 0;\nover: " +
                 kWrite + kRead),
            "none");
  EXPECT_EQ(told("setp.lt.s32 %p1, %t, 8; setp.lt.s32 %p2, %t, 4; @%p1 bra over; @%p2 bra out; "
                 "bar.sync 0;\nover: " +
                 kWrite + kRead + "out:"),
            "none");
}

TEST(Phases, TwoSidesThatAllTakeAlike) {
  const auto either = [&](const std::string& test) {
    return told(test + "@%p1 bra other;\n" + kWrite + "bra both;\nother:\n" + kRead + "both:");
  };
  EXPECT_EQ(either("setp.lt.s32 %p1, %n, 4;\n"), "qq");
  EXPECT_EQ(either("setp.lt.s32 %p1, %t, 4;\n"), "tt");
  // Another turn may go the other way.
  EXPECT_EQ(told("mov.u32 %r9, 0; again: and.b32 %r8, %r9, 1; setp.eq.s32 %p1, %r8, 0; "
                 "@%p1 bra other;\n" +
                 kWrite + "bra both;\nother:\n" + kRead +
                 "both: add.s32 %r9, %r9, 1; setp.lt.s32 %p2, %r9, 8; @%p2 bra again;"),
            "tt");
}

TEST(Phases, LoadsOfSharedMemoryThatAreTheSameForAll) {
  const std::string branch = "setp.lt.s32 %p1, %r2, 4; @%p1 bra over;\n";
  EXPECT_EQ(told("ld.shared.u32 %r2, [two];\n" + branch + kWrite + "bar.sync 0;\nover: " + kRead),
            "qqq");
  EXPECT_EQ(told("st.shared.u32 [two], %t; ld.shared.u32 %r2, [two];\n" + branch + kWrite +
                 "bar.sync 0;\nover: " + kRead),
            "none")
      << "somebody writes meanwhile";
  EXPECT_EQ(told("ld.shared.u32 %r2, [%one];\n" + branch + kWrite + "bar.sync 0;\nover: " + kRead),
            "none")
      << "each has another";
}

TEST(Phases, AValueOfAnEarlierTurnIsNotTheSameForAll) {
  // %r2 is set once in the text, by some threads, to what all have.
  EXPECT_EQ(
      told("mov.u32 %r9, 0; again: setp.gt.s32 %p1, %r9, %t; @%p1 bra over; mov.u32 %r2, %r9;\n"
           "over: setp.lt.s32 %p3, %r2, 3; @%p3 bra past;\n" +
           kWrite + "bar.sync 0;\n" + kRead +
           "past: add.s32 %r9, %r9, 1; setp.lt.s32 %p2, %r9, 8; @%p2 bra again;"),
      "none");
}

TEST(Phases, TurnsAtABarrierThatAreNotAsMany) {
  // Each thread goes round by itself until its %r8 is zero; then all meet at the barrier.
  EXPECT_EQ(
      told("mov.u64 %l9, 0; mov.u32 %r10, 0; shl.b32 %r8, %t, 1;\nagain: add.s64 %l9, %l9, 4; "
           "shr.u32 %r8, %r8, 1; setp.ne.s32 %p1, %r8, 0; @%p1 bra again;\n"
           "bar.sync 0; sub.s64 %l8, %at, %l9; st.global.u32 [%l8+64], %t;\nbar.sync 0; "
           "add.s32 %r10, %r10, 1; setp.lt.s32 %p2, %r10, %n; @%p2 bra again;"),
      "t")
      << "own place less the turns: the same for two";
}

TEST(Phases, JumpsIntoALoopHaveNoProof) {
  EXPECT_EQ(told("setp.lt.s32 %p1, %t, 4; @%p1 bra middle;\nagain: " + kWrite + "middle: " + kRead +
                 "setp.lt.s32 %p2, %r1, 8; @%p2 bra again;"),
            "none");
}

TEST(Phases, TablesOfTargets) {
  EXPECT_EQ(told("ts: .branchtargets one1, two1;\nbrx.idx %n, ts;\none1: " + kWrite +
                 "bar.sync 0;\ntwo1: " + kRead),
            "none");
}

}  // namespace
}  // namespace redflag::prove
