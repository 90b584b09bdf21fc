// compact in clusters: shared memory that other blocks access too.
//
// The shadow beside a block's shared memory knows its own threads only. So in clusters shared memory
// is told as global memory is: its address is gpu::shared_address (block, offset), its lines are in
// a table of their own, a part for each block, which the block clears when it begins. Order is by
// barriers of the block and by signals, of which the cluster's barrier is one.
//
// Shared addresses: on sm_90 the bits from kRankAt on are the block's rank in its cluster, those of a
// block's own variables too; below is the offset. Device code.
#pragma once

#include "core/model/gpu.h"
#include "frontends/cuda/device/compact_heap.h"
#include "frontends/cuda/device/compact_shared.h"

namespace redflag::device::compact {

// What an address is in.
struct Place {
  std::uint64_t address = 0;  // of shared memory: the offset, or with the block in a cluster
  bool is_shared = false;     // and has a shadow beside it
  bool is_known = false;
};

REDFLAG_DEVICE std::uint64_t block_of_rank(std::uint32_t rank) {
  const Triple at = block_at(), grid = grid_size(), size = cluster_size();
  const std::uint32_t x = at.x / size.x * size.x + rank % size.x;
  const std::uint32_t y = at.y / size.y * size.y + rank / size.x % size.y;
  const std::uint32_t z = at.z / size.z * size.z + rank / (size.x * size.y);
  return x + std::uint64_t{grid.x} * (y + std::uint64_t{grid.y} * z);
}
REDFLAG_DEVICE std::uint64_t cluster_in_grid() {
  return block_of_rank(0);
}

REDFLAG_DEVICE Place place_in_cluster(std::uint32_t address, std::uint64_t owner) {
  return {gpu::shared_address(owner, address & kOffsetMask), false, true};
}
REDFLAG_DEVICE Place place_of_own(std::uint64_t address) {
  const Block& b = block();
  if (b.cluster_slots != 0) return place_in_cluster(static_cast<std::uint32_t>(address), b.block);
  return {address & kOffsetMask, true, true};
}
REDFLAG_DEVICE Place place_of(std::uint64_t address, Memory memory) {
  if (memory == Memory::kGlobal) return {address, false, true};
  if (memory == Memory::kShared) return place_of_own(address);
  if constexpr (kClusters) {
    const bool is_window = memory == Memory::kSharedCluster;
    if (is_window || in_cluster_shared(address)) {
      const std::uint32_t within =
          is_window ? static_cast<std::uint32_t>(address) : to_cluster_shared(address);
      const std::uint32_t rank = owner_rank(within);
      if (rank == rank_in_cluster()) return place_of_own(within);
      if (block().cluster_slots == 0) return {};
      return place_in_cluster(within, block_of_rank(rank));
    }
  } else {
    if (memory == Memory::kSharedCluster) return {};
    if (in_shared(address)) return place_of_own(to_shared(address));
  }
  return {address, false, !in_local(address)};
}

// By all threads of the block: what another block had there before.
REDFLAG_DEVICE void clear_cluster_lines() {
  const Block& b = block();
  const std::uint32_t slot = static_cast<std::uint32_t>(b.block % b.cluster_slots);
  auto* const lines = reinterpret_cast<Line*>(b.cluster_lines) + slot * b.cluster_line_count;
  for (std::uint32_t i = thread_in_block(); i < b.cluster_line_count; i += threads_of_block()) {
    store_pair(&lines[i], 0, 0);
    lines[i].others.bits = 0;
  }
}

}  // namespace redflag::device::compact
