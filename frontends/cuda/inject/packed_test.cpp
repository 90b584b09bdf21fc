#include "frontends/cuda/inject/packed.h"

#include <gtest/gtest.h>

#include <functional>

#include "frontends/cuda/inject/testing.h"
#include "frontends/cuda/prove/prove.h"

namespace redflag::inject {
namespace {

Code sample() {
  Code made;
  made.variables = {"counter", "table"};
  made.ptx = ".version 8.0\n";
  made.note = "a part without PTX";
  made.sites = {{}, {.frames = {{"f", "a.cu", 7, 3}, {"g", "b.cu", 9, 0}}, .text = "st.global"}};
  rewrite::Kernel kernel;
  kernel.name = "k";
  kernel.checked = true;
  kernel.sync = {.known = true, .bits = 5};
  kernel.parameters = 3;
  kernel.launch_offset = 24;
  kernel.places = {{0, 8}, {8, 8}, {16, 4}};
  made.kernels.push_back(kernel);
  rewrite::Kernel other;
  other.name = "other";
  other.why = "because";
  made.kernels.push_back(other);
  made.counts.hooks = 12;
  return made;
}

TEST(Packed, EverythingComesBack) {
  const std::optional<Code> back = unpack(pack(sample()));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->variables, sample().variables);
  EXPECT_EQ(back->ptx, ".version 8.0\n");
  EXPECT_EQ(back->note, sample().note);
  ASSERT_EQ(back->sites.size(), 2U);
  EXPECT_EQ(back->sites[1].frames, sample().sites[1].frames);
  EXPECT_EQ(back->sites[1].text, "st.global");
  ASSERT_EQ(back->kernels.size(), 2U);
  EXPECT_TRUE(back->kernels[0].checked);
  EXPECT_EQ(back->kernels[0].sync, sample().kernels[0].sync);
  EXPECT_EQ(back->kernels[0].launch_offset, 24U);
  EXPECT_EQ(back->kernels[1].why, "because");
  EXPECT_EQ(back->counts.hooks, 12U);
}

TEST(Packed, BytesThatAreCutOffOrTooManyAreNone) {
  const std::string bytes = pack(sample());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(unpack(std::string_view(bytes).substr(0, size))) << size;
  }
  EXPECT_FALSE(unpack(bytes + "x"));
}

Code proved() {
  Code made;
  static_cast<rewrite::Rewritten&>(made) = testing::rewritten_spread();
  rewrite::Kernel& kernel = made.kernels.at(0);
  kernel.lean.assign(kernel.proof.accesses.size(), false);
  kernel.lean[0] = true;
  kernel.is_lean_flat = kernel.is_lean_direct = true;
  return made;
}

TEST(Packed, AProofComesBack) {
  const Code made = proved();
  const rewrite::Kernel& kernel = made.kernels[0];
  ASSERT_TRUE(kernel.proof.is_possible);
  ASSERT_FALSE(kernel.proof.loops.empty() || kernel.proof.guards.empty() ||
               kernel.proof.variables.empty() || kernel.proof.together.empty());
  const std::optional<Code> back = unpack(pack(made));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->kernels[0].proof, kernel.proof);
  EXPECT_EQ(back->kernels[0].lean, kernel.lean);
  EXPECT_TRUE(back->kernels[0].is_lean_flat);
  EXPECT_TRUE(back->kernels[0].is_lean_direct);
  EXPECT_FALSE(back->kernels[0].is_lean_within_block);
  ASSERT_EQ(back->kernels[0].places.size(), 4U);
  EXPECT_EQ(back->kernels[0].places[3].offset, 20U);
  EXPECT_EQ(back->kernels[0].places[3].bytes, 4U);
}

TEST(Packed, AProofThatIsCutOffIsNone) {
  Code made = proved();
  made.ptx.clear();
  const std::string bytes = pack(made);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(unpack(std::string_view(bytes).substr(0, size))) << size;
  }
}

// Whatever a byte becomes: what is read is a proof that can be asked, or nothing.
TEST(Packed, BytesThatAreWrongDoNoHarm) {
  Code made = proved();
  made.ptx.clear();
  made.sites.clear();
  const std::string bytes = pack(made);
  std::vector<std::byte> parameters(made.kernels[0].launch_offset);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const char wrong : {'\1', '\2', '\x1f', '\x7f', '\xff'}) {
      std::string changed = bytes;
      changed[at] = wrong;
      const std::optional<Code> back = unpack(changed);
      if (!back || back->kernels.empty()) continue;
      const prove::Proof& proof = back->kernels[0].proof;
      (void)prove::noisy(proof, {.sizes = {}, .parameters = parameters, .variables = {}},
                         [](std::uint64_t) { return std::uint64_t{1}; });
    }
  }
}

void expect_refused(const std::function<void(rewrite::Kernel&)>& change) {
  Code made = proved();
  change(made.kernels[0]);
  EXPECT_FALSE(unpack(pack(made)));
}

TEST(Packed, NumbersOfWhatIsNotThereAreRefused) {
  using K = rewrite::Kernel;
  expect_refused([](K& k) { k.proof.terms.clear(); });
  expect_refused([](K& k) { k.proof.terms.back().a = 1000; });
  expect_refused([](K& k) { k.proof.terms.push_back({.op = prove::TermOp::kSize, .value = 6}); });
  expect_refused(
      [](K& k) { k.proof.terms.push_back({.op = prove::TermOp::kVariable, .value = 1}); });
  expect_refused([](K& k) {
    k.proof.terms.push_back({.op = prove::TermOp::kParameter, .bits = 200, .value = 0});
  });
  expect_refused([](K& k) { k.proof.terms.push_back({.op = static_cast<prove::TermOp>(99)}); });
  expect_refused([](K& k) { k.proof.accesses[0].address.constant = 1000; });
  expect_refused([](K& k) { k.proof.accesses[0].address.checks.push_back(1000); });
  expect_refused([](K& k) { k.proof.accesses[0].address.parts.push_back({1000, 0}); });
  expect_refused([](K& k) { k.proof.accesses[0].guards.push_back(1000); });
  expect_refused([](K& k) { k.proof.accesses[0].bytes = 0; });
  expect_refused([](K& k) { k.proof.accesses[0].memory = static_cast<prove::Memory>(3); });
  expect_refused([](K& k) { k.proof.guards[0].relation = static_cast<prove::Relation>(6); });
  expect_refused([](K& k) { k.proof.loops[0].bounds.push_back({.first = {}, .step = 1000}); });
  expect_refused([](K& k) { k.proof.together[0].second = 1000; });
  expect_refused([](K& k) { k.proof.together[0].ties.push_back({7, {}, {}}); });
  expect_refused([](K& k) { k.proof.is_possible = false; });
  expect_refused([](K& k) { k.lean.pop_back(); });
  expect_refused([](K& k) { k.places[1].offset = k.launch_offset; });
  expect_refused([](K& k) { k.places.pop_back(); });
}

}  // namespace
}  // namespace redflag::inject
