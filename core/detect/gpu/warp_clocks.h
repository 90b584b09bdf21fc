// WarpClocks: the vector clocks of all threads of a grid, kept per warp as Barracuda keeps them.
//
// Dissertation, section 5.5, "Thread VC compression": threads of a warp mostly know the same, so a warp
// has a few groups of lanes, each with one record of what they know (figure 5.9):
//   CONVERGED       one group; one time for the warp's other lanes, one for the block's
//   DIVERGED        several groups, as CONVERGED each
//   NESTEDDIVERGED  a time for each lane of the own warp
//   SPARSEVC        besides, a sparse clock for what came point to point (sparse_clock.h)
// What a lane knows of itself is not kept: it is the warp's present time. Times are counted per
// warp and after a full barrier per block, so that one number is right for all its threads.
// Nothing is lost: plain.h keeps the same clocks as arrays, and tests compare the two.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "core/detect/gpu/grid.h"
#include "core/detect/gpu/sparse_clock.h"

namespace redflag::gpu {

class WarpClocks {
 public:
  using Clock = SparseClock;
  using LaneTimes = std::array<Time, kWarp>;

  struct Known {
    Time warp = 0;                           // of the other lanes of the warp
    Time block = 0;                          // of the other warps of the block
    std::shared_ptr<const LaneTimes> lanes;  // instead of `warp`, where they differ
    Lanes mates = 0;                         // lanes that run together, known up to
    Time mates_time = 0;                     // this time: it grows with every instruction
    SparseClock far;                         // besides

    bool same(const Known& o) const {
      return warp == o.warp && block == o.block && lanes == o.lanes && mates == o.mates &&
             mates_time == o.mates_time && far.same(o.far);
    }
  };
  struct Group {
    Lanes lanes = 0;
    Known known;
  };
  struct Formats {
    std::size_t converged = 0, diverged = 0, nested = 0, sparse = 0;
  };

  WarpClocks() = default;
  WarpClocks(const WarpClocks&) = delete;
  WarpClocks& operator=(const WarpClocks& other);
  ~WarpClocks() = default;

  void begin(const Grid& grid);
  void drop_block(std::uint32_t block) { blocks_[block].reset(); }

  const Known& known(const WarpAt& at, unsigned lane);
  // f(lanes, known) for each group with some of `lanes`.
  template <typename F>
  void groups(const WarpAt& at, Lanes lanes, F f) {
    for (Group& group : warp(at)) {
      if ((group.lanes & lanes) != 0) f(group.lanes & lanes, group.known);
    }
  }

  bool knows(const Known& known, const WarpAt& at, ThreadIndex thread, Time time) const {
    const ThreadIndex lane = thread - at.base;
    Time near = 0;
    if (lane < kWarp) {
      near = lane_time(known, lane);
    } else if (thread - at.block_base < grid_.agents) {
      near = known.block;
    }
    return near >= time || (!known.far.empty() && known.far.at(thread) >= time);
  }

  static Time lane_time(const Known& known, unsigned lane) {
    if ((known.mates >> lane & 1) != 0) return known.mates_time;
    return known.lanes ? (*known.lanes)[lane] : known.warp;
  }
  // All that `known` says, and the lanes `self` themselves up to `now`.
  Clock publish(const Known& known, const WarpAt& at, Lanes self, Time now) const;
  // The same of all lanes in `lanes` together, whatever each knows.
  Clock publish(const WarpAt& at, Lanes lanes, Time now);
  void learn(const WarpAt& at, Lanes lanes, const Clock& clock);
  // Lanes wait for each other: they know each other up to `now`.
  void sync_warp(const WarpAt& at, Lanes lanes, Time now);
  // The same, for lanes that execute an instruction together: cheap for as long as the same ones do.
  void together(const WarpAt& at, Lanes lanes, Time now);
  // All threads of the block know each other up to `now`.
  void sync_block(std::uint32_t block, Time now);

  Formats formats() const;
  std::size_t bytes() const;

 private:
  using Warp = std::vector<Group>;
  Warp& warp(const WarpAt& at);
  Group& split(Warp& warp, Lanes lanes);  // joins what the lanes know into one group of their own

  Grid grid_;
  std::vector<std::unique_ptr<std::vector<Warp>>> blocks_;
};

}  // namespace redflag::gpu
