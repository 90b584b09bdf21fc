// Locations: what strong writes have published where, and who may still observe it.
//
// A location carries heads: what a release published, who released, and the set of blocks that may
// still observe it, narrowed by every read-modify-write on the way. Heads that the whole device may
// observe, and that is nearly all of them, are joined besides in one clock.
#pragma once

#include <array>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/detect/gpu/grid.h"

namespace redflag::gpu {

inline constexpr std::array<Level, 3> kLevels{Level::kBlock, Level::kCluster, Level::kDevice};
constexpr std::size_t index(Level level) {
  return static_cast<std::size_t>(level);
}

template <typename Clock>
struct Location {
  struct Head {
    std::uint32_t block;   // who released
    std::uint32_t center;  // may be observed from within `level` of this block
    Level level;
    Clock clock;
  };
  std::vector<Head> heads;
  Clock wide;                // of all heads that the whole device may observe
  std::uint32_t narrow = 0;  // heads that not all may observe
  std::uint32_t writer = 0;  // block of the last strong write

  void add(std::uint32_t block, Level level, const Clock& clock) {
    if (level == Level::kDevice) wide.join(clock);
    for (Head& head : heads) {
      if (head.block != block || head.center != block || head.level != level) continue;
      head.clock.join(clock);
      return;
    }
    narrow += level != Level::kDevice;
    heads.push_back({block, block, level, clock});
  }

  // A read-modify-write by a thread of `block` continues what it observes itself, for those that
  // observe it.
  void pass_through(const Grid& grid, std::uint32_t block, Level level) {
    if (heads.empty()) return;
    if (!grid.within(block, writer, level)) {
      *this = {};
      return;
    }
    if (level == Level::kDevice && narrow == 0) return;
    std::erase_if(heads, [&](const Head& h) { return !grid.within(block, h.center, h.level); });
    narrow = 0;
    wide = {};
    for (Head& head : heads) {
      if (level < head.level) {
        head.level = level;
        head.center = block;
      }
      narrow += head.level != Level::kDevice;
      if (head.level == Level::kDevice) wide.join(head.clock);
    }
  }

  // What a thread of `block` that reads at `level` observes, by the scope of the fence behind the read.
  // With `only`, for that one scope; the others are left empty.
  std::array<Clock, 3> observed(const Grid& grid, std::uint32_t block, Level level,
                                bool only) const {
    std::array<Clock, 3> by_level;
    if (!grid.within(block, writer, level)) return by_level;
    if (!only || level != Level::kDevice || narrow != 0) {
      for (const Head& head : heads) {
        if (!grid.within(block, head.center, head.level)) continue;
        for (const Level fence : kLevels) {
          if (only && fence != level) continue;
          if (head.level == Level::kDevice && fence == Level::kDevice) continue;  // in `wide`
          if (grid.within(block, head.block, fence)) by_level[index(fence)].join(head.clock);
        }
      }
    }
    by_level[index(Level::kDevice)].join(wide);
    return by_level;
  }
};

}  // namespace redflag::gpu
