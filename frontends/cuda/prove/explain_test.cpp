#include "frontends/cuda/prove/explain.h"

#include <gmock/gmock.h>

#include "frontends/cuda/prove/testing.h"

namespace redflag::prove {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Of each access that may race.
std::vector<std::string> why(const std::string& body, const testing::Launched& launch = {}) {
  const ptx::Module module = testing::parsed(testing::kernel(body));
  const Proof proof = testing::proof_of(module);
  const Answer answer = testing::answer_of(proof, launch);
  const Explainer explainer(module, *module.find_function("k"),
                            [](std::uint32_t i) { return "number " + std::to_string(i); });
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < answer.noisy.size(); ++i) {
    if (answer.noisy[i]) out.push_back(explainer.why(proof, answer, i));
  }
  return out;
}

TEST(Explain, OnePlaceForSeveralThreads) {
  EXPECT_THAT(why("st.global.u32 [%at], %t; ld.global.u32 %r1, [%at];"), ElementsAre());
  EXPECT_THAT(why("st.shared.u32 [one], %t;"),
              ElementsAre("another thread of the block can access the same address in the same "
                          "instruction, without a barrier in between"));
  EXPECT_THAT(
      why("st.global.u32 [%a], %t;", {.threads = 1}),
      ElementsAre("a thread of another block can access the same address in the same instruction"));
  EXPECT_THAT(
      why("st.global.u32 [%at], %t; ld.global.u32 %r1, [%at+4];"),
      ElementsAre(HasSubstr("in the load at number "), HasSubstr("in the store at number ")));
}

TEST(Explain, PlacesThatAreNotKnown) {
  const std::string behind =
      "mul.wide.u32 %l1, %r2, 4; add.s64 %l2, %a, %l1; st.global.u32 [%l2], %t;";
  EXPECT_THAT(why("ld.global.u32 %r2, [%bt];" + behind),
              ElementsAre(StartsWith("its address was read from memory, by 'ld.global.u32")));
  EXPECT_THAT(
      why("rem.u32 %r2, %t, 7;" + behind),
      ElementsAre(HasSubstr(
          "is not linear in the numbers of thread, block and loop iterations, by 'rem.u32")));
  EXPECT_THAT(why("mul.lo.s32 %r1, %t, %u; add.s32 %r2, %r1, 1;" + behind),
              ElementsAre(HasSubstr("by 'mul.lo.s32")));
  EXPECT_THAT(why("mov.u32 %r2, 0; setp.lt.s32 %p1, %t, 5; @%p1 mov.u32 %r2, %t;" + behind),
              ElementsAre(HasSubstr("depends on the path through the kernel")));
}

TEST(Explain, TheOtherOnesPlace) {
  const std::vector<std::string> all =
      why("ld.global.u32 %r2, [%bt]; mul.wide.u32 %l1, %r2, 4; add.s64 %l2, %a, %l1; ld.global.u32 "
          "%r3, "
          "[%l2]; st.global.u32 [%at], %t;");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_THAT(all[1], HasSubstr(": of that, its address was read from memory, by 'ld.global.u32"));
}

TEST(Explain, MemoryOfOthers) {
  EXPECT_THAT(why("st.global.u32 [%at], %t;", {.a = 0x50000000}),
              ElementsAre("it accesses memory that other code may use"));
  EXPECT_THAT(why("ld.const.u64 %l1, [three]; st.global.u32 [%l1], %t;"),
              ElementsAre(HasSubstr("it is unknown which memory it accesses")));
}

TEST(Explain, SumsThatWrapAround) {
  EXPECT_THAT(why("mul.lo.s32 %r1, %g, 1073741824; mul.wide.s32 %l1, %r1, 4; add.s64 %l2, %a, %l1; "
                  "st.global.u32 [%l2], %t;"),
              ElementsAre(HasSubstr("may overflow")));
}

}  // namespace
}  // namespace redflag::prove
