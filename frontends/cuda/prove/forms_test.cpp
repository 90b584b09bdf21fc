// Forms are compared with what the emulated GPU computes.
#include "frontends/cuda/prove/forms.h"

#include <gtest/gtest.h>

#include "frontends/cuda/emulate/testing.h"
#include "frontends/cuda/prove/testing.h"

namespace redflag::prove {
namespace {

constexpr std::uint32_t kThreads = 8, kBlocks = 3;

enum class Is { kExact, kIfChecked, kUnknown, kNumber, kWild };
constexpr std::int32_t kN = -3;
constexpr std::uint32_t kM = 11;
constexpr std::uint64_t kW = 0x1'2345'6789;

// What is known of register `reg` (%r9 or %l9) behind `body`; where it is known it is what the kernel computes.
Is known(const std::string& body, const std::string& reg) {
  const bool is_wide = reg[1] == 'l';
  const std::string text =
      testing::kernel("mul.wide.u32 %l30, %g, 8; add.s64 %l31, %a, %l30;\n" + body +
                      "\nst.global.u" + (is_wide ? "64" : "32") + " [%l31], " + reg + ";");
  const ptx::Module module = testing::parsed(text);
  const ptx::Function& function = module.functions[0];
  const ptx::Cfg cfg(module, function);
  const Loops loops(cfg);
  Proof proof;
  Forms forms(module, function, cfg, loops, proof);
  std::uint32_t at = 0;
  while (function.body.instructions[at].op != ptx::Op::kSt) ++at;
  const Form form = forms.of(function.body.instructions[at].operands()[1], at);
  if (form.is_wild) return Is::kWild;
  if (!form.is_exact) return form.pointers.empty() ? Is::kNumber : Is::kUnknown;

  cuda::testing::Gpu gpu(text);
  auto* const out = gpu.array<std::uint64_t>(std::size_t{kThreads} * kBlocks);
  const std::uint64_t a = cuda::testing::address(out), b = 0x5000;
  EXPECT_EQ(gpu.launch("k", {.grid = {kBlocks}, .block = {kThreads}}, a, b, kN, kM, kW).text, "");
  std::vector<std::byte> parameters(32);
  std::memcpy(&parameters[0], &a, 8);
  std::memcpy(&parameters[8], &b, 8);
  std::memcpy(&parameters[16], &kN, 4);
  std::memcpy(&parameters[20], &kM, 4);
  std::memcpy(&parameters[24], &kW, 8);
  Facts facts;
  facts.sizes.threads[0] = kThreads;
  facts.sizes.blocks[0] = kBlocks;
  facts.parameters = parameters;
  const auto values = evaluate(forms.terms().all(), facts);
  for (std::uint32_t i = 0; i < kThreads * kBlocks; ++i) {
    std::uint64_t sum = static_cast<std::uint64_t>(values[form.constant].value());
    for (const TermId each : form.pointers) sum += static_cast<std::uint64_t>(*values[each]);
    for (const Part& part : form.parts) {
      EXPECT_LT(part.variable, kFirstLoop);
      const std::uint32_t x = part.variable == kThread  ? i % kThreads
                              : part.variable == kBlock ? i / kThreads
                                                        : 0;
      sum += static_cast<std::uint64_t>(*values[part.by]) * x;
    }
    const std::uint64_t got = is_wide ? out[i] : static_cast<std::uint32_t>(out[i]);
    if (!is_wide) sum = static_cast<std::uint32_t>(sum);
    if (form.checks.empty()) {
      EXPECT_EQ(got, sum) << body << " of thread " << i;
    }
  }
  return form.checks.empty() ? Is::kExact : Is::kIfChecked;
}
Is narrow(const std::string& body) {
  return known(body, "%r9");
}
Is wide(const std::string& body) {
  return known(body, "%l9");
}

TEST(Forms, SumsAndProducts) {
  for (const char* each :
       {"mov.u32 %r9, %g;", "add.s32 %r9, %g, -5;", "sub.s32 %r9, %n, %t;", "neg.s32 %r9, %g;",
        "mul.lo.s32 %r9, %g, %n;", "mad.lo.u32 %r9, %m, %t, %c;", "shl.b32 %r9, %g, 3;",
        "shl.b32 %r9, %g, 31;", "shl.b32 %r9, %g, 32;", "shl.b32 %r9, %g, %m;",
        "mov.u32 %r9, %ctaid.x;", "mov.u32 %r9, %nctaid.x;", "mul.lo.s32 %r9, %g, 1073741824;"}) {
    EXPECT_EQ(narrow(each), Is::kExact) << each;
  }
  EXPECT_EQ(narrow("mul.lo.s32 %r9, %g, %t;"), Is::kNumber) << "not a sum";
  EXPECT_EQ(narrow("shl.b32 %r9, %m, %t;"), Is::kNumber);
}

TEST(Forms, WhatIsTheSameForAll) {
  for (const char* each :
       {"shr.s32 %r9, %n, 1;", "shr.u32 %r9, %n, 1;", "div.s32 %r9, %m, %n;",
        "rem.u32 %r9, %n, %m;", "min.s32 %r9, %n, %m;", "max.u32 %r9, %n, %m;",
        "and.b32 %r9, %n, 12;", "or.b32 %r9, %n, %m;", "xor.b32 %r9, %n, %m;",
        "setp.lt.s32 %p1, %n, %m; selp.b32 %r9, %n, %m, %p1;",
        "setp.lt.u32 %p1, %n, %m; selp.b32 %r9, %n, %m, %p1;",
        "setp.ge.s32 %p1, %n, %m; selp.b32 %r9, 1, 2, %p1;",
        "setp.le.s32 %p1, %n, %n; selp.b32 %r9, 1, 2, %p1;",
        "setp.gt.s32 %p1, %n, %n; selp.b32 %r9, 1, 2, %p1;",
        "setp.ne.b32 %p1, %n, %m; selp.b32 %r9, 1, 2, %p1;", "cvt.u32.u64 %r9, %w;"}) {
    EXPECT_EQ(narrow(each), Is::kExact) << each;
  }
  for (const char* each :
       {"shr.u32 %r9, %t, 1;", "and.b32 %r9, %t, 1;", "div.s32 %r9, %t, 2;",
        "setp.lt.s32 %p1, %t, 4; selp.b32 %r9, 1, 2, %p1;", "popc.b32 %r9, %t;",
        "mul.hi.s32 %r9, %t, 7;", "add.sat.s32 %r9, %t, 7;", "add.cc.s32 %r9, %t, 1;",
        "mov.u32 %r9, %laneid;", "cvt.u16.u32 %h1, %t; cvt.u32.u16 %r9, %h1;",
        "mov.b64 {%r9, %r8}, %w;", "add.u16x2 %r9, %g, %g;"}) {
    EXPECT_EQ(narrow(each), Is::kNumber) << each;
  }
}

TEST(Forms, WideOnes) {
  EXPECT_EQ(wide("mul.wide.s32 %l9, %m, %n;"), Is::kExact);
  EXPECT_EQ(wide("cvt.u64.u32 %l9, %n;"), Is::kExact) << "4294967293 for all";
  EXPECT_EQ(wide("cvt.s64.s32 %l9, %n;"), Is::kExact);
  EXPECT_EQ(wide("mul.wide.u32 %l9, %n, 4;"), Is::kExact);
  EXPECT_EQ(wide("cvt.u64.u32 %l9, %g;"), Is::kIfChecked);
  EXPECT_EQ(wide("mul.wide.s32 %l9, %g, 4;"), Is::kIfChecked);
  EXPECT_EQ(wide("mad.wide.s32 %l9, %g, 4, %a;"), Is::kIfChecked);
  EXPECT_EQ(wide("add.s64 %l9, %a, 8;"), Is::kExact);
  EXPECT_EQ(wide("ld.param.u32 %l9, [n];"), Is::kExact) << "a register may be wider";
  EXPECT_EQ(wide("ld.param.s32 %l9, [n];"), Is::kExact);
  EXPECT_EQ(wide("ld.param.u8 %l9, [n];"), Is::kExact);
  EXPECT_EQ(wide("ld.param.s16 %l9, [n];"), Is::kExact);
  EXPECT_EQ(wide("mul.lo.s64 %l9, %w, 3;"), Is::kExact);
  EXPECT_EQ(wide("shl.b64 %l9, %w, 40;"), Is::kExact);
  EXPECT_EQ(wide("shr.u64 %l9, %w, 5;"), Is::kExact);
  EXPECT_EQ(wide("cvta.to.global.u64 %l9, %a;"), Is::kExact);
  EXPECT_EQ(wide("cvt.u32.u64 %r1, %w; cvt.u64.u32 %l9, %r1;"), Is::kExact);
  EXPECT_EQ(wide("mul.wide.u32 %l1, %g, 4; cvt.u32.u64 %r1, %l1; cvt.u64.u32 %l9, %r1;"),
            Is::kIfChecked);
}

TEST(Forms, PointersAreKeptWhereTheSumIsNotKnown) {
  EXPECT_EQ(wide("popc.b32 %r1, %t; mad.wide.u32 %l9, %r1, 4, %a;"), Is::kUnknown);
  EXPECT_EQ(wide("setp.lt.s32 %p1, %t, 4; add.s64 %l1, %a, 8; selp.b64 %l9, %a, %l1, %p1;"),
            Is::kUnknown);
  EXPECT_EQ(wide("setp.lt.s32 %p1, %t, 4; selp.b64 %l9, %a, %b, %p1;"), Is::kWild);
  EXPECT_EQ(wide("and.b64 %l1, %a, -16; mul.wide.u32 %l2, %g, 4; or.b64 %l9, %l1, %l2;"),
            Is::kNumber)
      << "no pointer any more: an access through it may be of anything";
  EXPECT_EQ(wide("ld.global.u64 %l9, [%at];"), Is::kWild);
}

TEST(Forms, Differences) {
  EXPECT_EQ(narrow("not.b32 %r9, %g;"), Is::kExact);
  EXPECT_EQ(wide("not.b64 %l1, %wide; add.s64 %l9, %l1, %w;"), Is::kIfChecked);
  EXPECT_EQ(wide("sub.s64 %l9, %a, %b;"), Is::kExact);
  EXPECT_EQ(wide("sub.s64 %l1, %w, %wide; sub.s64 %l9, %l1, %b;"), Is::kIfChecked);
  EXPECT_EQ(wide("sub.s64 %l1, %a, %b; add.s64 %l9, %l1, %b;"), Is::kExact);
  EXPECT_EQ(wide("neg.s64 %l1, %w; shl.b64 %l9, %l1, 3;"), Is::kExact);
  EXPECT_EQ(wide("sub.s64 %l1, %a, %b; shr.s64 %l9, %l1, 2;"), Is::kWild)
      << "a way from one to the other, still";
  EXPECT_EQ(wide("sub.s64 %l1, %a, %b; shl.b64 %l9, %l1, 2;"), Is::kWild);
}

TEST(Forms, WhatIsNotSetOnEveryWayIsNotKnown) {
  EXPECT_EQ(narrow("setp.lt.s32 %p1, %t, 4; @%p1 mov.u32 %r9, %g;"), Is::kNumber);
  EXPECT_EQ(narrow("mov.u32 %r9, 1; setp.lt.s32 %p1, %t, 4; @%p1 mov.u32 %r9, %g;"), Is::kNumber);
  EXPECT_EQ(narrow("setp.lt.s32 %p1, %t, 4; @%p1 bra out; mov.u32 %r9, %g; out:"), Is::kNumber);
}

// Which turn was the last is not known, and need not be the same for all.
TEST(Forms, ACounterBehindItsLoopIsOfSomeTurn) {
  const std::string text =
      ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
      ".reg .pred %p1; .reg .b32 %r<9>; .reg .b64 %l<9>;\n"
      "ld.param.u64 %l0, [a]; mov.u32 %r1, 0;\n"
      "again: add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 4; @%p1 bra again;\n"
      "mul.wide.s32 %l1, %r1, 4; add.s64 %l1, %l0, %l1; st.global.u32 [%l1], %r1;\nret;\n}\n";
  const ptx::Module module = testing::parsed(text);
  const Proof proof = testing::proof_of(module);
  ASSERT_EQ(proof.accesses.size(), 1U);
  const Form& address = proof.accesses[0].address;
  EXPECT_TRUE(address.is_exact);
  ASSERT_EQ(address.parts.size(), 1U);
  EXPECT_EQ(address.parts[0].variable, kFirstLoop);
}

TEST(Forms, StructuresAsParameters) {
  const std::string text =
      ".version 8.5\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u8 x, .param .align 8 .b8 s[24], .param .u16 y, .param .s16 "
      "z)\n{\n"
      ".reg .b32 %r<9>; .reg .b64 %l<9>; .reg .b16 %h<9>;\n"
      "ld.param.u64 %l0, [s+8]; ld.param.u8 %r0, [x]; ld.param.u16 %r1, [y]; ld.param.s16 %r2, "
      "[z]; "
      "st.global.u32 [%l0], %r0; st.global.u32 [%l0], %r1; st.global.u32 [%l0], %r2;\nret;\n}\n";
  const ptx::Module module = testing::parsed(text);
  const Proof proof = testing::proof_of(module);
  ASSERT_EQ(proof.accesses.size(), 3U);
  const Term& pointer = proof.terms[proof.accesses[0].address.pointers.at(0)];
  EXPECT_EQ(pointer.op, TermOp::kParameter);
  EXPECT_EQ(pointer.value, 16) << "behind a byte, and what fills up to 8";
}

}  // namespace
}  // namespace redflag::prove
