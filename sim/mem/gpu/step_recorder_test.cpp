#include "sim/mem/gpu/step_recorder.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace redflag::sim {
namespace {

using gpu::StepKind;

class Recorder : public ::testing::Test {
 protected:
  Recorder() {
    launch.grid = {2};
    launch.block = {48};
    recorder.begin(launch);
  }
  gpu::Step make(StepKind kind, std::uint32_t warp = 0, std::uint64_t stride = 4) {
    gpu::Step step;
    step.kind = kind;
    step.warp = warp;
    step.lanes = warp == 0 ? ~0U : 0xFFFFU;
    step.size = 4;
    step.instructions = 7;
    for (unsigned i = 0; i < gpu::kWarp; ++i) address[i] = 0x10000 + stride * i;
    step.address = address.data();
    step.wrote = step.lanes;
    return step;
  }
  void put(const gpu::Step& step) {
    if (BlockProgram* const made = recorder.step(step)) block = made;
  }
  std::vector<OpKind> kinds(std::uint32_t warp = 0) {
    std::vector<OpKind> all;
    WarpProgram& program = block->warps[warp];
    for (; program.has_next(0); program.advance(0)) all.push_back(program.header(0).kind);
    return all;
  }

  gpu::Launch launch;
  StepRecorder recorder;
  BlockProgram* block = nullptr;
  std::array<std::uint64_t, gpu::kWarp> address{};
};

TEST_F(Recorder, AccessesBecomeTransactions) {
  put(make(StepKind::kRead));
  const OpHeader header = block->warps[0].header(0);
  EXPECT_EQ(header.kind, OpKind::kLoad);
  EXPECT_EQ(header.transactions, 1U);
  EXPECT_EQ(header.instructions, 7U);
  EXPECT_EQ(block->warps[0].transaction(0, 0).words, ~0U);
  EXPECT_EQ(recorder.counts().lane_accesses, 32U);
}

TEST_F(Recorder, WhatGoesPastTheFirstLevel) {
  gpu::Step step = make(StepKind::kRead);
  step.is_volatile = true;
  put(step);
  put(make(StepKind::kAtomicLoad));
  put(make(StepKind::kWrite));
  put(make(StepKind::kAtomicRmw));
  step = make(StepKind::kAtomicRmw);
  step.op = gpu::RmwOp::kReduction;
  put(step);
  EXPECT_EQ(kinds(), (std::vector{OpKind::kLoadPast, OpKind::kLoadPast, OpKind::kStore,
                                  OpKind::kAtomic, OpKind::kReduction}));
}

TEST_F(Recorder, ReleaseAndAcquireAreFencesBeforeAndBehind) {
  gpu::Step step = make(StepKind::kAtomicRmw);
  step.order = Order::kAcqRel;
  step.scope = Scope::kBlock;
  put(step);
  EXPECT_EQ(block->warps[0].header(0).extra, 1U);
  EXPECT_EQ(kinds(), (std::vector{OpKind::kFence, OpKind::kAtomic, OpKind::kFence}));
}

TEST_F(Recorder, ABarrierWaitsForTheArrivalsThatWereRecorded) {
  for (std::uint32_t warp : {0U, 1U}) put(make(StepKind::kBarrierArrive, warp));
  for (std::uint32_t warp : {0U, 1U}) put(make(StepKind::kBarrierPass, warp));
  block->warps[1].advance(0);
  EXPECT_EQ(block->warps[1].header(0).kind, OpKind::kPass);
  EXPECT_EQ(block->warps[1].header(0).extra, 2U);
}

TEST_F(Recorder, AWarpEndsWithItsLastLane) {
  gpu::Step step = make(StepKind::kExit);
  step.lanes = 0xFF;
  put(step);
  step.lanes = ~0xFFU;
  put(step);
  put(make(StepKind::kExit, 1));  // of 16 threads
  EXPECT_EQ(block->running, 0U);
  EXPECT_EQ(kinds(), (std::vector{OpKind::kCompute, OpKind::kExit}));
  EXPECT_EQ(kinds(1), (std::vector{OpKind::kExit}));
}

TEST_F(Recorder, WhatAllReadersHavePassedIsDropped) {
  put(make(StepKind::kRead, 0, 512));
  const std::size_t before = recorder.bytes();
  EXPECT_EQ(before, 65 * sizeof(std::uint64_t));
  block->warps[0].advance(0);
  recorder.drop();
  EXPECT_EQ(recorder.bytes(), before);
  block->warps[0].advance(1);
  recorder.drop();
  EXPECT_EQ(recorder.bytes(), 0U);
  recorder.end();
  EXPECT_EQ(kinds(), (std::vector{OpKind::kExit}));
}

}  // namespace
}  // namespace redflag::sim
