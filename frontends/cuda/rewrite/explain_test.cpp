#include "frontends/cuda/rewrite/explain.h"

#include <gmock/gmock.h>

#include "frontends/cuda/ptx/parser.h"

namespace redflag::rewrite {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// out[(number % wrap) * stride] = number, and out[number] = number; a call.
constexpr char kModule[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry spread(.param .u64 out, .param .u64 in, .param .u32 stride)
{
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  ld.param.u32 %r1, [stride];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %ctaid.x;
  mad.lo.s32 %r5, %r4, %r3, %r2;
  mul.wide.s32 %rd3, %r5, 4;
  add.s64 %rd4, %rd2, %rd3;
  .loc 1 7 0
  ld.global.u32 %r6, [%rd4];
  mul.lo.s32 %r7, %r5, %r1;
  mul.wide.s32 %rd5, %r7, 4;
  add.s64 %rd6, %rd1, %rd5;
  .loc 1 8 0
  st.global.u32 [%rd6], %r6;
  ret;
}
.visible .entry scatter(.param .u64 out, .param .u64 in)
{
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  mov.u32 %r2, %tid.x;
  mul.wide.s32 %rd3, %r2, 4;
  add.s64 %rd4, %rd2, %rd3;
  .loc 1 17 0
  ld.global.u32 %r6, [%rd4];
  mul.wide.u32 %rd5, %r6, 4;
  add.s64 %rd6, %rd1, %rd5;
  .loc 1 18 0
  st.global.u32 [%rd6], %r6;
  ret;
}
.visible .entry partial()
{
  .loc 1 22 0
  barrier.sync 1, 32;
  ret;
}
.file 1 "k.cu"
)";

Result<std::vector<Explained>> explained(const std::string& kernel, Asked asked = {}) {
  const Result<ptx::Module> module = ptx::parse("k.ptx", kModule);
  EXPECT_TRUE(module) << (module ? "" : module.error().message);
  asked.is_wanted = [&](std::string_view name) { return name == kernel; };
  return explain(*module, asked);
}
Explained one(const std::string& kernel, Asked asked = {}) {
  Result<std::vector<Explained>> made = explained(kernel, std::move(asked));
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  EXPECT_EQ(made->size(), 1U);
  return made->front();
}
using Kind = Argument::Kind;

TEST(RewriteExplain, ATypicalLaunchIsPlain) {
  const Explained made = one("spread");
  EXPECT_EQ(made.version, Version::kPlain);
  EXPECT_EQ(made.accesses, 2U);
  EXPECT_THAT(made.doubts, IsEmpty());
  EXPECT_THAT(made.parameters, ElementsAre("buffer 1", "buffer 2", "4096"));
  EXPECT_EQ(made.block.x, 128U);
}

TEST(RewriteExplain, WhatIsAskedForCounts) {
  const Explained zero = one("spread", {.arguments = {{2, Kind::kNumber, 0}}});
  EXPECT_EQ(zero.version, Version::kFull);
  EXPECT_THAT(zero.why_full, HasSubstr("a typical launch needs none"));
  ASSERT_EQ(zero.doubts.size(), 1U);
  EXPECT_THAT(zero.doubts[0].text, HasSubstr("st.global.u32"));
  EXPECT_EQ(zero.doubts[0].where, "k.cu:8");
  EXPECT_EQ(one("spread", {.grid = gpu::Dim{1, 1, 1},
                           .block = gpu::Dim{1, 1, 1},
                           .arguments = {{2, Kind::kNumber, 0}}})
                .version,
            Version::kPlain);
  const Explained in_place =
      one("spread", {.arguments = {{1, Kind::kSame, 0}, {2, Kind::kNumber, 2}}});
  EXPECT_THAT(in_place.parameters, ElementsAre("buffer 1", "buffer 1", "2"));
  EXPECT_EQ(in_place.doubts.size(), 2U);
  EXPECT_THAT(one("spread", {.arguments = {{1, Kind::kSame, 0}, {1, Kind::kBuffer, 0}}}).doubts,
              IsEmpty());
}

TEST(RewriteExplain, LeanWhereAnIndexIsFromMemory) {
  const Explained made = one("scatter");
  EXPECT_EQ(made.version, Version::kLean);
  ASSERT_EQ(made.doubts.size(), 1U);
  EXPECT_EQ(made.doubts[0].where, "k.cu:18");
  EXPECT_THAT(made.doubts[0].why, HasSubstr("at k.cu:17"));
}

TEST(RewriteExplain, NoProof) {
  const Explained made = one("partial");
  EXPECT_EQ(made.version, Version::kFull);
  EXPECT_THAT(made.why_full, HasSubstr("barrier of only some of the block's threads"));
}

TEST(RewriteExplain, WhatCannotBeRewritten) {
  const auto said = [](const std::string& text) {
    const Result<ptx::Module> module = ptx::parse("k.ptx", ".version 8.0\n.target sm_80\n" + text);
    EXPECT_TRUE(module) << (module ? "" : module.error().message);
    const Result<std::vector<Explained>> made =
        explain(*module, {.is_wanted = [](std::string_view) { return true; }});
    return made ? "" : made.error().message;
  };
  EXPECT_THAT(said(".address_size 32\n.visible .entry k() { ret; }"),
              HasSubstr("compile for 64 bits"));
  EXPECT_THAT(
      said(".address_size 64\n.visible .entry k(.param .b8 most[4294967280], .param .u64 a, "
           ".param .u64 b, .param .u64 c) { ret; }"),
      HasSubstr("no room for one more parameter"));
}

TEST(RewriteExplain, ParametersThatAreNotThere) {
  const auto said = [](const Argument& given) {
    const Result<std::vector<Explained>> made = explained("spread", {.arguments = {given}});
    return made ? "" : made.error().message;
  };
  EXPECT_THAT(said({3, Kind::kNumber, 1}), HasSubstr("has 3 parameters, counted from 0; found 3"));
  EXPECT_THAT(said({0, Kind::kSame, 7}), HasSubstr("found 7"));
  EXPECT_THAT(said({2, Kind::kBuffer, 0}), HasSubstr("has 4 bytes; needed 8"));
}

}  // namespace
}  // namespace redflag::rewrite
