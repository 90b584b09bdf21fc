// Which accesses may be left out when the kernel's pointers turn out to be apart, and which never.
#include "frontends/cuda/rewrite/roots.h"

#include <gtest/gtest.h>

#include "frontends/cuda/ptx/parser.h"
#include "frontends/cuda/rewrite/mentions.h"

namespace redflag::rewrite {
namespace {

std::string kernel(const std::string& body) {
  return ".version 8.5\n.target sm_90\n.address_size 64\n"
         ".global .align 8 .u64 table[4];\n.func outside() { ret; }\n"
         ".visible .entry k(.param .u64 a, .param .u64 b, .param .align 8 .b8 c[16])\n{\n"
         ".shared .align 4 .u32 ours[64];\n"
         ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %l<20>;\n"
         "ld.param.u64 %l0, [a]; ld.param.u64 %l1, [b]; ld.param.u64 %l2, [c+8];\n"
         "cvta.to.global.u64 %l3, %l0; mul.wide.s32 %l9, %r9, 4;\n" +
         body + "\nret;\n}\n";
}

struct Found {
  std::size_t left_out = 0;  // accesses, if their roots are apart
  std::size_t roots = 0;
  friend bool operator==(const Found&, const Found&) = default;
};
std::ostream& operator<<(std::ostream& to, const Found& found) {
  return to << found.left_out << " left out, " << found.roots << " roots";
}
Found found(const std::string& body) {
  const Result<ptx::Module> module = ptx::parse("test.ptx", kernel(body));
  EXPECT_TRUE(module) << (module ? "" : module.error().message);
  if (!module) return {};
  const ptx::Function& function = *module->find_function("k");
  const Mentions mentions(function);
  std::vector<Plan> plans;
  for (const ptx::Instruction& each : function.body.instructions) {
    plans.push_back(plan(*module, function, mentions, each));
  }
  const Roots roots(*module, function, plans, prune(*module, function, plans));
  Found out{0, roots.all().size()};
  for (std::uint32_t i = 0; i < plans.size(); ++i) out.left_out += roots.of(i) >= 0 ? 1 : 0;
  return out;
}

TEST(Roots, TexturesMayReadAnyMemory) {
  const std::string fetch = "tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%l2, {%r9}];";
  EXPECT_EQ(found(fetch + "ld.global.u32 %r5, [%l3]; st.global.u32 [%l1], %r5;"), (Found{1, 2}));
  EXPECT_EQ(found("red.global.add.u32 [%l3], 1;"), (Found{1, 1}));
  EXPECT_EQ(found(fetch + "red.global.add.u32 [%l3], 1;"), (Found{0, 0}));
  // No pointer leads into what a surface is over.
  EXPECT_EQ(found("sust.b.1d.b32.trap [%l2, {%r9}], {%r9}; red.global.add.u32 [%l3], 1;"),
            (Found{1, 1}));
}

TEST(Roots, LeaveOutWhatIsOnlyRead) {
  EXPECT_EQ(found("ld.global.u32 %r1, [%l3]; st.global.u32 [%l1], %r1;"), (Found{1, 2}));
  EXPECT_EQ(found("add.s64 %l4, %l3, %l9; ld.global.u32 %r1, [%l4+4]; st.u32 [%l1], %r1;"),
            (Found{1, 2}));
  // Around a loop, where the pointer moves on; of a structure; of a variable.
  EXPECT_EQ(found("mov.b64 %l4, %l3;\nagain: ld.global.u32 %r1, [%l4]; add.s64 %l4, %l4, 4; "
                  "setp.lt.u32 %p1, %r1, 9; @%p1 bra again; st.global.u32 [%l1], 1;"),
            (Found{1, 2}));
  EXPECT_EQ(found("ld.global.u32 %r1, [%l2]; st.global.u32 [%l1], %r1;"), (Found{1, 2}));
  EXPECT_EQ(found("ld.global.u32 %r1, [table]; st.global.u32 [%l1], %r1;"), (Found{1, 2}));
  EXPECT_EQ(found("mov.u64 %l4, table; add.s64 %l4, %l4, %l9; ld.global.u32 %r1, [%l4]; "
                  "st.global.u32 [%l1], %r1;"),
            (Found{1, 2}));
}

TEST(Roots, LeaveOutAtomicsOfTheDevice) {
  EXPECT_EQ(found("red.global.add.u32 [%l3], 1; st.global.u32 [%l1], 1;"), (Found{1, 2}));
  EXPECT_EQ(found("atom.global.cas.b32 %r1, [%l3], 0, 1; ld.global.u32 %r2, [%l1];"),
            (Found{2, 2}));
  EXPECT_EQ(found("red.cta.global.add.u32 [%l3], 1; st.global.u32 [%l1], 1;"), (Found{0, 0}));
  EXPECT_EQ(found("red.release.gpu.global.add.u32 [%l3], 1;"), (Found{0, 0}));
  EXPECT_EQ(found("red.global.add.u32 [%l3], 1; ld.global.u32 %r1, [%l3+4];"), (Found{0, 0}));
}

TEST(Roots, KeepWhatIsWritten) {
  EXPECT_EQ(found("ld.global.u32 %r1, [%l3]; st.global.u32 [%l3+4], %r1;"), (Found{0, 0}));
  EXPECT_EQ(found("ld.global.u32 %r1, [%l3]; st.volatile.global.u32 [%l0], %r1;"), (Found{0, 0}));
}

TEST(Roots, KeepEverythingWhereSomebodyWritesAnywhere) {
  // A pointer from memory, of halves, one of two, a difference, one that a call may have.
  EXPECT_EQ(found("ld.global.u64 %l4, [%l1]; ld.global.u32 %r1, [%l3]; st.global.u32 [%l4], %r1;"),
            (Found{0, 0}));
  EXPECT_EQ(found("mov.b64 %l4, {%r1, %r2}; ld.global.u32 %r3, [%l3]; st.global.u32 [%l4], %r3;"),
            (Found{0, 0}));
  EXPECT_EQ(
      found("selp.b64 %l4, %l0, %l1, %p1; ld.global.u32 %r1, [%l2]; st.global.u32 [%l4], %r1;"),
      (Found{0, 0}));
  EXPECT_EQ(found("sub.s64 %l4, %l0, %l1; add.s64 %l5, %l1, %l4; ld.global.u32 %r1, [%l2]; "
                  "st.global.u32 [%l5], %r1;"),
            (Found{0, 0}));
  EXPECT_EQ(found("ld.global.u32 %r1, [%l3]; call outside; st.global.u32 [%l1], %r1;"),
            (Found{0, 0}));
  EXPECT_EQ(found("and.b64 %l4, %l1, -16; ld.global.u32 %r1, [%l3]; st.global.u32 [%l4], %r1;"),
            (Found{0, 0}));
}

TEST(Roots, MayReadAnywhere) {
  EXPECT_EQ(found("ld.global.u64 %l4, [%l1]; ld.global.u32 %r1, [%l4]; st.global.u32 [%l0], %r1;"),
            (Found{1, 2}));
  // But not where only atomics are left out.
  EXPECT_EQ(
      found("ld.local.u64 %l4, [%l1]; ld.global.u32 %r1, [%l4]; red.global.add.u32 [%l0], 1;"),
      (Found{0, 0}));
}

TEST(Roots, TakeNoNoticeOfSharedMemory) {
  EXPECT_EQ(found("ld.global.u32 %r1, [%l3]; st.shared.u32 [ours], %r1;"), (Found{1, 1}));
}

}  // namespace
}  // namespace redflag::rewrite
