// What the translator remembers of a launch's blocks, warps, barriers and barrier objects: what
// hooks do not say because the hardware knows it. (stream_steps.h)
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/model/gpu.h"
#include "frontends/cuda/device/stream_event.h"

namespace redflag::device {

using gpu::Lanes;

inline constexpr unsigned kBarriersOfBlock = 16;

// A barrier of a block, as frontends/cuda/emulate/barrier.cpp counts it.
struct StreamBarrier {
  std::uint32_t round = 0;
  std::uint32_t needed = 0;    // 0: all live threads of the block
  std::vector<Lanes> arrived;  // by warp, at the current round; empty: the barrier is not in use
};

// An arrival at a barrier for whole warps that was told by a part of its warp: the rest is waited for,
// as the hardware may part lanes and meets them again at the barrier.
struct HeldArrival {
  Lanes lanes = 0;
  std::uint32_t number = 0;
  std::uint32_t needed = 0;
  std::uint32_t site = 0;
};

// Lanes that were told to have met when the first of them went on.
struct MetLanes {
  Lanes lanes = 0;
  Lanes members = 0;
};

// Values of atomics that have begun.
struct BegunAtomic {
  Lanes lanes = 0;
  std::uint32_t site = 0;
  std::array<std::uint64_t, gpu::kWarp> value{};
};

struct StreamWarp {
  Lanes live = 0;
  std::vector<Lanes> paths;  // of lanes that are apart; all others are together
  HeldArrival held;
  std::vector<MetLanes> met;
  std::vector<BegunAtomic> begun;
  std::array<std::uint32_t, gpu::kWarp> cluster_round{};
  // The round that a lane last arrived at, of barriers in use.
  std::map<std::uint32_t, std::array<std::uint32_t, gpu::kWarp>> rounds;
};

struct StreamBlock {
  std::uint64_t index = 0;
  std::uint32_t live = 0;  // threads
  std::vector<StreamWarp> warps;
  std::array<StreamBarrier, kBarriersOfBlock> barriers;
};

struct StreamCluster {
  std::uint32_t round = 0;
  std::uint32_t arrived = 0;
  std::uint64_t live = 0;  // threads
};

// A barrier object: PTX ISA 9.0, section 9.7.13.15.
struct StreamMbarrier {
  std::uint32_t expected = 0;
  std::uint32_t pending = 0;
  std::int64_t bytes = 0;
  std::uint32_t phase = 0;

  void arrive(std::uint32_t count, std::int64_t more_bytes, bool drops) {
    bytes += more_bytes;
    pending -= count < pending ? count : pending;
    if (drops) expected -= count < expected ? count : expected;
    // Bytes that are expected alone complete nothing.
    if (pending != 0 || bytes != 0 || (count == 0 && more_bytes > 0)) return;
    pending = expected;
    ++phase;
  }
};

}  // namespace redflag::device
