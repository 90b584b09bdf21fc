// Sweeps: handles of epochs come back when no cell names them, and what cells still name is kept.
#include <gtest/gtest.h>

#include "core/live/rig.h"

namespace redflag::live {
namespace {

// Each turn is an epoch of its own, stamped into a cell, as the runtime does it: nearly all steps are
// usual, and sweeps must come all the same.
void one_epoch(Detector& d, Thread& t, std::uint64_t addr) {
  if (!d.check_usual<true>(t, addr, 8, 1)) d.access(t, addr, 8, true, 1);
  d.release(t, kLocks + t.number * 64, true);
}

TEST(Sweep, EpochsThatNothingNamesComeBack) {
  Rig rig;
  Thread& a = rig.thread(0);
  Thread& b = rig.thread(1);
  rig->access(b, kMemory + 64, 8, true, 1);  // must not be forgotten
  for (std::uint32_t n = 0; n < 3 * kEpochHandles / 2; ++n) one_epoch(*rig, a, kMemory);
  EXPECT_GE(rig->sweeps.load(), 1U);
  EXPECT_EQ(rig->forgotten_epochs, 0U);
  rig->access(a, kMemory + 64, 8, true, 1);
  rig->access(b, kMemory, 8, false, 1);
  EXPECT_EQ(rig.take_races().size(), 2U);
}

// Over eight million epochs, each the last one at its place, and b knows none of them.
TEST(Sweep, TheOldestAreForgottenWhenAllAreNamed) {
  Rig rig;
  Thread& a = rig.thread(0);
  Thread& b = rig.thread(1);
  constexpr std::uint64_t kPlaces = kEpochHandles + kEpochHandles / 4;
  for (std::uint64_t n = 0; n < kPlaces; ++n) one_epoch(*rig, a, kMemory + n * 8);
  EXPECT_GT(rig->forgotten_epochs, 0U);
  rig->access(b, kMemory + (kPlaces - 1) * 8, 8, false, 1);
  EXPECT_EQ(rig.take_races().size(), 1U) << "the latest are kept";
}

TEST(Sweep, RecordsOfReadersComeBack) {
  Rig rig;
  Thread& main = rig.thread(0);
  Thread& a = rig.thread(1, &main);
  Thread& b = rig.thread(2, &main);
  for (int round = 0; round < 2000; ++round) {
    rig->made(main, kMemory, 64, 1);
    rig->release(main, kLocks, true);
    rig->acquire(a, kLocks);
    rig->acquire(b, kLocks);
    rig->access(a, kMemory, 8, false, 1);
    rig->access(b, kMemory, 8, false, 1);
    rig->release(b, kLocks + 64, true);
    rig->access(b, kMemory, 4, false, 1);  // two epochs of b in one granule
    rig->release(a, kLocks + 128, true);
    rig->release(b, kLocks + 128, false);
    rig->acquire(main, kLocks + 128);
  }
  EXPECT_LE(rig->cells.readers.records(), 4U);
  EXPECT_EQ(rig.words(rig.take_races()), "");
}

}  // namespace
}  // namespace redflag::live
