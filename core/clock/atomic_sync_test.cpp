#include "core/clock/atomic_sync.h"

#include <gtest/gtest.h>

#include <map>

#include "core/base/memory.h"
#include "core/generate/random.h"

namespace redflag {
namespace {

class AtomicSyncTest : public testing::Test {
 protected:
  VectorClock one(std::uint32_t slot, std::uint64_t clock) {
    VectorClock c(&memory_);
    c.set(Slot{slot}, clock);
    return c;
  }
  std::uint64_t loaded(std::uint64_t addr, std::uint32_t size, std::uint32_t slot) {
    VectorClock into(&memory_);
    sync_.load(Addr{addr}, size, into);
    return into[Slot{slot}];
  }
  PageResource memory_;
  AtomicSync sync_{&memory_};
};

TEST_F(AtomicSyncTest, AStoreReplacesAndAnUpdateAdds) {
  const VectorClock a = one(0, 3);
  const VectorClock b = one(1, 4);
  sync_.store(Addr{64}, 8, &a);
  sync_.modify(Addr{64}, 8, &b);
  EXPECT_EQ(loaded(64, 8, 0), 3U) << "an update continues the release sequence";
  EXPECT_EQ(loaded(64, 8, 1), 4U);
  sync_.store(Addr{64}, 8, &b);
  EXPECT_EQ(loaded(64, 8, 0), 0U) << "a store starts a new one";
  sync_.store(Addr{64}, 8, nullptr);
  EXPECT_EQ(loaded(64, 8, 1), 0U) << "and a relaxed store publishes nothing";
}

TEST_F(AtomicSyncTest, NeighboursAreDifferentObjects) {
  const VectorClock a = one(0, 3);
  sync_.store(Addr{64}, 4, &a);
  EXPECT_EQ(loaded(68, 4, 0), 0U);
  EXPECT_EQ(loaded(60, 4, 0), 0U);
  EXPECT_EQ(loaded(67, 1, 0), 3U);
  EXPECT_EQ(loaded(60, 8, 0), 3U);
}

TEST_F(AtomicSyncTest, NewMemoryCarriesNothing) {
  const VectorClock a = one(0, 3);
  sync_.store(Addr{64}, 8, &a);
  sync_.forget(Addr{66}, 2);
  EXPECT_EQ(loaded(66, 2, 0), 0U);
  EXPECT_EQ(loaded(64, 2, 0), 3U);
  EXPECT_EQ(loaded(68, 4, 0), 3U);
  sync_.forget(Addr{0}, 1000);
  EXPECT_EQ(sync_.size(), 0U);
}

// Against the obvious: one clock value per byte.
TEST_F(AtomicSyncTest, OverlappingSizesBehaveAsBytes) {
  Random random(7);
  std::map<std::uint64_t, std::map<std::uint32_t, std::uint64_t>> bytes;
  for (int step = 0; step < 20000; ++step) {
    const std::uint32_t size = 1U << random.below(5);
    const std::uint64_t addr = 100 + random.below(40);
    const auto slot = static_cast<std::uint32_t>(random.below(3));
    const VectorClock clock = one(slot, static_cast<std::uint64_t>(step) + 1);
    switch (random.below(8)) {
      case 0:
      case 1:
        sync_.store(Addr{addr}, size, &clock);
        for (std::uint64_t b = addr; b < addr + size; ++b) bytes[b] = {{slot, clock[Slot{slot}]}};
        break;
      case 2:
      case 3:
        sync_.modify(Addr{addr}, size, &clock);
        for (std::uint64_t b = addr; b < addr + size; ++b) bytes[b][slot] = clock[Slot{slot}];
        break;
      case 4:
        sync_.store(Addr{addr}, size, nullptr);
        for (std::uint64_t b = addr; b < addr + size; ++b) bytes.erase(b);
        break;
      case 5:
        sync_.forget(Addr{addr}, size);
        for (std::uint64_t b = addr; b < addr + size; ++b) bytes.erase(b);
        break;
      default:
        for (std::uint32_t s = 0; s < 3; ++s) {
          std::uint64_t expected = 0;
          for (std::uint64_t b = addr; b < addr + size; ++b)
            expected = std::max(expected, bytes[b][s]);
          ASSERT_EQ(loaded(addr, size, s), expected) << "step " << step;
        }
    }
  }
}

}  // namespace
}  // namespace redflag
