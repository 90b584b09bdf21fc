#include "frontends/cuda/prove/loops.h"

#include "frontends/cuda/prove/testing.h"

namespace redflag::prove {
namespace {

struct Found {
  explicit Found(const std::string& body)
      : module(testing::parsed(testing::kernel(body))),
        cfg(module, module.functions[0]),
        loops(cfg) {}
  std::uint32_t block_of(const std::string& label) const {
    for (const ptx::Label& each : module.functions[0].body.labels) {
      if (each.name == label) return ptx::raw(cfg.block_of(each.target));
    }
    ADD_FAILURE() << label;
    return 0;
  }
  // The instruction that begins so.
  std::uint32_t find(const std::string& text) const {
    const auto& all = module.functions[0].body.instructions;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      if (all[i].text.starts_with(text)) return i;
    }
    ADD_FAILURE() << text;
    return 0;
  }

  ptx::Module module;
  ptx::Cfg cfg;
  Loops loops;
};

TEST(Loops, OneWithinAnother) {
  const Found found(
      "outer: add.s32 %r1, %r1, 1;\ninner: add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, 4;\n"
      "@%p1 bra inner;\nlast: setp.lt.s32 %p2, %r1, 4; @%p2 bra outer;\nend: bar.sync 0;");
  ASSERT_EQ(found.loops.all().size(), 2U);
  const auto in = [&](const std::string& label) {
    const int loop = found.loops.innermost(found.block_of(label));
    return loop < 0 ? -1
                    : static_cast<int>(found.loops.all()[static_cast<std::size_t>(loop)].header);
  };
  EXPECT_EQ(in("outer"), static_cast<int>(found.block_of("outer")));
  EXPECT_EQ(in("inner"), static_cast<int>(found.block_of("inner")));
  EXPECT_EQ(in("last"), static_cast<int>(found.block_of("outer")));
  EXPECT_EQ(in("end"), -1);
  EXPECT_TRUE(found.loops.is_reducible());
}

TEST(Loops, TwoWaysBackAreOneLoop) {
  const Found found(
      "again: setp.lt.s32 %p1, %t, 4; @%p1 bra again;\nmore: setp.lt.s32 %p2, %t, 8; @%p2 bra "
      "again;");
  ASSERT_EQ(found.loops.all().size(), 1U);
  EXPECT_EQ(found.loops.all()[0].latches.size(), 2U);
}

TEST(Loops, AJumpIntoTheMiddleIsNotALoop) {
  const Found found(
      "setp.lt.s32 %p1, %t, 4; @%p1 bra middle;\nagain: add.s32 %r1, %r1, 1;\n"
      "middle: setp.lt.s32 %p2, %r1, 8; @%p2 bra again;");
  EXPECT_TRUE(found.loops.all().empty());
  EXPECT_FALSE(found.loops.is_reducible());
}

TEST(Loops, WhatComesLaterInATurn) {
  const Found found(
      "again: add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 4; @%p1 bra one;\nadd.s32 %r2, %r2, 1; "
      "bra both;\none: add.s32 %r3, %r3, 1;\nboth: add.s32 %r4, %r4, 1; setp.lt.s32 %p2, %r4, 8; "
      "@%p2 bra again;");
  const NaturalLoop& loop = found.loops.all().at(0);
  const auto reaches = [&](const std::string& from, const std::string& to) {
    return found.loops.reaches_in_turn(loop, found.find(from), found.find(to));
  };
  EXPECT_TRUE(reaches("add.s32 %r1", "add.s32 %r2"));
  EXPECT_TRUE(reaches("add.s32 %r2", "add.s32 %r4"));
  EXPECT_FALSE(reaches("add.s32 %r2", "add.s32 %r3"));
  EXPECT_FALSE(reaches("add.s32 %r4", "add.s32 %r1"));
  EXPECT_FALSE(reaches("add.s32 %r4", "add.s32 %r4"));
}

}  // namespace
}  // namespace redflag::prove
