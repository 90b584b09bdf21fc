// The machines side by side: what a run counts, and that every switch can be measured.
#include "sim/models/parsnip/sim.h"

#include <gtest/gtest.h>

#include "core/detect/testing.h"
#include "core/generate/workload.h"

namespace redflag::sim::parsnip {
namespace {

using namespace redflag::make;

struct Result {
  ParsnipStats stats;
  std::size_t bytes = 0;
};

Result simulate(Profile profile, const ParsnipParameters& parameters,
                WithRadish radish = WithRadish::kNo, std::uint64_t events = 200'000) {
  PageResource memory;
  RecordingSink sink;
  DetectorOptions options;
  options.memory = &memory;
  options.sink = &sink;
  ParsnipSim sim(CpuMachine{}, parameters, options, radish);
  Workload workload({.profile = profile, .events = events, .threads = 8, .working_set = 1 << 20});
  std::vector<Event> batch(4096);
  while (const std::size_t n = workload.fill(batch)) {
    for (std::size_t i = 0; i < n; ++i) sim.on_event(batch[i]);
  }
  EXPECT_TRUE(sink.races.empty());
  EXPECT_EQ(sim.machine().inconsistency(), "");
  return {sim.stats(), memory.bytes_in_use()};
}

TEST(ParsnipSim, TheBaselineHasNoChecks) {
  PageResource memory;
  RecordingSink sink;
  DetectorOptions options;
  options.memory = &memory;
  options.sink = &sink;
  ParsnipParameters parameters;
  parameters.instructions_per_access = 5;
  ParsnipSim sim(CpuMachine{}, parameters, options);
  sim.on_event(write(0, 0x1000));
  sim.on_event(write(0, 0x1008));
  const ParsnipStats s = sim.stats();
  EXPECT_EQ(s.instructions, 10U);
  EXPECT_EQ(s.baseline_cycles, 120U + 1 + 2 * 4);
  EXPECT_EQ(s.accesses, 2U);
  EXPECT_GT(s.slowdown(), 1.0);
}

TEST(ParsnipSim, CountsAddUp) {
  for (const Profile profile : {Profile::kHighRedundancy, Profile::kLowRedundancy}) {
    const ParsnipStats s = simulate(profile, {}).stats;
    std::uint64_t resolved = 0;
    for (const std::uint64_t n : s.resolved_by) resolved += n;
    EXPECT_EQ(resolved, s.checks);
    EXPECT_GE(s.checks, s.accesses);
    std::uint64_t extra = 0;
    for (const std::uint64_t n : s.cycles) extra += n;
    // What is left are data accesses that take longer, because metadata is in the caches too.
    EXPECT_GE(s.parsnip_cycles, s.baseline_cycles + extra);
    EXPECT_LT(s.parsnip_cycles - s.baseline_cycles - extra, s.baseline_cycles);
    EXPECT_GE(s.software_checks, s.missing_lines);
    EXPECT_GE(s.buffered, s.coalesced);
  }
}

TEST(ParsnipSim, EveryOptimisationIsMeasurable) {
  const std::uint64_t all = simulate(Profile::kLowRedundancy, {}).stats.parsnip_cycles;
  ParsnipParameters p;
  p.epoch_buffers = false;
  EXPECT_GT(simulate(Profile::kLowRedundancy, p).stats.parsnip_cycles, all * 5 / 4);
  p = {};
  p.prefetch = false;
  EXPECT_GT(simulate(Profile::kLowRedundancy, p).stats.parsnip_cycles, all);
  // Where lines often come back from software, what they are filled with matters.
  p = {};
  p.residence = Residence::kL1;
  const ParsnipStats l1 = simulate(Profile::kHighRedundancy, p).stats;
  EXPECT_GT(l1.evictions, 0U);
  p.speculation = false;
  EXPECT_GT(simulate(Profile::kHighRedundancy, p).stats.parsnip_cycles, l1.parsnip_cycles);
}

TEST(ParsnipSim, RadishIsSlower) {
  const ParsnipStats per_byte = simulate(Profile::kHighRedundancy, {}, WithRadish::kPerByte).stats;
  const ParsnipStats type_safe =
      simulate(Profile::kHighRedundancy, {}, WithRadish::kTypeSafe).stats;
  EXPECT_GT(per_byte.radish_slowdown(), per_byte.slowdown());
  EXPECT_GT(per_byte.radish_slowdown(), type_safe.radish_slowdown());
  EXPECT_EQ(per_byte.parsnip_cycles, type_safe.parsnip_cycles);
}

TEST(ParsnipSim, MemoryIsBoundedByTheWorkingSet) {
  const std::size_t shorter =
      simulate(Profile::kHighRedundancy, {}, WithRadish::kNo, 400'000).bytes;
  const std::size_t longer =
      simulate(Profile::kHighRedundancy, {}, WithRadish::kNo, 1'600'000).bytes;
  EXPECT_LT(longer, shorter + shorter / 4);
}

ParsnipStats stats_of(const std::vector<Event>& events, const ParsnipParameters& parameters = {}) {
  PageResource memory;
  RecordingSink nobody;
  ParsnipSim sim(CpuMachine{}, parameters, {.memory = &memory, .sink = &nobody});
  for (const Event& e : events) sim.on_event(e);
  return sim.stats();
}

// Section 5: what lies on a stack is its thread's own. The first event of a thread says where it is.
TEST(ParsnipSim, StacksAreNotChecked) {
  const std::vector<Event> events{alloc(0, 0x10000, 0x1000), fork(0, 1),
                                  alloc(1, 0x20000, 0x1000), write(0, 0x10008, 8),
                                  write(1, 0x20ff8, 8),      write(1, 0x10010, 8),
                                  write(1, 0x21000, 8),      alloc(1, 0x30000, 64),
                                  write(1, 0x30000, 8)};
  const ParsnipStats s = stats_of(events);
  EXPECT_EQ(s.unchecked, 3U);
  EXPECT_EQ(s.checks, 2U);
  ParsnipParameters p;
  p.check_stacks = true;
  EXPECT_EQ(stats_of(events, p).checks, 5U);
}

// Threads without a stack that is known, as in a trace written by hand; and one that takes the place of
// another's.
TEST(ParsnipSim, StacksComeAndGo) {
  EXPECT_EQ(
      stats_of({write(0, 0x10008, 8), alloc(0, 0x10000, 0x1000), write(0, 0x10008, 8)}).checks, 2U);
  const ParsnipStats s = stats_of({alloc(0, 0x10000, 0x1000), fork(0, 1), alloc(1, 0x20000, 0x1000),
                                   end(1), join(0, 1), fork(0, 2), alloc(2, 0x20800, 0x400),
                                   write(2, 0x20800, 8), write(2, 0x20000, 8)});
  EXPECT_EQ(s.unchecked, 1U);
  EXPECT_EQ(s.checks, 1U);
}

// What the trace says counts, the accesses in it; a second access of one instruction is none of its own.
TEST(ParsnipSim, InstructionsAreTheTracesWork) {
  const ParsnipStats counted =
      stats_of({work(0, 10), read(0, 0x1000, 8), write(0, 0x1000, 8), work(0, 5), acquire(0, 1),
                work(0, 1), read(0, 0x1000, 8)});
  EXPECT_EQ(counted.instructions, 16U);
  const ParsnipStats bare = stats_of({work(0, 1), read(0, 0x1000, 8), write(0, 0x1000, 8),
                                      acquire(0, 1), work(0, 1), read(0, 0x1000, 8)});
  EXPECT_EQ(bare.instructions, 2U);
  EXPECT_EQ(counted.baseline_cycles - bare.baseline_cycles, 14U);
}

TEST(ParsnipSim, WithoutWorkEachAccessStandsForSome) {
  const std::uint64_t each = ParsnipParameters{}.instructions_per_access;
  const ParsnipStats s = stats_of({read(0, 0x1000, 8), acquire(0, 1), write(0, 0x1000, 8)});
  EXPECT_EQ(s.instructions, 2 * each);
}

}  // namespace
}  // namespace redflag::sim::parsnip
