// Grid: the numbers of threads, warps, blocks and clusters of one launch, and who is in whose scope.
//
// Every lane has a second number, for the asynchronous copies that it started: an agent of its own,
// ordered after the start of the copy and before what follows the wait.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/detect/gpu/sparse_clock.h"
#include "core/model/gpu.h"

namespace redflag::gpu {

// Scopes as they matter within a launch: the device's and the system's threads are the same ones.
enum class Level : std::uint8_t { kBlock, kCluster, kDevice };
constexpr Level level_of(Scope scope) {
  switch (scope) {
    case Scope::kSystem:
    case Scope::kDevice:
      return Level::kDevice;
    case Scope::kCluster:
      return Level::kCluster;
    case Scope::kBlock:
    case Scope::kWarp:
      break;
  }
  return Level::kBlock;
}
constexpr Level narrower(Level a, Level b) {
  return std::min(a, b);
}

struct WarpAt {
  std::uint32_t block = 0;
  std::uint32_t warp = 0;      // in its block
  ThreadIndex base = 0;        // of lane 0
  ThreadIndex block_base = 0;  // of the block's first thread
};

struct Grid {
  Dim grid, cluster;
  std::uint32_t blocks = 0;
  std::uint32_t block_threads = 0;
  std::uint32_t block_warps = 0;
  std::uint32_t agents = 0;  // offset of the agents' numbers in a block's
  std::uint32_t stride = 0;  // numbers of a block

  Grid() = default;
  explicit Grid(const Launch& launch)
      : grid(launch.grid),
        cluster(launch.cluster),
        blocks(static_cast<std::uint32_t>(launch.grid.count())),
        block_threads(launch.block_threads()),
        block_warps(launch.block_warps()),
        agents(block_warps * kWarp),
        stride(2 * agents) {}

  WarpAt warp(std::uint64_t block, std::uint32_t warp) const {
    const auto b = static_cast<std::uint32_t>(block);
    return {b, warp, b * stride + warp * kWarp, b * stride};
  }
  // Lanes that a warp has at its start.
  Lanes lanes(std::uint32_t warp) const {
    const std::uint32_t rest = block_threads - warp * kWarp;
    return rest >= kWarp ? ~Lanes{0} : (Lanes{1} << rest) - 1;
  }
  std::uint32_t block_of(ThreadIndex thread) const { return thread / stride; }
  std::uint32_t thread_of(ThreadIndex thread) const { return thread % stride % agents; }
  bool is_agent(ThreadIndex thread) const { return thread % stride >= agents; }

  std::uint32_t cluster_of(std::uint32_t block) const {
    if (cluster.count() <= 1) return block;
    const Dim at = place(block, grid);
    const std::uint32_t across = (grid.x + cluster.x - 1) / cluster.x;
    const std::uint32_t down = (grid.y + cluster.y - 1) / cluster.y;
    return at.x / cluster.x + across * (at.y / cluster.y + down * (at.z / cluster.z));
  }
  // Is a thread of block b within scope `level` of a thread of block a?
  bool within(std::uint32_t a, std::uint32_t b, Level level) const {
    switch (level) {
      case Level::kBlock:
        return a == b;
      case Level::kCluster:
        return a == b || cluster_of(a) == cluster_of(b);
      case Level::kDevice:
        break;
    }
    return true;
  }
};

}  // namespace redflag::gpu
