// What an access of a warp's lanes does to an entry: the rules of figures 5.4 and 5.5, R_x and W_x.
//
// The caller (Accessor) knows the clocks:
//   now: Touch                                  the access, its warp, time and lanes
//   observes: bool                              an atomic whose result is used
//   racing(warp, lanes, time) -> Lanes          lanes of `now` that the earlier access races with
//   behind(warp, lanes, time) -> bool           all of it is ordered before
//   race(earlier: Touch, racing, address, bytes)
//   count(Rule)
// A race changes nothing of what becomes of the entry: the first race of a byte is always found, later
// ones mostly (docs/how/semantics.md).
#pragma once

#include <bit>
#include <cstdint>

#include "core/detect/gpu/barracuda/history.h"
#include "core/detect/gpu/barracuda/rules.h"
#include "core/detect/gpu/barracuda/shadow_memory.h"

namespace redflag::gpu::barracuda {

inline constexpr std::uint32_t kLaneMask = kWarp - 1;  // numbers of warps are multiples of kWarp

inline Touch write_of(const ShadowEntry& x) {
  return touch(x.write.thread & ~kLaneMask, x.write.clock, Lanes{1} << (x.write.thread & kLaneMask),
               x.atomic != 0 ? Access::kAtomicWrite : Access::kWrite, x.site);
}
inline Touch read_of(const ShadowEntry& x) {
  return touch(x.read.thread & ~kLaneMask, x.read.clock, x.mates, Access::kRead, 0);
}

template <typename Accessor>
class EntryRules {
 public:
  EntryRules(ShadowMemory& memory, Accessor& by, ShadowEntry& entry, std::uint64_t address,
             unsigned bytes)
      : memory_(memory), by_(by), x_(entry), address_(address), bytes_(bytes) {}

  void apply() {
    const Access access = by_.now.kind();
    // The write before, the reader before, and what is known besides, as far as they conflict.
    if (x_.write.clock != 0 && (x_.atomic == 0 || !is_atomic(access))) check(write_of(x_));
    const bool asks_readers = access == Access::kWrite || access == Access::kAtomicWrite;
    if (asks_readers && x_.read.clock != 0) check(read_of(x_));
    if (x_.others != nullptr) {
      x_.others->conflicting(access, [&](const Touch& one) { check(one); });
    }
    switch (access) {
      case Access::kRead:
        return read();
      case Access::kWrite:
        return write();
      case Access::kAtomicWrite:
        return atomic_write();
      case Access::kAtomicRead:
        by_.count(Rule::kAtomRead);
        return remember(by_.now);
    }
  }

 private:
  static constexpr bool is_atomic(Access access) {
    return access == Access::kAtomicRead || access == Access::kAtomicWrite;
  }
  Epoch leader() const {
    return {by_.now.time,
            by_.now.warp + static_cast<std::uint32_t>(std::countr_zero(by_.now.lanes))};
  }
  Lanes followers() const { return by_.now.lanes & (by_.now.lanes - 1); }
  bool behind(const Touch& earlier) const {
    return by_.behind(earlier.warp, earlier.lanes, earlier.time);
  }
  void check(const Touch& earlier) {
    const Lanes racing = by_.racing(earlier.warp, earlier.lanes, earlier.time);
    if (racing != 0) by_.race(earlier, racing, address_, bytes_);
  }
  void remember(const Touch& one) {
    memory_.history(x_).add(one, [&](const Touch& earlier) { return behind(earlier); });
  }

  // The newest reader stands in the entry, where it is found again at once.
  void read() {
    RxWx state;
    state.shared = x_.shared != 0;
    state.ordered = x_.read.clock == 0 || behind(read_of(x_));
    by_.count(rule_of(Access::kRead, state));
    if (!state.ordered) {
      memory_.history(x_).add_reader(read_of(x_));
      x_.shared = 1;
    }
    x_.read = leader();
    x_.mates = by_.now.lanes;
  }

  void write() {
    RxWx state;
    state.shared = x_.shared != 0;
    by_.count(rule_of(Access::kWrite, state));
    memory_.drop_history(x_);
    x_.write = leader();
    x_.site = kept_site(by_.now.site) & ((1U << kSiteBits) - 1);
    x_.atomic = 0;
    x_.read = {};
    x_.mates = 0;
    x_.shared = 0;
    if (followers() != 0) remember_followers();
  }

  void atomic_write() {
    RxWx state;
    state.atomic = x_.atomic != 0;
    state.shared = x_.shared != 0;
    by_.count(rule_of(Access::kAtomicWrite, state));
    if (x_.write.clock != 0) {
      const Touch last = write_of(x_);
      const bool gone = x_.atomic != 0 && (by_.observes || behind(last));
      if (!gone) memory_.history(x_).add(last, [](const Touch&) { return false; });
    }
    if (by_.observes && x_.others != nullptr) x_.others->erase(Access::kAtomicWrite);
    x_.write = leader();
    x_.site = kept_site(by_.now.site) & ((1U << kSiteBits) - 1);
    x_.atomic = 1;
    if (followers() != 0) remember_followers();
  }
  void remember_followers() {
    Touch rest = by_.now;
    rest.lanes = followers();
    memory_.history(x_).add(rest, [](const Touch&) { return false; });
  }

  ShadowMemory& memory_;
  Accessor& by_;
  ShadowEntry& x_;
  std::uint64_t address_;
  unsigned bytes_;
};

}  // namespace redflag::gpu::barracuda
