// Ordering: release and acquire patterns, fences and meetings over a grid's clocks, in one world.
//
// PTX ISA, memory consistency model: a release pattern (a fence, then a strong write; or a release
// write) synchronises with an acquire pattern (a strong read, then a fence; or an acquire read)
// that observes it, directly or through read-modify-writes, when each operation's scope includes the
// other's thread. Causality composes across scopes (HRF-indirect): what was learnt at block scope
// is published at device scope. Barracuda's rules ACQ*/REL* (figure 5.5) are the special case of two
// scopes.
//
// A location carries heads: what a release published, who released, and the set of blocks that may
// still observe it, narrowed by every read-modify-write on the way. A world says what is assumed: the
// real one nothing; the others wider scopes or fences that are not there, to find out what would
// have been enough. All worlds share the times of accesses, so one shadow serves all.
#pragma once

#include <array>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/detect/gpu/grid.h"
#include "core/model/ids.h"

namespace redflag::gpu {

struct World {
  bool atomics_acquire = false;  // level cuda: strong reads acquire at once, but for CAS
  bool wide_fences = false;
  bool wide_atomics = false;
  bool implied_release = false;  // every strong write releases
  bool implied_acquire = false;  // every strong read acquires
};

// Where threads meet: barriers of blocks and clusters, phases of barrier objects.
struct Meeting {
  std::uint64_t kind = 0;
  std::uint64_t object = 0;
  std::uint64_t round = 0;
  friend auto operator<=>(const Meeting&, const Meeting&) = default;
};

template <typename Clocks>
class Ordering {
 public:
  using Clock = typename Clocks::Clock;
  using Known = typename Clocks::Known;

  explicit Ordering(const World& world) : world_(world) {}

  void begin(const Grid& grid) {
    grid_ = grid;
    clocks.begin(grid);
    locations_.clear();
    meetings_.clear();
    warps_.clear();
  }
  void drop_block(std::uint32_t block, std::uint32_t warps) {
    clocks.drop_block(block);
    for (std::uint32_t w = 0; w < warps; ++w) warps_.erase(grid_.warp(block, w).base);
  }

  void fence(const WarpAt& at, Lanes lanes, Level level, Time now) {
    if (world_.wide_fences) level = Level::kDevice;
    WarpSync& warp = warps_[at.base];
    for (Pending& pending : warp.pending) {
      if ((pending.lanes & lanes) == 0) continue;
      clocks.learn(at, pending.lanes & lanes, pending.by_level[index(level)]);
      // A wider fence, later, may still learn more; after the widest there is no more.
      if (level == Level::kDevice) pending.lanes &= ~lanes;
    }
    std::erase_if(warp.pending, [](const Pending& p) { return p.lanes == 0; });
    // An older mark of no wider scope is outdone.
    for (Mark& mark : warp.marks) {
      if (mark.level <= level) mark.lanes &= ~lanes;
    }
    std::erase_if(warp.marks, [](const Mark& m) { return m.lanes == 0; });
    clocks.groups(at, lanes, [&](Lanes some, const Known& known) {
      warp.marks.push_back({some, level, now, known});
    });
  }

  // A strong read of one lane: what it observes is learnt now, or at the next fence.
  void read(const WarpAt& at, unsigned lane, std::uint64_t address, Order order, Level level,
            bool compare_swap) {
    const auto found = locations_.find(address);
    if (found == locations_.end()) return;
    if (world_.wide_atomics) level = Level::kDevice;
    const Location& location = found->second;
    if (!grid_.within(at.block, location.writer, level)) return;
    const bool now =
        is_acquire(order) || world_.implied_acquire || (world_.atomics_acquire && !compare_swap);
    std::array<Clock, 3> by_level;
    for (const Head& head : location.heads) {
      if (!grid_.within(at.block, head.center, head.level)) continue;
      for (const Level fence : {Level::kBlock, Level::kCluster, Level::kDevice}) {
        if (now && fence != level) continue;
        if (head.level == Level::kDevice && fence == Level::kDevice) continue;  // in `wide`
        if (grid_.within(at.block, head.block, fence)) by_level[index(fence)].join(head.clock);
      }
      if (now && level == Level::kDevice && location.narrow == 0) break;
    }
    by_level[index(Level::kDevice)].join(location.wide);
    const Lanes self = Lanes{1} << lane;
    if (now) {
      clocks.learn(at, self, by_level[index(level)]);
      return;
    }
    if (by_level[index(Level::kDevice)].empty()) return;
    std::vector<Pending>& all = warps_[at.base].pending;
    for (Pending& pending : all) {
      if (pending.lanes != self) continue;
      for (std::size_t i = 0; i < 3; ++i) pending.by_level[i].join(by_level[i]);
      return;
    }
    all.push_back({self, std::move(by_level)});
  }

  // A strong write of one lane. Returns whether the location now publishes something.
  bool write(const WarpAt& at, unsigned lane, std::uint64_t address, Order order, Level level,
             bool read_modify_write, Time now) {
    if (world_.wide_atomics) level = Level::kDevice;
    const Lanes self = Lanes{1} << lane;
    const auto marks = warps_.find(at.base);
    const bool marked = marks != warps_.end() && !marks->second.marks.empty();
    const bool releases = is_release(order) || world_.implied_release;
    auto found = locations_.find(address);
    if (found == locations_.end() && !marked && !releases) return false;
    if (found == locations_.end()) found = locations_.try_emplace(address).first;
    Location& location = found->second;
    if (!read_modify_write) {
      location = {};
    } else {
      pass_through(location, at.block, level);
    }
    location.writer = at.block;
    if (marked) {
      for (const Mark& mark : marks->second.marks) {
        if ((mark.lanes & self) == 0) continue;
        add(location, at.block, narrower(level, mark.level),
            clocks.publish(mark.known, at, self, mark.time));
      }
    }
    if (releases) {
      add(location, at.block, level, clocks.publish(clocks.known(at, lane), at, self, now));
    }
    if (!location.heads.empty()) return true;
    locations_.erase(found);
    return false;
  }

  // A weak write: who reads it observes no release.
  void overwrite(std::uint64_t address) { locations_.erase(address); }

  void arrive(const Meeting& meeting, const Clock& clock) { meetings_[meeting].join(clock); }
  void arrive(const Meeting& meeting, const WarpAt& at, Lanes lanes, Time now) {
    meetings_[meeting].join(clocks.publish(at, lanes, now));
  }
  // Relaxed arrival: only what fences published.
  void arrive_relaxed(const Meeting& meeting, const WarpAt& at, Lanes lanes) {
    const auto warp = warps_.find(at.base);
    if (warp == warps_.end()) return;
    for (const Mark& mark : warp->second.marks) {
      if ((mark.lanes & lanes) == 0) continue;
      meetings_[meeting].join(clocks.publish(mark.known, at, mark.lanes & lanes, mark.time));
    }
  }
  void pass(const Meeting& meeting, const WarpAt& at, Lanes lanes) {
    const auto found = meetings_.find(meeting);
    if (found != meetings_.end()) clocks.learn(at, lanes, found->second);
  }
  void forget(const Meeting& meeting) { meetings_.erase(meeting); }

  std::size_t bytes() const {
    std::size_t sum = clocks.bytes() + warps_.size() * sizeof(WarpSync);
    for (const auto& [address, location] : locations_) {
      sum += 64 + sizeof(Location) + location.heads.capacity() * sizeof(Head);
    }
    return sum;
  }
  std::size_t locations() const { return locations_.size(); }

  Clocks clocks;

 private:
  struct Head {
    std::uint32_t block;   // who released
    std::uint32_t center;  // may be observed from within `level` of this block
    Level level;
    Clock clock;
  };
  struct Location {
    std::vector<Head> heads;
    Clock wide;                // of all heads that the whole device may observe
    std::uint32_t narrow = 0;  // heads that not all may observe
    std::uint32_t writer = 0;  // block of the last strong write
  };
  struct Mark {
    Lanes lanes;
    Level level;
    Time time;
    Known known;  // what the lanes knew at the fence
  };
  struct Pending {
    Lanes lanes;
    std::array<Clock, 3> by_level;  // what a fence of that scope learns
  };
  struct WarpSync {
    std::vector<Mark> marks;
    std::vector<Pending> pending;
  };
  static constexpr std::size_t index(Level level) { return static_cast<std::size_t>(level); }

  static void add(Location& location, std::uint32_t block, Level level, Clock clock) {
    if (level == Level::kDevice) {
      location.wide.join(clock);
    }
    for (Head& head : location.heads) {
      if (head.block != block || head.center != block || head.level != level) continue;
      head.clock.join(clock);
      return;
    }
    location.narrow += level != Level::kDevice;
    location.heads.push_back({block, block, level, std::move(clock)});
  }

  // A read-modify-write by a thread of `block` continues what it observes itself, for those that
  // observe it.
  void pass_through(Location& location, std::uint32_t block, Level level) const {
    if (location.heads.empty()) return;
    if (!grid_.within(block, location.writer, level)) {
      location = {};
      return;
    }
    if (level == Level::kDevice && location.narrow == 0) return;
    std::erase_if(location.heads,
                  [&](const Head& h) { return !grid_.within(block, h.center, h.level); });
    location.narrow = 0;
    location.wide = {};
    for (Head& head : location.heads) {
      if (level < head.level) {
        head.level = level;
        head.center = block;
      }
      location.narrow += head.level != Level::kDevice;
      if (head.level == Level::kDevice) location.wide.join(head.clock);
    }
  }

  World world_;
  Grid grid_;
  std::unordered_map<std::uint64_t, Location> locations_;
  std::map<Meeting, Clock> meetings_;
  std::unordered_map<ThreadIndex, WarpSync> warps_;
};

}  // namespace redflag::gpu
