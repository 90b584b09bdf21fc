#include "sim/models/scord/scord_sim.h"

#include <gtest/gtest.h>

#include <array>

namespace redflag::sim {
namespace {

using gpu::StepKind;

// A kernel of blocks that stream through an array, told block by block as the emulator does.
struct Stream {
  std::uint32_t blocks = 60;
  std::uint32_t warps = 4;
  std::uint32_t rounds = 8;
  bool shares = false;  // all blocks write the first line
  std::uint32_t instructions = 4;
};

void tell(gpu::Sink& sink, const Stream& what, std::uint64_t memory = 8 << 20) {
  sink.host({.kind = gpu::HostKind::kAlloc, .address = 0x100000, .size = memory});
  gpu::Launch launch;
  launch.id = gpu::LaunchId{1};
  launch.grid = {what.blocks};
  launch.block = {what.warps * gpu::kWarp};
  sink.launch_begins(launch);
  std::array<std::uint64_t, gpu::kWarp> address{};
  gpu::Step step;
  step.size = 4;
  step.lanes = step.converged = ~0U;
  step.instructions = what.instructions;
  step.address = address.data();
  for (std::uint32_t block = 0; block < what.blocks; ++block) {
    for (std::uint32_t warp = 0; warp < what.warps; ++warp) {
      step.block = block;
      step.warp = warp;
      for (std::uint32_t round = 0; round < what.rounds; ++round) {
        const std::uint64_t line = (std::uint64_t{round} * what.blocks + block) * what.warps + warp;
        for (unsigned i = 0; i < gpu::kWarp; ++i) {
          address[i] = 0x100000 + (what.shares ? 0 : line * kGpuLineBytes) + std::uint64_t{4} * i;
        }
        step.kind = round % 2 == 0 ? StepKind::kRead : StepKind::kWrite;
        step.site = gpu::SiteId{1 + round % 2};
        sink.step(step);
      }
      step.kind = StepKind::kExit;
      sink.step(step);
    }
  }
  sink.launch_ends(launch.id);
}

ScordStats run(const Stream& what, const ScordParameters& parameters = {},
               const GpuMachine& machine = {}) {
  ScordSim sim(machine, parameters);
  tell(sim, what);
  return sim.stats();
}

TEST(ScordSim, CostsTimeAndDramAccesses) {
  const ScordStats stats = run({});
  EXPECT_GT(stats.slowdown(), 1.0);
  EXPECT_LT(stats.slowdown(), 4.0);
  EXPECT_EQ(stats.baseline.metadata.accesses, 0U);
  EXPECT_GT(stats.dram_metadata(), 0.0);
  EXPECT_GE(stats.dram_data(), 1.0);
  EXPECT_EQ(stats.steps.memory_steps, 60U * 4 * 8);
  EXPECT_EQ(stats.accesses, stats.steps.memory_steps);
  EXPECT_EQ(stats.baseline.counts.instructions, stats.detecting.counts.instructions);
  EXPECT_EQ(stats.races, 0U);
}

// Figures 8 and 9: the cache of metadata saves accesses, and time.
TEST(ScordSim, TheMetadataCacheSaves) {
  Stream wide;
  wide.rounds = 40;
  const ScordStats cached = run(wide);
  const ScordStats base = run(wide, {.metadata_cache = false});
  EXPECT_LT(cached.dram_metadata(), base.dram_metadata() / 2);
  EXPECT_LE(cached.slowdown(), base.slowdown());
  EXPECT_EQ(cached.baseline.cycles, base.baseline.cycles);
  EXPECT_NEAR(static_cast<double>(cached.metadata_bytes) / static_cast<double>(cached.memory_bytes),
              0.125, 0.001);
}

// Figure 10: without all three costs nothing is left but the packets' way.
TEST(ScordSim, CostsAddUpToTheSlowdown) {
  const ScordStats none =
      run({}, {.cost_of_hits = false, .cost_of_packets = false, .cost_of_metadata = false});
  EXPECT_NEAR(none.slowdown(), 1.0, 0.02);
  EXPECT_EQ(none.detecting.counts.request_flits, none.baseline.counts.request_flits);
  const ScordParts parts = parts_of(1.5, 1.5, 1.4, 1.1);
  EXPECT_DOUBLE_EQ(parts.hits, 0);
  EXPECT_NEAR(parts.packets, 0.2, 1e-9);
  EXPECT_NEAR(parts.metadata, 0.8, 1e-9);
  EXPECT_DOUBLE_EQ(parts_of(1, 1, 1, 1).metadata, 0);
}

TEST(ScordSim, FindsRacesAndFillsTheTables) {
  ScordSim sim(GpuMachine{}, {.tables = true});
  tell(sim, {.shares = true});
  const ScordStats stats = sim.stats();
  EXPECT_FALSE(sim.races().empty());
  EXPECT_EQ(stats.tables[0].name, "base");
  EXPECT_FALSE(stats.tables[0].sites.empty());
  EXPECT_EQ(stats.tables[1].missed, 0U);
  EXPECT_GT(stats.tables[0].metadata_bytes, 15 * stats.tables[1].metadata_bytes);
}

// A small buffer: the same work in parts, and nearly the same time.
TEST(ScordSim, StepsNeedNotAllBeKept) {
  Stream large;
  large.blocks = 1500;
  const ScordStats whole = run(large);
  GpuMachine machine;
  machine.buffer_bytes = 1 << 20;  // of five
  const ScordStats parts = run(large, {}, machine);
  EXPECT_EQ(parts.baseline.counts.transactions, whole.baseline.counts.transactions);
  EXPECT_NEAR(
      static_cast<double>(parts.baseline.cycles) / static_cast<double>(whole.baseline.cycles), 1,
      0.15);
  EXPECT_NEAR(parts.slowdown(), whole.slowdown(), 0.15);
}

TEST(ScordSim, SameStepsSameCycles) {
  EXPECT_EQ(run({}).detecting.cycles, run({}).detecting.cycles);
}

// A launch that was cut short: warps that were not told to end do so.
TEST(ScordSim, EndsWithAnUnfinishedLaunch) {
  ScordSim sim(GpuMachine{}, {});
  gpu::Launch launch;
  launch.id = gpu::LaunchId{1};
  launch.grid = {4};
  launch.block = {64};
  sim.launch_begins(launch);
  gpu::Step step;
  step.kind = StepKind::kBarrierArrive;
  step.lanes = ~0U;
  step.instructions = 3;
  sim.step(step);
  sim.launch_ends(launch.id);
  EXPECT_GT(sim.stats().baseline.cycles, 0U);
}

}  // namespace
}  // namespace redflag::sim
