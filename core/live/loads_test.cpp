// Loads without a lock say "nothing new" only where that is so.
#include "core/live/loads.h"

#include <gtest/gtest.h>

#include "core/live/rig.h"

namespace redflag::live {
namespace {

class Loads : public testing::Test {
 protected:
  void operate(Thread& t, AtomicOp op, MemoryOrder order, std::uint64_t addr = kMemory) {
    LockedRecords records;
    rig_->atomic_begin(t, addr, 4, records);
    rig_->atomic_end(t, addr, 4, op, order, 0x2000, 0, records);
  }
  // And whether the value was loaded.
  bool is_nothing_new(Thread& t, std::uint64_t addr = kMemory, unsigned size = 4) {
    int loads = 0;
    const bool nothing = rig_->load_teaches_nothing(t, addr, size, [&] { ++loads; });
    EXPECT_TRUE(loads == 1 || !nothing);
    return nothing;
  }

  Rig rig_;
  Thread& a_ = rig_.thread(0);
  Thread& b_ = rig_.thread(1, &a_);
};

TEST_F(Loads, NothingWasPublished) {
  EXPECT_TRUE(is_nothing_new(b_));
  EXPECT_TRUE(rig_->has_no_record(b_, kMemory, 4));
  rig_->range(a_, kMemory, 4, LogKind::kWrite, 0x2000);  // a plain write is not
  EXPECT_TRUE(is_nothing_new(b_));
}

TEST_F(Loads, AReleaseIsNewsOnce) {
  operate(a_, AtomicOp::kStore, MemoryOrder::kRelease);
  EXPECT_FALSE(is_nothing_new(b_));
  EXPECT_FALSE(rig_->has_no_record(b_, kMemory, 4));
  EXPECT_TRUE(is_nothing_new(a_));  // its own
  operate(b_, AtomicOp::kLoad, MemoryOrder::kAcquire);
  EXPECT_TRUE(is_nothing_new(b_));
  operate(a_, AtomicOp::kStore, MemoryOrder::kRelease);
  EXPECT_FALSE(is_nothing_new(b_));
}

TEST_F(Loads, ARelaxedStorePublishesNothing) {
  operate(a_, AtomicOp::kStore, MemoryOrder::kRelease);
  operate(a_, AtomicOp::kStore, MemoryOrder::kRelaxed);
  EXPECT_TRUE(is_nothing_new(b_));
}

TEST_F(Loads, WhoeverHasTheLockIsWaitedFor) {
  operate(a_, AtomicOp::kStore, MemoryOrder::kRelaxed);
  EXPECT_TRUE(is_nothing_new(b_));
  LockedRecords records;
  rig_->atomic_begin(a_, kMemory, 4, records);
  EXPECT_FALSE(is_nothing_new(b_));
  rig_->atomic_end(a_, kMemory, 4, AtomicOp::kStore, MemoryOrder::kRelaxed, 0x2000, 0, records);
  EXPECT_TRUE(is_nothing_new(b_));
}

TEST_F(Loads, SomebodyElseInTheMiddleIsNoticed) {
  operate(a_, AtomicOp::kStore, MemoryOrder::kRelaxed);
  EXPECT_FALSE(rig_->load_teaches_nothing(
      b_, kMemory, 4, [&] { operate(a_, AtomicOp::kStore, MemoryOrder::kRelaxed); }));
  // Where there was no record: one has been made since.
  const std::uint64_t other = kMemory + 64;
  EXPECT_FALSE(rig_->load_teaches_nothing(
      b_, other, 4, [&] { operate(a_, AtomicOp::kStore, MemoryOrder::kRelease, other); }));
}

TEST_F(Loads, OtherBytesThanTheRecords) {
  operate(a_, AtomicOp::kStore, MemoryOrder::kRelaxed);
  EXPECT_FALSE(is_nothing_new(b_, kMemory, 8));
  EXPECT_FALSE(is_nothing_new(b_, kMemory, 2));
  EXPECT_FALSE(is_nothing_new(b_, kMemory + 6, 4));  // two granules
}

}  // namespace
}  // namespace redflag::live
