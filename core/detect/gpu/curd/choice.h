// Which algorithm checks a kernel: decided before it runs, from the operations it contains
// (dissertation, section 6.1).
//
// The dissertation's analysis looks for atomics and fences, and uses Barracuda where it finds any.
// Here two kinds that the rest of the algorithm can take stay with CURD. Atomics without acquire,
// release or any fence order nothing, so they are accesses: sets of their own, that race with plain
// accesses and not with each other. Syncs of whole warps order the lanes of a warp: rows of the
// striped layout know how many were before them. Host and device.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/detect/gpu/portable.h"
#include "core/model/gpu.h"

namespace redflag::gpu::curd {

enum class Engine : std::uint8_t { kCurd, kOther };

struct ChoiceRow {
  SyncOp op;
  Engine engine;
  std::string_view name;
  std::string_view why;
};

inline constexpr std::array<ChoiceRow, kSyncOpCount> kChoices{{
    {SyncOp::kBlockBarrier, Engine::kCurd, "block barriers", "what CURD is made for"},
    {SyncOp::kPartBarrier, Engine::kOther, "barriers of some threads", "order some threads only"},
    {SyncOp::kWarpSync, Engine::kCurd, "syncs of whole warps", "rows are told apart by them"},
    {SyncOp::kPartWarpSync, Engine::kOther, "syncs of some lanes", "order some lanes only"},
    {SyncOp::kAtomic, Engine::kCurd, "relaxed atomics", "without a fence they order nothing"},
    {SyncOp::kNarrowAtomic, Engine::kOther, "atomics of block or cluster scope",
     "race with those of other blocks"},
    {SyncOp::kOrderedAtomic, Engine::kOther, "acquire and release", "order by what was read"},
    {SyncOp::kFence, Engine::kOther, "fences", "order by what was read"},
    {SyncOp::kClusterBarrier, Engine::kOther, "cluster barriers", "order blocks"},
    {SyncOp::kBarrierObject, Engine::kOther, "barrier objects", "order some threads only"},
    {SyncOp::kAsyncCopy, Engine::kOther, "asynchronous copies", "access later than they stand"},
    {SyncOp::kRemoteShared, Engine::kOther, "shared memory of other blocks",
     "sets of shared memory are of one block"},
    {SyncOp::kAllocation, Engine::kOther, "malloc and free", "one address, several memories"},
}};

consteval bool choices_in_order() {
  for (std::size_t i = 0; i < kChoices.size(); ++i) {
    if (static_cast<std::size_t>(kChoices[i].op) != i) return false;
  }
  return true;
}
static_assert(choices_in_order());

// The operations that CURD does not take, of those a kernel has.
constexpr std::uint32_t too_much(const SyncOps& sync) {
  std::uint32_t bits = 0;
  for (const ChoiceRow& row : kChoices) {
    if (row.engine == Engine::kOther && sync.has(row.op)) {
      bits |= 1U << static_cast<unsigned>(row.op);
    }
  }
  return bits;
}

constexpr Engine engine_for(const SyncOps& sync) {
  return sync.known && too_much(sync) == 0 ? Engine::kCurd : Engine::kOther;
}

}  // namespace redflag::gpu::curd
