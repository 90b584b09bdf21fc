// Atomic loads without a lock: most bring nothing that the thread does not know.
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

inline bool Detector::has_no_record(Thread&, std::uint64_t addr, unsigned size) {
  if (aliases.any() || addr % kGranule + size > kGranule) return false;
  return LinearMemory::records(addr / kGranule * kGranule).load(std::memory_order_acquire) == 0;
}

template <typename Load>
REDFLAG_MAY_READ_LATE bool Detector::load_teaches_nothing(Thread& t, std::uint64_t addr,
                                                          unsigned size, Load load) {
  const auto low = static_cast<unsigned>(addr % kGranule);
  if (aliases.any() || low + size > kGranule) return false;
  const std::uint64_t g = addr - low;
  world.enter(t);
  const auto answer = [&](bool nothing) {
    world.leave(t);
    return nothing;
  };
  const Record* const r = find_record(g, low);
  if (r == nullptr) {
    load();
    return answer(has_no_record(t, addr, size));
  }
  const auto seen = [](const auto& field) { return __atomic_load_n(&field, __ATOMIC_ACQUIRE); };
  const std::uint32_t turn = r->lock.turn();
  if (turn % 2 != 0 || !r->serves(g, low) || r->low.load(std::memory_order_relaxed) != low ||
      r->high.load(std::memory_order_relaxed) != low + size) {
    return answer(false);
  }
  load();
  const auto at = Epoch::from_bits(seen(reinterpret_cast<const std::uint64_t&>(r->released.at)));
  const bool empty = !at && seen(r->released.known) == nullptr;
  if (r->lock.turn() != turn) return answer(false);
  return answer(empty || (at && t.clock.covers(at)));
}

}  // namespace redflag::live
