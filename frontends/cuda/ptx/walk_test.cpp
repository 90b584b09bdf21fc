#include "frontends/cuda/ptx/walk.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "frontends/cuda/ptx/testing.h"

namespace redflag::ptx {
namespace {

using ::testing::ElementsAre;

// What is visited on the way back from the instruction, over barriers or up to them.
std::vector<std::uint32_t> visited(const std::string& body, std::uint32_t at, Step at_barrier,
                                   Walked& walked) {
  const Module module = testing::parsed(testing::kernel(body));
  const Function& function = module.functions.front();
  const Cfg cfg(module, function);
  std::vector<std::uint32_t> out;
  walked = walk_back(cfg, cfg.block_of(at), at, [&](std::uint32_t i) {
    out.push_back(i);
    return function.body.instructions[i].op == Op::kBarSync ? at_barrier : Step::kOn;
  });
  std::sort(out.begin(), out.end());
  return out;
}

constexpr char kDiamond[] =
    "mov.b32 %r0, 0;\n@%p0 bra ELSE;\nbar.sync 0;\nbra.uni JOIN;\n"
    "ELSE: mov.b32 %r0, 2;\nJOIN: ret;";

TEST(WalkBack, TakesAllWays) {
  Walked walked;
  EXPECT_THAT(visited(kDiamond, 5, Step::kOn, walked), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_TRUE(walked.comes_from_begin);
  EXPECT_FALSE(walked.has_found);
}

TEST(WalkBack, WaysEnd) {
  Walked walked;
  EXPECT_THAT(visited(kDiamond, 5, Step::kOver, walked), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_TRUE(walked.comes_from_begin) << "by the other one";
  EXPECT_THAT(visited(kDiamond, 3, Step::kOver, walked), ElementsAre(2));
  EXPECT_FALSE(walked.comes_from_begin);
  visited(kDiamond, 5, Step::kFound, walked);
  EXPECT_TRUE(walked.has_found);
}

TEST(WalkBack, GoesRoundLoopsOnce) {
  Walked walked;
  // The loop begins with the function: both come before its first instruction.
  EXPECT_THAT(visited("AGAIN: mov.b32 %r0, 0;\nadd.s32 %r0, %r0, 1;\n@%p0 bra AGAIN;\nret;", 1,
                      Step::kOn, walked),
              ElementsAre(0, 0, 1, 2));
  EXPECT_TRUE(walked.comes_from_begin);
}

}  // namespace
}  // namespace redflag::ptx
