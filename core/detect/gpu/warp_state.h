// What the model follows of each warp and block besides clocks: time, paths, locks, copies, barriers.
//
// Locks are inferred as in ScoRD and iGUARD: a compare-and-swap that wrote (or an exchange of a value
// other than 0) takes the lock at its address, a later atomic or write of the same lane gives it back.
// They only name the class of a race; order comes from fences and atomics alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/detect/gpu/gpu_race.h"
#include "core/detect/gpu/grid.h"

namespace redflag::gpu {

// Which addresses were put in, perhaps: never says no wrongly.
class AddressFilter {
 public:
  void add(std::uint64_t address) { words_[slot(address) / 64] |= bit(address); }
  bool may_have(std::uint64_t address) const {
    return (words_[slot(address) / 64] & bit(address)) != 0;
  }
  void clear() { words_ = {}; }

 private:
  static constexpr std::size_t kBits = std::size_t{1} << 16;
  static std::size_t slot(std::uint64_t address) { return (address >> 2 ^ address >> 18) % kBits; }
  static std::uint64_t bit(std::uint64_t address) { return std::uint64_t{1} << slot(address) % 64; }
  std::array<std::uint64_t, kBits / 64> words_{};
};

struct WarpState {
  struct Parting {  // a branch that is still open: paths of lanes, since when
    Lanes some = 0;
    Lanes others = 0;
    Time since = 0;
  };
  struct Lock {
    std::uint64_t address = 0;
    Lanes lanes = 0;
  };
  struct CopyGroup {
    Lanes lanes = 0;
    Time time = 0;
  };
  static constexpr std::size_t kMostPartings = 16;  // deeper nests are classed as intra-warp

  static constexpr std::size_t kMostLocks = 64;  // of all lanes together

  Time now = 1;
  Time copies = 1;  // time of the asynchronous copies' agents
  Lanes live = 0;
  Lanes waiting = 0;  // arrived at a barrier, and not told to go on
  std::vector<Parting> partings;
  std::vector<Lock> locks;
  std::vector<CopyGroup> groups;

  void part(Lanes some, Lanes others) {
    ++now;
    if (partings.size() == kMostPartings) partings.erase(partings.begin());
    partings.push_back({some, others, now});
  }
  void reconverge(Lanes lanes) {
    std::erase_if(partings, [&](const Parting& p) {
      return (p.some & lanes) != 0 && (p.others & lanes) != 0;
    });
  }
  // Lanes that are on the path of `lanes`, whether they take part in its instruction or not.
  Lanes path(Lanes lanes) const {
    Lanes all = live;
    for (const Parting& p : partings) {
      if ((p.some & lanes) != 0) all &= ~p.others;
      if ((p.others & lanes) != 0) all &= ~p.some;
    }
    return all | lanes;
  }
  // Were the two lanes on different paths of a branch when the access of time `then` was made, and
  // are they still?
  bool parted(unsigned a, unsigned b, Time then) const {
    return std::any_of(partings.begin(), partings.end(), [&](const Parting& p) {
      const bool ab = (p.some >> a & 1) != 0 && (p.others >> b & 1) != 0;
      const bool ba = (p.some >> b & 1) != 0 && (p.others >> a & 1) != 0;
      return (ab || ba) && then >= p.since;
    });
  }

  bool holds(unsigned lane) const {
    return std::any_of(locks.begin(), locks.end(),
                       [&](const Lock& lock) { return (lock.lanes >> lane & 1) != 0; });
  }
  bool gives_back(unsigned lane, std::uint64_t address) {
    for (Lock& lock : locks) {
      if (lock.address != address || (lock.lanes >> lane & 1) == 0) continue;
      lock.lanes &= ~(Lanes{1} << lane);
      std::erase_if(locks, [](const Lock& one) { return one.lanes == 0; });
      return true;
    }
    return false;
  }
  void takes(unsigned lane, std::uint64_t address) {
    // What is never given back was no lock: the oldest of many are forgotten.
    if (locks.size() == kMostLocks) locks.erase(locks.begin());
    locks.push_back({address, Lanes{1} << lane});
  }

  // The newest copy of a lane that is complete when all but its last `pending` groups are.
  Time copied(unsigned lane, std::uint32_t pending) const {
    for (std::size_t i = groups.size(); i > 0; --i) {
      if ((groups[i - 1].lanes >> lane & 1) == 0) continue;
      if (pending == 0) return groups[i - 1].time;
      --pending;
    }
    return 0;
  }
};

// One round of a barrier of a block: who has arrived, and whether somebody went on without waiting.
struct BarrierRound {
  std::uint32_t object = 0;
  std::uint32_t round = 0;
  std::vector<Lanes> arrived;  // by warp
  std::vector<Lanes> told;     // of those, whose clocks are in the meeting already
  std::vector<SiteId> sites;   // by warp, of the first to arrive
  bool aligned = false;
  bool complete = false;
  bool full = false;  // the whole block met: its clocks are joined already
  GpuSide first;      // who arrived first
};

struct BlockState {
  std::vector<WarpState> warps;
  std::vector<BarrierRound> rounds;
  std::uint32_t live = 0;  // warps with live lanes

  BarrierRound& round(std::uint32_t object, std::uint32_t number) {
    for (BarrierRound& one : rounds) {
      if (one.object == object && one.round == number) return one;
    }
    // Of a barrier at most two rounds are under way: one that some have still to leave, one that
    // others have entered.
    std::erase_if(rounds, [&](const BarrierRound& one) {
      return one.object == object && one.round + 1 < number;
    });
    rounds.push_back({object,
                      number,
                      std::vector<Lanes>(warps.size()),
                      std::vector<Lanes>(warps.size()),
                      std::vector<SiteId>(warps.size()),
                      false,
                      false,
                      false,
                      {}});
    return rounds.back();
  }
};

}  // namespace redflag::gpu
