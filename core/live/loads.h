// Atomic loads without a lock: most learn nothing that the thread does not know.
//
// The value of an atomic and the clock published with it change together, under the lock of its
// record (record.h). A load that is not checked as an access, as most are under sampling, needs to know
// only whether that clock is news. So it reads the lock's count (spin.h), the value, the clock, and the
// count again: if nobody was at it meanwhile, the two belong together. Where there is no record, nothing
// was published: whoever publishes makes the record before it stores the value, so the load comes
// first and the look for the record second.
//
// Limits: one granule, and a record of exactly these bytes; memory without aliases. All else takes the
// lock. A clock joined of several threads' has no single epoch to compare, and takes it too.
#pragma once

#include "core/live/detector.h"

namespace redflag::live {

// Inside: splits are not reclaimed then.
class Inside {
 public:
  Inside(World& world, Thread& t) : world_(world), t_(t) { world.enter(t); }
  ~Inside() { world_.leave(t_); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  World& world_;
  Thread& t_;
};

inline bool Detector::has_no_record(Thread& t, std::uint64_t addr, unsigned size) {
  if (shadow.aliases.any() || addr % kGranule + size > kGranule) return false;
  const Inside inside(world, t);
  return is_plain(common_handle(addr, size));
}

template <typename Load>
REDFLAG_MAY_READ_LATE bool Detector::load_teaches_nothing(Thread& t, std::uint64_t addr,
                                                          unsigned size, Load load) {
  const auto low = static_cast<unsigned>(addr % kGranule);
  if (shadow.aliases.any() || low + size > kGranule) return false;
  const Inside inside(world, t);
  const std::uint32_t h = common_handle(addr, size);
  if (form(h) == Form::kSplit) return false;
  if (form(h) != Form::kMixed) {
    load();
    return is_plain(common_handle(addr, size));
  }
  const Record& r = records[index(h)];
  const auto seen = [](const auto& field) { return __atomic_load_n(&field, __ATOMIC_ACQUIRE); };
  const std::uint32_t turn = r.lock.turn();
  if (turn % 2 != 0 || seen(r.free) != 0 || seen(r.low) != low || seen(r.high) != low + size ||
      common_handle(addr, size) != h) {
    return false;
  }
  load();
  const auto at = Epoch::from_bits(seen(reinterpret_cast<const std::uint64_t&>(r.released.at)));
  const bool empty = !at && seen(r.released.known) == nullptr;
  if (r.lock.turn() != turn) return false;
  return empty || (at && t.clock.covers(at));
}

}  // namespace redflag::live
