// barracuda against ptx_model on random kernels: the same bytes race, and each first at the same step.
//
// Seeds 1 to 5000, each program launch by launch, against the model with lanes in lockstep. What the
// dissertation defines otherwise is taken out of the programs (scopes are made wide) or switched off
// (stores that release), not explained away; with these left in, barracuda must lie between the
// model and the model with all scopes wide. The programs are changed in two ways: branches get a place
// where their paths meet, and some plain accesses are of memory that has atomics. REDFLAG_SEED=n replays one seed and prints it,
// REDFLAG_SEEDS=n makes more.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "core/detect/gpu/barracuda/barracuda.h"
#include "core/detect/gpu/judge.h"
#include "core/detect/gpu/random_changes.h"
#include "core/detect/gpu/random_steps.h"

namespace redflag::gpu::barracuda {
namespace {

using First = std::map<std::uint64_t, std::size_t>;  // byte to the first step that races there

First of_model(const RandomProgram& program) {
  Model<WarpClocks, Shadow> model({.convergence = Convergence::kLockstep, .explain = false});
  First out;
  std::size_t index = 0;
  model.on_access = [&](std::uint64_t address, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) out.emplace(address + i, index);
  };
  program.run(model, [&](std::size_t step) { index = step; });
  return out;
}

First of_barracuda(const RandomProgram& program, Options options) {
  First out;
  std::size_t index = 0;
  options.on_access = [&](std::uint64_t address, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) out.emplace(address + i, index);
  };
  Barracuda detector(options);
  program.run(detector, [&](std::size_t step) { index = step; });
  return out;
}

// All scopes are the device's: of these the paper and the model say the same.
RandomProgram widened(const RandomProgram& program) {
  std::vector<Item> items = program.items();
  for (Item& item : items) {
    if (item.step.scope != Scope::kSystem) item.step.scope = Scope::kDevice;
  }
  return RandomProgram(std::move(items));
}

std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

template <typename F>
void each_launch(F f) {
  const std::uint64_t one = number("REDFLAG_SEED", 0);
  const std::uint64_t to = one != 0 ? one : number("REDFLAG_SEEDS", 5000);
  for (std::uint64_t seed = one != 0 ? one : 1; seed <= to; ++seed) {
    const auto style = seed % 2 == 0 ? RandomProgram::Style::kAll : RandomProgram::Style::kPapers;
    for (const RandomProgram& launch : launches_of(RandomProgram(seed, style))) {
      f(seed, changed(launch, seed));
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

// `inner` has no byte that `outer` has not, and none later.
std::string beyond(const First& inner, const First& outer, bool same_step) {
  for (const auto& [byte, step] : inner) {
    const auto found = outer.find(byte);
    const bool there = found != outer.end();
    if (there && (!same_step || found->second == step)) continue;
    std::ostringstream out;
    out << "byte " << std::hex << byte << std::dec << " races at step " << step;
    if (there) out << ", and there at step " << found->second;
    return out.str();
  }
  return {};
}

class Counted {
 public:
  void add(const First& first) { ++(first.empty() ? clean_ : racy_); }
  // A generator that only makes one kind would prove little.
  void expect(std::size_t racy, std::size_t clean) const {
    if (::testing::Test::HasFatalFailure() || number("REDFLAG_SEED", 0) != 0) return;
    if (number("REDFLAG_SEEDS", 5000) < 5000) return;
    EXPECT_GT(racy_, racy);
    EXPECT_GT(clean_, clean);
  }

 private:
  std::size_t racy_ = 0;
  std::size_t clean_ = 0;
};

void expect_same(std::uint64_t seed, const RandomProgram& program, const First& model) {
  const First ours = of_barracuda(program, {.stores_release = false});
  const std::string missed = beyond(model, ours, true);
  const std::string invented = beyond(ours, model, true);
  ASSERT_TRUE(missed.empty() && invented.empty())
      << "REDFLAG_SEED=" << seed << ": missed: " << missed << "; invented: " << invented << "\n"
      << program.text();
}

TEST(BarracudaDifferential, WideScopes) {
  Counted counted;
  each_launch([&](std::uint64_t seed, const RandomProgram& launch) {
    const RandomProgram program = widened(launch);
    const First model = of_model(program);
    counted.add(model);
    expect_same(seed, program, model);
  });
  counted.expect(3000, 500);
}

// In one block all scopes reach.
TEST(BarracudaDifferential, OneBlock) {
  Counted counted;
  each_launch([&](std::uint64_t seed, const RandomProgram& launch) {
    if (launch.items().front().launch.grid.count() != 1) return;
    const First model = of_model(launch);
    counted.add(model);
    expect_same(seed, launch, model);
  });
  counted.expect(500, 200);
}

// Of two scopes the paper asks for one that reaches, the model for both: so what races with wide
// scopes is found, and what does not race with the scopes as they are is not reported. A store that
// releases only takes races away.
TEST(BarracudaDifferential, ScopesAsTheyAre) {
  std::size_t between = 0;
  std::size_t signals = 0;
  each_launch([&](std::uint64_t seed, const RandomProgram& launch) {
    const First model = of_model(launch);
    const First wide = of_model(widened(launch));
    const First ours = of_barracuda(launch, {.stores_release = false});
    const First paper = of_barracuda(launch, {});
    const std::string missed = beyond(wide, ours, false);
    const std::string invented = beyond(ours, model, false);
    const std::string signalled = beyond(paper, ours, false);
    ASSERT_TRUE(missed.empty() && invented.empty() && signalled.empty())
        << "REDFLAG_SEED=" << seed << ": missed: " << missed << "; invented: " << invented
        << "; by signals: " << signalled << "\n"
        << launch.text();
    between += ours.size() != model.size() ? 1 : 0;
    signals += paper.size() != ours.size() ? 1 : 0;
  });
  if (HasFatalFailure() || number("REDFLAG_SEED", 0) != 0) return;
  EXPECT_GT(between, 10U) << "scopes made no difference";
  EXPECT_GT(signals, 10U) << "stores behind fences made no difference";
}

}  // namespace
}  // namespace redflag::gpu::barracuda
