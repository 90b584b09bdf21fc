// One SM, or a few, and warps whose operations are written down: what waits for what, and how long.
#include "sim/mem/gpu/gpu_timing.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace redflag::sim {
namespace {

class Timing : public ::testing::Test {
 protected:
  explicit Timing() { machine.flush_l2 = false; }

  BlockProgram& block(std::uint32_t warps = 1) {
    blocks.push_back(std::make_unique<BlockProgram>(warps));
    launch.block = {warps * gpu::kWarp};
    return *blocks.back();
  }
  static void op(WarpProgram& warp, OpKind kind, const std::vector<std::uint64_t>& lines = {},
                 std::uint16_t extra = 0, std::uint32_t instructions = 1) {
    warp.put({kind, static_cast<std::uint8_t>(lines.size()), extra, instructions});
    for (const std::uint64_t line : lines) warp.put(Transaction{line, ~0U, kGpuLineBytes});
  }
  static void barrier(WarpProgram& warp, OpKind kind, std::uint16_t needed = 0) {
    warp.put({kind, 0, needed, kind == OpKind::kArrive ? 1U : 0U});
    warp.put_word(0);
  }
  // Cycles until all blocks have ended.
  Cycle run(DetectorSide* detector = nullptr) {
    timing = std::make_unique<GpuTiming>(machine, 0, detector);
    timing->begin(launch);
    for (const auto& each : blocks) {
      for (WarpProgram& warp : each->warps) op(warp, OpKind::kExit, {}, 0, 0);
      timing->add(*each);
    }
    timing->run(true);
    timing->end();
    for (const auto& each : blocks) EXPECT_TRUE(each->done[0]);
    return timing->cycles();
  }

  GpuMachine machine;
  gpu::Launch launch;
  std::vector<std::unique_ptr<BlockProgram>> blocks;
  std::unique_ptr<GpuTiming> timing;
};

TEST_F(Timing, AWarpIssuesInOrderAtItsLatency) {
  op(block().warps[0], OpKind::kCompute, {}, 0, 100);
  const Cycle cycles = run();
  EXPECT_GE(cycles, 99U * machine.alu_latency);
  EXPECT_LE(cycles, 100U * machine.alu_latency + 10);
  EXPECT_EQ(timing->counts().instructions, 100U);
}

TEST_F(Timing, ASchedulerIssuesOneInstructionACycle) {
  BlockProgram& many = block(32);
  for (WarpProgram& warp : many.warps) op(warp, OpKind::kCompute, {}, 0, 320);
  const Cycle cycles = run();
  EXPECT_GE(cycles, 32U * 320 / machine.schedulers);
  EXPECT_LE(cycles, 32U * 320 / machine.schedulers * 11 / 10);
}

TEST_F(Timing, AMissWaitsForMemoryAndAHitDoesNot) {
  op(block().warps[0], OpKind::kLoad, {5});
  const Cycle miss = run();
  EXPECT_GT(miss, Cycle{machine.l1_latency} + machine.l2_latency + machine.dram_latency);
  op(block().warps[0], OpKind::kLoad, {5});
  blocks.erase(blocks.begin());
  op(blocks[0]->warps[0], OpKind::kLoad, {5});
  const Cycle both = run();
  EXPECT_EQ(timing->counts().l1_hits, 1U);
  EXPECT_NEAR(static_cast<double>(both - miss), machine.l1_latency, 6);
}

TEST_F(Timing, WarpsShareALineThatIsOnItsWay) {
  BlockProgram& two = block(2);
  for (WarpProgram& warp : two.warps) op(warp, OpKind::kLoad, {5});
  (void)run();
  EXPECT_EQ(timing->l2().counts(Traffic::kData).accesses, 1U);
  EXPECT_EQ(timing->counts().l1_misses, 2U);
}

TEST_F(Timing, OnlySoManyLinesAreAwaitedAndNobodyStarves) {
  machine.l1_mshrs = 2;
  BlockProgram& many = block(8);
  for (std::size_t i = 0; i < 8; ++i) op(many.warps[i], OpKind::kLoad, {i, i + 1, i + 2, 100});
  (void)run();
  EXPECT_EQ(timing->counts().l1_misses + timing->counts().l1_hits, 32U);
}

TEST_F(Timing, AStoreDoesNotWaitAFenceDoes) {
  op(block().warps[0], OpKind::kStore, {1, 2, 3});
  op(blocks[0]->warps[0], OpKind::kCompute, {}, 0, 1);
  (void)run();
  const Cycle without = timing->cycles();  // the block's end waits for its stores
  blocks.clear();
  op(block().warps[0], OpKind::kStore, {1, 2, 3});
  op(blocks[0]->warps[0], OpKind::kFence, {}, 2);
  op(blocks[0]->warps[0], OpKind::kCompute, {}, 0, 200);
  const Cycle with = run();
  EXPECT_GE(with, without + Cycle{199} * machine.alu_latency);
}

TEST_F(Timing, AStoreEvictsAndADeviceFenceEmptiesTheFirstLevel) {
  WarpProgram& warp = block().warps[0];
  op(warp, OpKind::kLoad, {7, 8});
  op(warp, OpKind::kStore, {7});
  op(warp, OpKind::kLoad, {7, 8});
  op(warp, OpKind::kFence, {}, 1);  // of the block: the first level is the block's own
  op(warp, OpKind::kLoad, {8});
  op(warp, OpKind::kFence, {}, 2);
  op(warp, OpKind::kLoad, {8});
  (void)run();
  EXPECT_EQ(timing->counts().l1_hits, 2U);
  EXPECT_EQ(timing->counts().l1_misses, 4U);
}

TEST_F(Timing, ABarrierWaitsForTheSlowest) {
  BlockProgram& two = block(2);
  op(two.warps[0], OpKind::kCompute, {}, 0, 500);
  for (WarpProgram& warp : two.warps) {
    barrier(warp, OpKind::kArrive);
    barrier(warp, OpKind::kPass, 2);
  }
  op(two.warps[1], OpKind::kCompute, {}, 0, 500);
  EXPECT_GE(run(), 2 * 499U * machine.alu_latency);
}

TEST_F(Timing, BlocksFillTheSmsAndOthersFollow) {
  machine.sms = 2;
  machine.blocks_per_sm = 2;
  for (int i = 0; i < 4; ++i) op(block().warps[0], OpKind::kCompute, {}, 0, 100);
  const Cycle together = run();
  blocks.clear();
  for (int i = 0; i < 5; ++i) op(block().warps[0], OpKind::kCompute, {}, 0, 100);
  EXPECT_GE(run(), together + Cycle{99} * machine.alu_latency);
}

TEST_F(Timing, SharedMemoryLimitsBlocks) {
  machine.sms = 1;
  launch.shared_bytes = machine.shared_bytes / 2 + 1;
  for (int i = 0; i < 2; ++i) op(block().warps[0], OpKind::kCompute, {}, 0, 100);
  EXPECT_GE(run(), 2 * 99U * machine.alu_latency);
}

// What a warp does may be told in parts: it starves, and goes on.
TEST_F(Timing, GoesOnWhenMoreIsTold) {
  BlockProgram& one = block();
  op(one.warps[0], OpKind::kLoad, {1});
  timing = std::make_unique<GpuTiming>(machine, 0, nullptr);
  timing->begin(launch);
  timing->add(one);
  timing->run(true);
  const Cycle half = timing->cycles();
  EXPECT_FALSE(one.done[0]);
  op(one.warps[0], OpKind::kLoad, {500});
  op(one.warps[0], OpKind::kExit, {}, 0, 0);
  timing->run(true);
  EXPECT_TRUE(one.done[0]);
  EXPECT_GE(timing->cycles(), 2 * half - 20);
}

class Watcher final : public DetectorSide {
 public:
  std::uint32_t packet_bytes() const override { return 6; }
  bool hits_wait() const override { return waits; }
  bool uses_network() const override { return network; }
  Cycle arrived(std::uint32_t /*bank*/, const Transaction& access, Cycle at, L2& /*l2*/) override {
    lines.push_back(access.line);
    return last = at + delay;
  }
  Cycle checked_at() const override { return last; }
  Cycle may_end(Cycle last_checked) const override { return last_checked; }
  Cycle idle_at() const override { return last; }

  bool waits = true, network = true;
  Cycle delay = 0, last = 0;
  std::vector<std::uint64_t> lines;
};

TEST_F(Timing, TheDetectorIsToldOfHitsToo) {
  WarpProgram& warp = block().warps[0];
  op(warp, OpKind::kLoad, {3});
  op(warp, OpKind::kLoad, {3});
  op(warp, OpKind::kStore, {4});
  Watcher watcher;
  (void)run(&watcher);
  EXPECT_EQ(watcher.lines, (std::vector<std::uint64_t>{3, 3, 4}));
  EXPECT_EQ(timing->counts().request_packets, 3U);
  blocks.clear();
  WarpProgram& again = block().warps[0];
  op(again, OpKind::kLoad, {3});
  op(again, OpKind::kLoad, {3});
  Watcher apart;
  apart.network = false;
  (void)run(&apart);
  EXPECT_EQ(apart.lines.size(), 2U);
  EXPECT_EQ(timing->counts().request_packets, 1U);
}

TEST_F(Timing, AWarpEndsWhenItsAccessesHaveBeenLookedAt) {
  machine.sms = machine.blocks_per_sm = 1;
  for (int i = 0; i < 3; ++i) op(block().warps[0], OpKind::kStore, {static_cast<std::uint64_t>(i)});
  Watcher prompt;
  const Cycle soon = run(&prompt);
  blocks.clear();
  for (int i = 0; i < 3; ++i) op(block().warps[0], OpKind::kStore, {static_cast<std::uint64_t>(i)});
  Watcher late;
  late.delay = 5000;
  EXPECT_GE(run(&late), soon + 12000);
}

TEST_F(Timing, ASlowDetectorStallsHits) {
  const auto program = [&] {
    blocks.clear();
    WarpProgram& warp = block().warps[0];
    for (int i = 0; i < 1000; ++i) op(warp, OpKind::kLoad, {3});
  };
  program();
  const Cycle alone = run();
  program();
  Watcher slow;
  slow.delay = 200;
  const Cycle stalled = run(&slow);
  EXPECT_GT(stalled, 2 * alone);
  EXPECT_GT(timing->counts().l1_stalls, 0U);
  program();
  Watcher lagging;
  lagging.delay = 200;
  lagging.waits = false;
  const Cycle beside = run(&lagging);
  EXPECT_LT(timing->counts().l1_stalls, 1U);
  EXPECT_GE(beside, alone);  // the launch ends when the detector has
}

}  // namespace
}  // namespace redflag::sim
