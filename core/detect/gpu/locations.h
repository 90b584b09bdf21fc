// Location: what strong writes have published at an address, and who may observe it.
//
// A location carries heads: what releases published, by whom, and with which scope. A read observes them
// all if it observes the last write, and that one continued them: a read-modify-write does when it
// observes the write before it. Each such link needs scopes that include the other side (morally strong);
// who stands between the releasing and the acquiring thread is of no other importance. The scopes of
// the release and of the acquire itself are compared at the end, by observed().
#pragma once

#include <array>
#include <cstddef>
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
    std::uint32_t block;  // who released
    Level level;          // with what scope
    Clock clock;
  };
  struct Rules {  // nothing is counted
    void acquires(Level /*level*/) {}
    void releases(Level /*level*/, bool /*acquired*/) {}
  };
  std::vector<Head> heads;
  Clock wide;                           // of all heads of device scope
  std::uint32_t narrow = 0;             // heads of less
  std::uint32_t writer = 0;             // block of the last strong write
  Level writer_level = Level::kDevice;  // and its scope

  void add(std::uint32_t block, Level level, const Clock& clock) {
    if (level == Level::kDevice) wide.join(clock);
    for (Head& head : heads) {
      if (head.block != block || head.level != level) continue;
      head.clock.join(clock);
      return;
    }
    narrow += level != Level::kDevice;
    heads.push_back({block, level, clock});
  }

  void written(std::uint32_t block, Level level) {
    writer = block;
    writer_level = level;
  }
  bool empty() const { return heads.empty(); }
  std::size_t bytes() const { return heads.capacity() * sizeof(Head); }

  // Does a strong access of `block` observe the last write?
  bool links(const Grid& grid, std::uint32_t block, Level level) const {
    return grid.within(block, writer, narrower(level, writer_level));
  }

  // What a thread of `block` that reads at `level` observes, by the scope of the fence behind the read.
  // With `only`, for that one scope; the others are left empty.
  std::array<Clock, 3> observed(const Grid& grid, std::uint32_t block, Level level,
                                bool only) const {
    std::array<Clock, 3> by_level;
    if (!links(grid, block, level)) return by_level;
    if (!only || level != Level::kDevice || narrow != 0) {
      for (const Head& head : heads) {
        for (const Level fence : kLevels) {
          if (only && fence != level) continue;
          const Level both = narrower(head.level, fence);
          if (both == Level::kDevice) continue;  // in `wide`
          if (grid.within(block, head.block, both)) by_level[index(fence)].join(head.clock);
        }
      }
    }
    by_level[index(Level::kDevice)].join(wide);
    return by_level;
  }
};

}  // namespace redflag::gpu
