// The machine by hand: what asks whom, what it costs, and what each switch changes.
#include "sim/models/parsnip/machine.h"

#include <gtest/gtest.h>

#include "core/detect/testing.h"

namespace redflag::sim::parsnip {
namespace {

using namespace redflag::make;

constexpr std::uint64_t kA = 0x10000;  // the first byte of a line
constexpr std::uint64_t kLock = 1;

class Rig {
 public:
  explicit Rig(const ParsnipParameters& parameters = {}, const CpuMachine& machine = {}) {
    DetectorOptions options;
    options.memory = &memory_;
    options.sink = &sink_;
    machine_ = std::make_unique<ParsnipMachine>(machine, parameters, options);
  }
  Rig& run(std::initializer_list<Event> events) {
    for (const Event& e : events) machine_->on_event(e, EventIndex{index_++});
    EXPECT_EQ(machine_->inconsistency(), "");
    return *this;
  }
  ParsnipMachine& machine() { return *machine_; }
  ParsnipStats stats() { return machine_->stats_so_far(); }
  std::uint64_t by(Source s) { return stats().resolved_by[static_cast<std::size_t>(s)]; }
  std::uint64_t spent(Cost c) { return stats().cycles[static_cast<std::size_t>(c)]; }
  const std::vector<Race>& races() const { return sink_.races; }

 private:
  PageResource memory_;
  RecordingSink sink_;
  std::unique_ptr<ParsnipMachine> machine_;
  std::uint64_t index_ = 0;
};

CpuMachine tiny() {
  CpuMachine m;
  m.cores = 2;
  m.l1_bytes = 256;
  m.l1_ways = 2;
  m.l2_bytes = 512;
  m.l2_ways = 2;
  m.l3_bytes = 1024;
  m.l3_ways = 4;
  return m;
}

TEST(ParsnipMachine, MetadataHasOtherSetsThanItsData) {
  for (std::uint64_t line : {0UL, 63UL, 0x12345UL}) {
    EXPECT_NE(primary_address(line) / 64 % 64, line % 64);
    EXPECT_NE(secondary_address(line) / 64 % 64, line % 64);
    EXPECT_NE(secondary_address(line) / 64 % 64, primary_address(line) / 64 % 64);
    EXPECT_EQ(line_of_metadata(primary_address(line)), line);
    EXPECT_EQ(line_of_metadata(secondary_address(line)), line);
  }
}

// Cold: 120 for the data; 35 to find that the refs are nowhere, 500 for software, 120 for its own
// data. Warm, in the same epoch: 1 for the data, 1 for the table.
TEST(ParsnipMachine, CyclesOfTheFirstAndTheSecondAccess) {
  Rig rig;
  rig.run({write(0, kA)});
  EXPECT_EQ(rig.machine().total_cycles(), 120U + 35 + 500 + 120);
  EXPECT_EQ(rig.spent(Cost::kMissingRefs), 35U + 500 + 120);
  EXPECT_EQ(rig.by(Source::kSoftware), 1U);
  rig.run({write(0, kA)});
  EXPECT_EQ(rig.machine().total_cycles(), 120U + 35 + 500 + 120 + 1 + 1);
  EXPECT_EQ(rig.by(Source::kLocalTable), 1U);
  EXPECT_EQ(rig.spent(Cost::kLocalTable), 1U);
}

TEST(ParsnipMachine, AnotherThreadsClockIsInItsTable) {
  Rig rig;
  rig.run({write(0, kA), fork(0, 1), read(1, kA)});
  EXPECT_EQ(rig.by(Source::kRemoteTable), 1U);
  EXPECT_EQ(rig.spent(Cost::kRemoteTable), 10U);
  EXPECT_EQ(rig.stats().software_checks, 1U);
  EXPECT_TRUE(rig.races().empty());
  rig.run({write(0, kA)});
  ASSERT_EQ(rig.races().size(), 1U);
  EXPECT_EQ(rig.races()[0].first.kind, EventKind::kRead);
}

// One software check, and the whole line is known.
TEST(ParsnipMachine, PrefetchAndSpeculation) {
  const auto sweep = [](const ParsnipParameters& p, bool second_pass) {
    Rig rig(p);
    for (std::uint64_t i = 0; i < 8; ++i) rig.run({write(0, kA + 8 * i)});
    // Another thread, ordered after; its first read asks a table, as nothing is missing.
    if (second_pass) {
      rig.run({fork(0, 1)});
      for (std::uint64_t i = 0; i < 8; ++i) rig.run({read(1, kA + 8 * i)});
    }
    EXPECT_TRUE(rig.races().empty());
    return rig.stats().software_checks;
  };
  EXPECT_EQ(sweep({}, false), 1U);
  EXPECT_EQ(sweep({}, true), 1U);
  ParsnipParameters without;
  without.prefetch = false;
  EXPECT_EQ(sweep(without, false), 8U);
  ParsnipParameters by_history;
  by_history.speculation = false;
  EXPECT_EQ(sweep(by_history, false), 1U) << "bytes without a history are known to have none";
}

// What speculation is for: a line that another thread wrote, and that comes back from software.
TEST(ParsnipMachine, SpeculationPredictsTheNextReadsOfALine) {
  for (const bool speculation : {true, false}) {
    ParsnipParameters p;
    p.speculation = speculation;
    p.table_entries = 1;
    p.epoch_buffers = false;
    Rig rig(p);
    rig.run({write(0, kA + 4096), release(0, kLock)});  // takes the only entry
    for (std::uint64_t i = 0; i < 8; ++i) rig.run({write(0, kA + 8 * i)});
    rig.run({fork(0, 1)});
    const std::uint64_t before = rig.stats().software_checks;
    for (std::uint64_t i = 0; i < 8; ++i) rig.run({read(1, kA + 8 * i)});
    EXPECT_EQ(rig.stats().software_checks - before, speculation ? 1U : 8U);
    // A wrong prediction changes nothing: thread 2 does not know the writes.
    rig.run({fork(1, 2), write(0, kA)});
    EXPECT_EQ(rig.races().size(), 1U);
  }
}

TEST(ParsnipMachine, RejectedEpochsWaitInBuffersAndAreFoundThere) {
  ParsnipParameters p;
  p.table_entries = 1;
  Rig rig(p);
  rig.run({write(0, kA + 4096), release(0, kLock), write(0, kA), release(0, kLock), write(0, kA)});
  EXPECT_EQ(rig.stats().rejections, 2U);
  EXPECT_EQ(rig.stats().buffered, 2U);
  EXPECT_EQ(rig.stats().coalesced, 1U);
  EXPECT_EQ(rig.machine().primary(kA), Ref(0, true, false, kNoIndex));
  rig.run({fork(0, 1), read(1, kA)});
  EXPECT_EQ(rig.by(Source::kBuffer), 1U);
  EXPECT_EQ(rig.stats().drains, 0U);
  EXPECT_TRUE(rig.races().empty());
}

TEST(ParsnipMachine, AFullBufferIsDrained) {
  ParsnipParameters p;
  p.table_entries = 1;
  Rig rig(p);
  rig.run({write(0, kA + 65536), release(0, kLock)});
  for (std::uint64_t i = 0; i < 33; ++i) rig.run({write(0, kA + 64 * i)});
  EXPECT_EQ(rig.stats().drains, 1U);
  EXPECT_GE(rig.spent(Cost::kDrain), 500U);
  EXPECT_EQ(rig.machine().software(kA).write, Epoch(Slot{0}, 2));
}

// Twenty threads, each with its own byte of a line: Short refs, clocks in software.
TEST(ParsnipMachine, ManyThreadsInOneLineNeedShortRefs) {
  Rig rig;
  for (std::uint32_t t = 1; t <= 20; ++t) rig.run({fork(0, t)});
  for (std::uint32_t t = 1; t <= 20; ++t) rig.run({write(t, kA + t, 1)});
  EXPECT_GE(rig.stats().to_one_to_one, 1U);
  for (std::uint32_t t = 1; t <= 20; ++t) {
    EXPECT_EQ(rig.machine().primary(kA + t), Ref(t, true, false, kNoIndex)) << t;
  }
  EXPECT_TRUE(rig.races().empty());
  rig.run({read(1, kA + 1, 1)});
  EXPECT_TRUE(rig.races().empty());
  for (std::uint32_t t = 2; t <= 20; ++t) rig.run({read(1, kA + t, 1)});
  EXPECT_EQ(rig.races().size(), 19U);
}

TEST(ParsnipMachine, LinesThatLeaveAreSavedAndFoundAgain) {
  Rig rig({}, tiny());
  rig.run({write(0, kA), fork(0, 1)});
  for (std::uint64_t i = 1; i < 64; ++i) rig.run({read(0, kA + 64 * i)});
  EXPECT_GT(rig.stats().evictions, 0U);
  EXPECT_GE(rig.spent(Cost::kEviction), 500U);
  EXPECT_EQ(rig.machine().primary(kA), kUnknown);
  EXPECT_EQ(rig.machine().software(kA).write, Epoch(Slot{0}, 1));
  rig.run({read(1, kA)});
  EXPECT_TRUE(rig.races().empty());
  rig.run({write(0, kA)});
  EXPECT_EQ(rig.races().size(), 1U);
}

// Lines leave L1 long before they leave the last level.
TEST(ParsnipMachine, ResidenceInL1) {
  for (const Residence where : {Residence::kL1, Residence::kLlc}) {
    ParsnipParameters p;
    p.residence = where;
    Rig rig(p);
    for (std::uint64_t i = 0; i < 1024; ++i) rig.run({write(0, kA + 64 * i)});
    EXPECT_EQ(rig.stats().evictions != 0, where == Residence::kL1);
  }
}

TEST(ParsnipMachine, ThreadsThatShareACoreAreSavedAndRestored) {
  CpuMachine machine;
  machine.cores = 2;
  Rig rig({}, machine);
  rig.run({write(0, kA), fork(0, 1), fork(0, 2)});
  EXPECT_EQ(rig.stats().context_switches, 0U);
  rig.run({read(2, kA)});  // slot 2 on core 0: thread 0 has to leave, and its table with it
  EXPECT_EQ(rig.stats().context_switches, 1U);
  EXPECT_EQ(rig.by(Source::kRemoteTable), 0U);
  EXPECT_EQ(rig.stats().software_checks, 2U);
  EXPECT_GT(rig.spent(Cost::kContextSwitch), 0U);
  EXPECT_TRUE(rig.races().empty());
}

TEST(ParsnipMachine, ThreadsThatRefsCannotNameAreCheckedInSoftware) {
  ParsnipParameters p;
  p.threads = 1;
  Rig rig(p);
  rig.run({fork(0, 1), write(1, kA), write(0, kA)});
  EXPECT_EQ(rig.stats().unnamed_checks, 1U);
  EXPECT_EQ(rig.races().size(), 1U);
}

TEST(ParsnipMachine, AllocatedMemoryIsNew) {
  Rig rig;
  rig.run({fork(0, 1), write(1, kA), alloc(0, kA, 64), write(0, kA)});
  EXPECT_TRUE(rig.races().empty());
  EXPECT_EQ(rig.stats().software_checks, 1U) << "a new byte is known to have no history";
}

TEST(ParsnipMachine, ParametersThatCannotBe) {
  ParsnipParameters p;
  EXPECT_EQ(p.fault(), "");
  p.table_entries = 16;
  EXPECT_NE(p.fault(), "");
}

}  // namespace
}  // namespace redflag::sim::parsnip
