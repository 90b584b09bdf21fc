#include "sim/models/scord/scord_side.h"

#include <gtest/gtest.h>

namespace redflag::sim {
namespace {

struct Side {
  explicit Side(const ScordParameters& parameters = {})
      : map(parameters), l2(machine), side(machine, parameters, map) {
    map.begin(1 << 20);
  }
  GpuMachine machine;
  MetadataMap map;
  L2 l2;
  ScordSide side;

  Cycle access(std::uint64_t line, std::uint32_t words, Cycle at) {
    return side.arrived(0, {line, words, kGpuLineBytes}, at, l2);
  }
  const L2Counts& metadata() { return l2.counts(Traffic::kMetadata); }
};

TEST(ScordSide, ReadsAndWritesTheLinesOfTheEntries) {
  Side side;
  EXPECT_EQ(side.access(0, ~0U, 1000), 1000U);  // taken at once: checking lags behind
  EXPECT_EQ(side.metadata().accesses, 2U);
  EXPECT_EQ(side.metadata().dram_reads, 2U);
  EXPECT_GT(side.side.idle_at(), 1000U + side.machine.l2_latency);
  (void)side.access(0, 1, 100000);
  EXPECT_EQ(side.metadata().accesses, 3U);
  side.l2.flush();
  EXPECT_EQ(side.metadata().dram_writes, 2U);
}

TEST(ScordSide, SharesWhatIsUnderWay) {
  Side side;
  (void)side.access(0, 0xFF, 1000);
  (void)side.access(0, 0x0F, 1001);
  EXPECT_EQ(side.metadata().accesses, 1U);
  EXPECT_EQ(side.side.shared(), 1U);
  (void)side.access(0, 0x1FF, 1002);  // one entry more
  EXPECT_EQ(side.metadata().accesses, 2U);
  (void)side.access(0, 0x0F, 90000);  // long done
  EXPECT_EQ(side.metadata().accesses, 3U);
}

TEST(ScordSide, WhoComesToAFullQueueWaits) {
  Side side(ScordParameters{.detector_queue = 2});
  (void)side.access(0, 1, 1000);
  (void)side.access(100, 1, 1000);
  EXPECT_GT(side.access(200, 1, 1000), 1000U + side.machine.l2_latency);
  EXPECT_GT(side.side.waited(), 0U);
}

// Figure 10.
TEST(ScordSide, EachCostCanBeLeftOut) {
  Side without(ScordParameters{.cost_of_metadata = false});
  (void)without.access(0, ~0U, 1000);
  EXPECT_EQ(without.metadata().accesses, 0U);
  EXPECT_EQ(Side().side.packet_bytes(), 6U);
  EXPECT_EQ(Side(ScordParameters{.cost_of_packets = false}).side.packet_bytes(), 0U);
  EXPECT_FALSE(Side(ScordParameters{.cost_of_packets = false}).side.uses_network());
  EXPECT_FALSE(Side(ScordParameters{.cost_of_hits = false}).side.hits_wait());
}

}  // namespace
}  // namespace redflag::sim
