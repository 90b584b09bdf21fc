// Which atomics of a loop are not told of again, and what is told in front of what.
#include "frontends/cuda/rewrite/spins.h"

#include <gtest/gtest.h>

#include "frontends/cuda/ptx/parser.h"

namespace redflag::rewrite {
namespace {

// A kernel's plans, and its spins.
struct Kernel {
  explicit Kernel(const std::string& body, bool ends_sequences = false) : spins(calls) {
    Result<ptx::Module> parsed = ptx::parse(
        "test.ptx",
        ".version 8.5\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n.shared .align 4 .u32 ours[64];\n"
        ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %l<20>;\n"
        "ld.param.u64 %l0, [a]; ld.param.u64 %l1, [b];\n" +
            body + "\nret;\n}\n");
    EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
    module = std::move(*parsed);
    const ptx::Function& function = module.functions[0];
    const Mentions mentions(function);
    for (const ptx::Instruction& each : function.body.instructions) {
      plans.push_back(plan(module, function, mentions, each));
    }
    verdicts.resize(plans.size());
    spins.find(module, function, plans, verdicts, ends_sequences);
    for (std::size_t i = 0; i < spins.all().size(); ++i) {
      spins.all()[i].site = std::to_string(100 + i);
      spins.all()[i].what = "7";
    }
  }
  // Instructions that are such, by what they are.
  std::vector<std::string> found() {
    std::vector<std::string> texts;
    for (const Spins::Spin& each : spins.all()) {
      const ptx::Instruction& from = module.functions[0].body.instructions[each.instruction];
      texts.emplace_back(from.text.substr(0, from.text.find(' ')));
    }
    return texts;
  }
  const Plan& plan_of(const std::string& name) const {
    const auto& all = module.functions[0].body.instructions;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].text.starts_with(name)) return plans[i];
    }
    ADD_FAILURE() << name;
    return plans[0];
  }
  std::string before(const std::string& name) {
    std::string text;
    spins.before(plan_of(name), text);
    return text;
  }

  ptx::Module module;
  std::vector<Plan> plans;
  std::vector<Verdict> verdicts;
  Calls calls{nullptr, 0};
  Spins spins;
};
std::string loop(const std::string& body) {
  return "again: " + body + " setp.eq.u32 %p1, %r1, 0; @%p1 bra again;\n";
}
std::size_t count(const std::string& in, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) ++found;
  return found;
}

using Names = std::vector<std::string>;

TEST(Spins, AreRelaxedAtomicsOfLoops) {
  EXPECT_EQ(Kernel(loop("atom.global.add.u32 %r1, [%l0], 0;")).found(),
            Names{"atom.global.add.u32"});
  EXPECT_EQ(Kernel(loop("ld.relaxed.gpu.global.u32 %r1, [%l0];")).found(),
            Names{"ld.relaxed.gpu.global.u32"});
  // Outside of a loop, or in another memory.
  EXPECT_EQ(Kernel("atom.global.add.u32 %r1, [%l0], 0;").found(), Names{});
  EXPECT_EQ(Kernel(loop("atom.shared.add.u32 %r1, [ours], 0;")).found(), Names{});
  // Weak or volatile accesses may race each time.
  EXPECT_EQ(Kernel(loop("ld.global.u32 %r1, [%l0];")).found(), Names{});
  EXPECT_EQ(Kernel(loop("ld.volatile.global.u32 %r1, [%l0];")).found(), Names{});
  // What releases publishes more each time.
  EXPECT_EQ(Kernel(loop("atom.release.gpu.global.add.u32 %r1, [%l0], 1;")).found(), Names{});
  // A store could end what the first one has published; loads publish nothing.
  EXPECT_EQ(Kernel(loop("atom.global.add.u32 %r1, [%l0], 0;"), true).found(), Names{});
  EXPECT_EQ(Kernel(loop("ld.relaxed.gpu.global.u32 %r1, [%l0];"), true).found(),
            Names{"ld.relaxed.gpu.global.u32"});
}

TEST(Spins, AreNotThoseThatComeRoundBehindAFence) {
  EXPECT_EQ(Kernel(loop("atom.global.add.u32 %r1, [%l0], 1; membar.gl;")).found(), Names{});
  EXPECT_EQ(Kernel(loop("bar.sync 0; atom.global.add.u32 %r1, [%l0], 1;")).found(), Names{});
  // Unless there is a way past it.
  EXPECT_EQ(Kernel(loop("atom.global.add.u32 %r1, [%l0], 1; setp.eq.u32 %p2, %r1, 7;"
                        "@%p2 bra past; membar.gl; past:"))
                .found(),
            Names{"atom.global.add.u32"});
  // Loads that acquire wait for each other only while each reads what it has read.
  EXPECT_EQ(
      Kernel(loop("ld.acquire.gpu.global.u32 %r1, [%l0]; ld.acquire.gpu.global.u32 %r2, [%l1];"))
          .found()
          .size(),
      2U);
}

TEST(Spins, AreLoadsThatAcquireAWholeRegister) {
  Kernel whole(loop("ld.acquire.gpu.global.u32 %r1, [%l0];"));
  ASSERT_EQ(whole.spins.all().size(), 1U);
  EXPECT_EQ(whole.spins.all()[0].acquired_bits, 32U);
  EXPECT_EQ(Kernel(loop("ld.acquire.gpu.global.u32 %l5, [%l0];")).found(), Names{});
  EXPECT_EQ(Kernel(loop("ld.acquire.gpu.global.u8 %r1, [%l0];")).found(), Names{});
  EXPECT_EQ(Kernel(loop("ld.acquire.gpu.global.v2.u32 {%r1, %r2}, [%l0];")).found(), Names{});
}

const char* const kTwo =
    "again: atom.global.add.u32 %r1, [%l0], 0; atom.global.cas.b32 %r2, [%l1], 0, 1;"
    "ld.global.u32 %r3, [%l1+8]; red.global.add.u32 [%l1+4], 1;"
    "setp.eq.u32 %p1, %r1, 0; @%p1 bra again; membar.gl; bar.sync 0;\n";

TEST(Spins, WhatWasReadIsToldInFrontOfWhatNeedsIt) {
  Kernel two(kTwo);
  ASSERT_EQ(two.spins.all().size(), 3U);
  // An access asks what is known; time goes on at fences and barriers, where all begins anew.
  EXPECT_EQ(count(two.before("ld.global"), "call.uni redflag_atomic_end"), 3U);
  EXPECT_EQ(count(two.before("ld.global"), "mov.b64 %redflag_told"), 0U);
  for (const char* const name : {"membar", "bar.sync"}) {
    const std::string text = two.before(name);
    EXPECT_EQ(count(text, "call.uni redflag_atomic_end"), 3U);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(count(text, "mov.b64 %redflag_told" + std::to_string(i) + ", 0;"), 1U);
    }
  }
  EXPECT_EQ(two.before("setp"), "");
}

TEST(Spins, AnotherAddressIsToldBehindTheLastOne) {
  Kernel two(kTwo);
  Plan poll = two.plan_of("atom.global.add");
  poll.what.bytes = 0;  // told as a signal only
  std::string before = "BEGIN\n", after = "END\n";
  two.spins.skip(two.spins.all()[0].instruction, poll, "%at", "", "%same", before, after);
  EXPECT_LT(before.find("@%same bra"), before.find("call.uni redflag_atomic_end"));
  EXPECT_LT(before.find("call.uni redflag_atomic_end"), before.find("BEGIN"));
  EXPECT_LT(before.find("BEGIN"), before.find("mov.b64 %redflag_told0, %at;"));
  EXPECT_EQ(count(before, "call.uni redflag_atomic_end"), 1U);
  EXPECT_LT(after.find("@%same bra"), after.find("END"));
  EXPECT_LT(after.find("@%same or.b32 %redflag_late, %redflag_late, 1;"), after.find("@%same bra"));
  // As an access it must know what the others have read.
  before = after = "";
  poll.what.bytes = 4;
  two.spins.skip(two.spins.all()[0].instruction, poll, "%at", "", "%same", before, after);
  EXPECT_EQ(count(before, "call.uni redflag_atomic_end"), 3U);
}

TEST(Spins, WhoAcquiresAnotherValueLooksAtWhatOthersHaveRead) {
  Kernel both(
      "again: ld.acquire.gpu.global.u32 %r1, [%l0]; atom.global.add.u32 %r2, [%l1], 0;"
      "st.global.u32 [%l1+8], 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra again;\n");
  ASSERT_EQ(both.spins.all().size(), 2U);
  std::string before, after = "END\n";
  both.spins.skip(both.spins.all()[0].instruction, both.plan_of("ld.acquire"), "%at", "%r1",
                  "%same", before, after);
  EXPECT_EQ(before, "");
  EXPECT_EQ(count(after, "setp.eq.and.b32 %same, %redflag_read0, %r1, %same;"), 1U);
  const std::size_t looks = after.find("call.uni redflag_atomic_end");
  EXPECT_LT(looks, after.find("mov.b64 %redflag_told1, 0;"));
  EXPECT_LT(after.find("mov.b64 %redflag_told1, 0;"), after.find("END"));
  EXPECT_LT(after.find("END"), after.find("mov.b32 %redflag_read0, %r1;"));
  // Whatever is told between ends it.
  EXPECT_EQ(count(both.before("st.global"), "mov.b64 %redflag_told0, 0;"), 1U);
  EXPECT_EQ(count(both.before("st.global"), "mov.b64 %redflag_told1, 0;"), 0U);
}

}  // namespace
}  // namespace redflag::rewrite
