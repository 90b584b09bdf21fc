// curd finds exactly the racy bytes of ptx_model, on random kernels of the kind that it takes.
//
// Seeds 1 to 5000, lazy and eager, with searches of several lengths. The oracle is asked by CURD's
// definition: only syncs order lanes, and equal values race. A failing seed is printed;
// REDFLAG_SEED=n replays it alone, REDFLAG_SEEDS=n makes more.
#include "core/detect/gpu/curd/random_kernels.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "core/detect/gpu/curd/curd.h"
#include "core/detect/gpu/model.h"
#include "core/detect/gpu/shadow.h"
#include "core/detect/gpu/warp_clocks.h"

namespace redflag::gpu::curd {
namespace {

using Bytes = std::set<std::uint64_t>;

Bytes oracle(const RandomProgram& program, bool has_atomics) {
  // Level cuda lets a thread's plain access follow its own atomic, at that location: see
  // docs/how/gpu-detectors.md.
  const PtxModelOptions options{
      .strictness = has_atomics ? Strictness::kPtx : Strictness::kCuda,
      .convergence = Convergence::kNothing,
      .filter_same_value = false,
      .explain = false,
  };
  Model<WarpClocks, Shadow> model(options);
  Bytes out;
  model.on_access = [&](std::uint64_t address, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) out.insert(address + i);
  };
  program.run(model, [](std::size_t) {});
  return out;
}

Bytes found_by(const RandomProgram& program, bool eager, std::uint32_t searched, Counts* counts) {
  Options options;
  options.eager = eager;
  options.searched = searched;
  Bytes out;
  options.on_overlap = [&](std::uint64_t address, std::uint32_t bytes) {
    for (std::uint32_t i = 0; i < bytes; ++i) out.insert(address + i);
  };
  options.make_other = [](const OnRace&) -> std::unique_ptr<GpuDetector> {
    ADD_FAILURE() << "the kernel is one for CURD";
    return std::make_unique<PtxModel>();
  };
  Curd detector(options);
  program.run(detector, [](std::size_t) {});
  EXPECT_EQ(detector.races().empty(), out.empty());
  for (std::size_t i = 0; i < kRuleCount && counts != nullptr; ++i) {
    const Rule rule{static_cast<std::uint8_t>(i)};
    if (detector.count(rule) != 0) counts->add(rule);
  }
  return out;
}

std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(CurdRandom, ExactlyTheOraclesBytes) {
  const std::uint64_t one = number("REDFLAG_SEED", 0);
  const std::uint64_t to = one != 0 ? one : number("REDFLAG_SEEDS", 5000);
  std::size_t racy = 0, clean = 0;
  Counts counts;
  for (std::uint64_t seed = one != 0 ? one : 1; seed <= to; ++seed) {
    const RandomKernel kernel(seed);
    const RandomProgram program = kernel.program();
    const Bytes expected = oracle(program, kernel.has_atomics());
    (expected.empty() ? clean : racy) += 1;
    for (const bool eager : {false, true}) {
      const std::uint32_t searched = seed % 7 == 0 ? 1 : seed % 7 == 1 ? 64 : 4;
      const Bytes found = found_by(program, eager, searched, &counts);
      for (const std::uint64_t byte : expected) {
        ASSERT_TRUE(found.contains(byte))
            << "REDFLAG_SEED=" << seed << (eager ? " eager" : " lazy") << ": byte " << std::hex
            << byte << " races and is not found\n"
            << program.text();
      }
      for (const std::uint64_t byte : found) {
        ASSERT_TRUE(expected.contains(byte))
            << "REDFLAG_SEED=" << seed << (eager ? " eager" : " lazy") << ": byte " << std::hex
            << byte << " is reported and does not race\n"
            << program.text();
      }
    }
  }
  if (one != 0) return;
  EXPECT_GT(racy, to / 5);
  EXPECT_GT(clean, to / 5);
  // Every row of the table decides somewhere, but for kernels of the other detector.
  for (const RuleRow<Rule>& row : kRules) {
    if (row.rule == Rule::kNotChosen) continue;
    EXPECT_GT(counts.of(row.rule), 0U) << row.name;
  }
}

}  // namespace
}  // namespace redflag::gpu::curd
