// StepRecorder: the steps of a launch as programs of its warps.
//
// Steps come in the order of the recorded run, mostly a block at a time; machines run many blocks at
// once. So what a warp did is kept here, as transactions, until the machines have given it time.
// A step of both memories is two operations of one instruction. What has no cost of its own here (branches,
// cluster barriers, barrier objects) costs its instruction.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "core/model/gpu.h"
#include "sim/mem/gpu/physical.h"
#include "sim/mem/gpu/warp_program.h"

namespace redflag::sim {

struct StepCounts {
  std::uint64_t steps = 0;
  std::uint64_t memory_steps = 0;   // of global memory
  std::uint64_t lane_accesses = 0;  // of global memory
  std::uint64_t shared_steps = 0;   // of shared memory
};

class StepRecorder {
 public:
  void begin(const gpu::Launch& launch);
  // The block if this was its first step; else nullptr.
  BlockProgram* step(const gpu::Step& step);
  // Drops what all machines have passed.
  void drop();
  // The launch has ended: warps that were not told to end do so now.
  void end();

  PhysicalMemory& memory() { return memory_; }
  const PhysicalMemory& memory() const { return memory_; }
  std::size_t bytes() const { return bytes_; }  // kept
  const StepCounts& counts() const { return counts_; }

 private:
  void access(const gpu::Step& step, WarpProgram& warp, OpKind kind, const std::uint64_t* address,
              gpu::Lanes lanes, std::uint32_t instructions);
  void shared(const gpu::Step& step, WarpProgram& warp);
  void put(WarpProgram& warp, OpHeader header);
  void barrier(const gpu::Step& step, BlockProgram& block, WarpProgram& warp);

  gpu::Launch launch_;
  PhysicalMemory memory_;
  std::map<std::uint64_t, std::unique_ptr<BlockProgram>> blocks_;
  BlockProgram* last_ = nullptr;  // of the last step; nullptr: look for it
  std::uint64_t last_number_ = 0;
  std::size_t bytes_ = 0;
  StepCounts counts_;
  Transactions transactions_;
};

}  // namespace redflag::sim
