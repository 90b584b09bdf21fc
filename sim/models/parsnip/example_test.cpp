// The example trace of the paper's table 2, state by state; and what would go wrong by its letter.
//
// Where the printed table and the text differ the text is taken: t2's clock at step 6 goes to entry 0
// of its table (the table prints 1).
#include <gtest/gtest.h>

#include "core/detect/testing.h"
#include "sim/models/parsnip/machine.h"

namespace redflag::sim::parsnip {
namespace {

using namespace redflag::make;

constexpr std::uint64_t kX = 0x10000;
constexpr std::uint64_t kOthers = 0x20000;  // one line for each location y
constexpr std::uint64_t kL1 = 1;
constexpr std::uint64_t kL2 = 2;
constexpr std::uint64_t kL3 = 3;

// As section 3.9 is: without epoch buffers, and threads t1, t2, t3 in slots 1, 2, 3.
class Example : public ::testing::Test {
 protected:
  Example() {
    options_.memory = &memory_;
    options_.sink = &sink_;
    ParsnipParameters parameters;
    parameters.epoch_buffers = false;
    machine_ = std::make_unique<ParsnipMachine>(CpuMachine{}, parameters, options_);
    step(fork(0, 1));
    step(fork(0, 2));
    step(fork(0, 3));
    // t3's table becomes full: clocks 1 to 15 in entries 0 to 14, each named by a location. Then
    // another thread writes the fifth of these, and t3, at clock 16, takes its entry: 4 -> (16, 1).
    for (std::uint64_t i = 0; i < 15; ++i) {
      step(write(3, kOthers + 64 * i));
      step(release(3, kL3));
    }
    step(acquire(0, kL3));
    step(write(0, kOthers + std::uint64_t{64} * 4));
    step(write(3, kOthers + std::uint64_t{64} * 20));
    EXPECT_TRUE(sink_.races.empty());
  }
  void step(const Event& e) { machine_->on_event(e, EventIndex{index_++}); }

  static Ref ref(std::uint32_t tid, bool w, bool next, std::uint32_t index) {
    return {tid, w, next, index};
  }
  Ref primary() { return machine_->primary(kX); }
  Ref secondary() { return machine_->secondary(kX); }
  std::pair<std::uint64_t, std::uint32_t> entry(std::uint32_t tid, std::uint32_t i) {
    return {machine_->table(tid).clock(i), machine_->table(tid).count(i)};
  }
  Epoch software_write() { return machine_->software(kX).write; }
  Epoch software_read() { return machine_->software(kX).read_epoch(); }

  PageResource memory_;
  RecordingSink sink_;
  DetectorOptions options_;
  std::unique_ptr<ParsnipMachine> machine_;
  std::uint64_t index_ = 0;
};

using Entry = std::pair<std::uint64_t, std::uint32_t>;

#define EXPECT_ENTRY(tid, index, clock, count) EXPECT_EQ(entry(tid, index), Entry(clock, count))

TEST_F(Example, Table2) {
  const auto t1_count = [this](std::uint32_t i) { return machine_->table(1).count(i); };
  const auto t2_count = [this](std::uint32_t i) { return machine_->table(2).count(i); };
  // Step 0.
  EXPECT_ENTRY(3, 4, 16, 1);
  EXPECT_EQ(primary(), kUnknown);
  // 1: t1 writes x.
  step(write(1, kX, 1));
  EXPECT_EQ(primary(), ref(1, true, false, 0));
  EXPECT_EQ(secondary(), kUnknown);
  EXPECT_ENTRY(1, 0, 1, 1);
  EXPECT_ENTRY(3, 4, 16, 1);
  EXPECT_FALSE(software_write());
  EXPECT_FALSE(software_read());
  // 2: and reads it in the same epoch; 3: releases l1.
  step(read(1, kX, 1));
  EXPECT_EQ(primary(), ref(1, true, false, 0));
  step(release(1, kL1));
  EXPECT_EQ(primary(), ref(1, true, false, 0));
  EXPECT_ENTRY(1, 0, 1, 1);
  // 4: reads it in a new epoch.
  step(read(1, kX, 1));
  EXPECT_EQ(primary(), ref(1, false, true, 1));
  EXPECT_EQ(secondary(), ref(1, true, false, 0));
  EXPECT_ENTRY(1, 0, 1, 1);
  EXPECT_ENTRY(1, 1, 2, 1);
  // 5, 6: t2 acquires l1 and reads, concurrently with step 4.
  step(acquire(2, kL1));
  step(read(2, kX, 1));
  EXPECT_EQ(primary(), ref(2, false, true, 0));
  EXPECT_EQ(secondary(), ref(1, true, true, 0));
  EXPECT_ENTRY(1, 0, 1, 1);
  EXPECT_EQ(t1_count(1), 0U);
  EXPECT_ENTRY(2, 0, 1, 1);
  EXPECT_FALSE(software_write());
  EXPECT_EQ(software_read(), Epoch(Slot{1}, 2));
  // 7, 8: t2 releases l1, t3 acquires it.
  step(release(2, kL1));
  step(acquire(3, kL1));
  EXPECT_EQ(primary(), ref(2, false, true, 0));
  EXPECT_EQ(secondary(), ref(1, true, true, 0));
  EXPECT_TRUE(sink_.races.empty());
  // 9: t3 writes: a race with the read of step 4, which only software knows.
  step(write(3, kX, 1));
  ASSERT_EQ(sink_.races.size(), 1U);
  EXPECT_EQ(sink_.races[0].first.thread, ThreadId{1});
  EXPECT_EQ(sink_.races[0].first.clock, 2U);
  EXPECT_EQ(sink_.races[0].first.kind, EventKind::kRead);
  EXPECT_EQ(primary(), ref(3, true, false, 4));
  EXPECT_EQ(secondary(), kUnknown);
  EXPECT_EQ(t1_count(0), 0U);
  EXPECT_EQ(t2_count(0), 0U);
  EXPECT_ENTRY(3, 4, 16, 2);
  EXPECT_FALSE(software_write());
  EXPECT_EQ(software_read(), Epoch(Slot{1}, 2)) << "obsolete, and left where it is";
  // 10, 11: t3 releases l1 and reads in a new epoch; its table is full.
  step(release(3, kL1));
  step(read(3, kX, 1));
  EXPECT_EQ(primary(), ref(3, false, true, kNoIndex));
  EXPECT_EQ(secondary(), ref(3, true, false, 4));
  EXPECT_ENTRY(3, 4, 16, 2);
  EXPECT_FALSE(software_write());
  EXPECT_EQ(software_read(), Epoch(Slot{3}, 17));
  // 12, 13: t3 releases l2 and writes.
  step(release(3, kL2));
  step(write(3, kX, 1));
  EXPECT_EQ(primary(), ref(3, true, false, kNoIndex));
  EXPECT_EQ(secondary(), kUnknown);
  EXPECT_ENTRY(3, 4, 16, 1);
  EXPECT_EQ(software_write(), Epoch(Slot{3}, 18));
  EXPECT_FALSE(software_read());
  EXPECT_EQ(sink_.races.size(), 1U);
  // 14: t2 reads: software finds the write.
  step(read(2, kX, 1));
  ASSERT_EQ(sink_.races.size(), 2U);
  EXPECT_EQ(sink_.races[1].first.thread, ThreadId{3});
  EXPECT_EQ(sink_.races[1].first.clock, 18U);
  EXPECT_EQ(sink_.races[1].first.kind, EventKind::kWrite);
  EXPECT_EQ(machine_->inconsistency(), "");
}

// Of step 13 the paper says that the Primary ref alone is enough, because it names the thread's own
// read. It is not: other threads may have read since the last write.
TEST_F(Example, AWriteAfterTheThreadsOwnReadLooksForOtherReaders) {
  step(write(1, kX));
  step(release(1, kL1));
  step(acquire(2, kL1));
  step(acquire(3, kL1));
  step(read(2, kX));
  step(read(3, kX));
  EXPECT_EQ(primary().tid(), 3U);
  EXPECT_FALSE(primary().write());
  EXPECT_TRUE(sink_.races.empty());
  step(write(3, kX));
  ASSERT_EQ(sink_.races.size(), 1U);
  EXPECT_EQ(sink_.races[0].first.thread, ThreadId{2});
  EXPECT_EQ(sink_.races[0].first.kind, EventKind::kRead);
}

}  // namespace
}  // namespace redflag::sim::parsnip
