// Ordering: release and acquire patterns, fences and meetings over a grid's clocks, in one world.
//
// PTX ISA, memory consistency model: a release pattern (a fence, then a strong write; or a release
// write) synchronises with an acquire pattern (a strong read, then a fence; or an acquire read)
// that observes it, directly or through read-modify-writes, when each operation's scope includes the
// other's thread. Causality composes across scopes (HRF-indirect): what was learnt at block scope
// is published at device scope. Barracuda's rules ACQ*/REL* (figure 5.5) are the special case of two
// scopes.
//
// A fence counts also for those whom its thread meets afterwards: all threads fence, the block meets,
// one thread signals (fence-SC order: the fences of the two sides cannot be the other way round without
// the signal being read before it is written). So what fences published, and what was read and waits
// for a fence, goes along at meetings: see Carried. At level ptx only fence.sc does that.
//
// A world says what is assumed: the real one nothing; the others wider scopes or fences that are not
// there, to find out what would have been enough. All worlds share the times of accesses, so one
// shadow serves all.
//
// What a location carries is a parameter: Location (locations.h) for the model; Barracuda's map from
// block to clock for that detector. Its Rules are told of acquires and releases, to be counted.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/detect/gpu/deed.h"
#include "core/detect/gpu/locations.h"

namespace redflag::gpu {

struct World {
  bool atomics_acquire = false;  // level cuda: strong reads acquire at once, but for CAS
  bool any_fence_travels = false;
  bool wide_fences = false;
  bool wide_atomics = false;
  bool implied_release = false;   // every strong write releases
  bool implied_acquire = false;   // every strong read acquires
  bool implied_volatile = false;  // volatile accesses too
};

template <typename Clocks, template <typename> class LocationOf = Location>
class Ordering {
 public:
  using Clock = typename Clocks::Clock;
  using Known = typename Clocks::Known;
  using At = LocationOf<Clock>;

  explicit Ordering(const World& world) : world_(world) {}

  void begin(const Grid& grid) {
    grid_ = grid;
    clocks.begin(grid);
    locations_.clear();
    meetings_.clear();
    blocks_.clear();
    blocks_.resize(grid.blocks);
  }
  // All that another world knows, in this one.
  void take_over(const Ordering& other);

  void does(const Deed& deed);

  std::size_t bytes() const {
    std::size_t sum = clocks.bytes() + blocks_.capacity() * sizeof(blocks_[0]);
    for (const auto& block : blocks_) {
      if (block) sum += block->capacity() * sizeof(WarpSync);
    }
    for (const auto& [address, location] : locations_) {
      sum += 64 + sizeof(location) + location.bytes();
    }
    return sum;
  }

  Clocks clocks;
  [[no_unique_address]] typename At::Rules rules;

 private:
  using ByLevel = std::array<Clock, 3>;
  struct Mark {  // a fence of the lanes: the next strong write publishes what was known then
    Lanes lanes;
    Level level;
    bool travels;
    Time time;
    Known known;
  };
  struct Pending {  // what was read, and a fence of that scope learns
    Lanes lanes;
    ByLevel by_level;
  };
  // What goes along when threads meet: what fences of others published, what others have pending.
  struct Carried {
    Lanes lanes = 0;
    ByLevel published;
    ByLevel pending;
  };
  struct WarpSync {
    std::vector<Mark> marks;
    std::vector<Pending> pending;
    std::vector<Carried> carried;
    bool empty() const { return marks.empty() && pending.empty() && carried.empty(); }
  };
  struct Met {
    Clock clock;
    Carried carried;
  };

  void fence(const WarpAt& at, const Deed& deed);
  bool observe(const WarpAt& at, const Deed& deed);  // whether it acquired at once
  void publish(const WarpAt& at, const Deed& deed, bool acquired);
  void sync_block(const Deed& deed);
  void together(const WarpAt& at, const Deed& deed);
  void arrive(const WarpAt& at, const Deed& deed);
  void pass(const WarpAt& at, const Deed& deed);

  // Puts what goes along with the lanes into `to`; says whether there was anything.
  bool collect(const WarpAt& at, Lanes lanes, Carried& to) const;
  void share(const WarpAt& at, Lanes lanes);  // among lanes of one warp
  void hand_out(const WarpAt& at, Lanes lanes, const Carried& from);

  WarpSync* sync_of(const WarpAt& at) const {
    const auto& block = blocks_[at.block];
    return block ? &(*block)[at.warp] : nullptr;
  }
  WarpSync& make_sync(const WarpAt& at) {
    auto& block = blocks_[at.block];
    if (!block) block = std::make_unique<std::vector<WarpSync>>(grid_.block_warps);
    return (*block)[at.warp];
  }

  World world_;
  Grid grid_;
  std::unordered_map<std::uint64_t, At> locations_;
  std::map<Meeting, Met> meetings_;
  std::vector<std::unique_ptr<std::vector<WarpSync>>> blocks_;  // where there was a fence or read
};

}  // namespace redflag::gpu

#include "core/detect/gpu/ordering_deeds.h"
