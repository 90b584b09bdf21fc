// Memory with a new life: what happened to it before is forgotten.
//
// Records in it (atomics, locks) go with it. Large pieces give their shadow back page by page, and
// the records in those are found by the next sweep.
#include "core/live/detector.h"

namespace redflag::live {

void Detector::forget(std::uint64_t addr, std::uint64_t size) {
  if (addr >= kAddressLimit) return;
  for (std::uint64_t at = addr, end = addr + size; at < end;) {
    std::uint64_t piece = end - at;
    const std::uint64_t home = shadow.home(at, piece);
    forget_cells(home, piece);
    at += piece;
  }
}

void Detector::forget_cells(std::uint64_t addr, std::uint64_t size) {
  if (size >= kLarge) return shadow.clear(addr, size);  // records in it are found by the next sweep
  for (std::uint64_t at = addr / kGranule * kGranule, end = addr + size; at < end;) {
    const std::uint64_t region_end = (at / kRegionBytes + 1) * kRegionBytes;
    const std::uint64_t stop = end < region_end ? end : region_end;
    Cell* cell = shadow.find(at);
    for (; cell != nullptr && at < stop; at += kGranule, ++cell) {
      if (cell->load(std::memory_order_relaxed) == 0) continue;
      const std::uint32_t h = cell->exchange(0, std::memory_order_acq_rel);
      if (form(h) >= Form::kMixed) drop_records(h);
    }
    at = stop;
  }
}

// What waits and touches it belongs to its life before. Whoever ended that one has seen to his own;
// so there is something to see to only if it was another thread.
void Detector::flush_before(Thread& t, std::uint64_t addr, std::uint64_t size) {
  const Cell* first = shadow.find(addr);
  const std::uint32_t past = first == nullptr ? 0 : first->load(std::memory_order_relaxed);
  if (past != 0 &&
      (form(past) != Form::kPair || pairs.write_of(past).slot() != t.clock.epoch.slot())) {
    flush_touching(t, addr, size);
  }
}

void Detector::renew(Thread& t, std::uint64_t addr, std::uint64_t size) {
  if (size == 0) return;
  flush_before(t, addr, size);
  world.enter(t);
  forget(addr, size);
  world.leave(t);
}

void Detector::made(Thread& t, std::uint64_t addr, std::uint64_t size, std::uint64_t pc) {
  if (size == 0) return;
  flush_before(t, addr, size);
  if (size >= kLarge) {
    world.enter(t);
    forget(addr, size);
    world.leave(t);
    return;
  }
  world.enter(t);
  ensure_base(t);
  Access a{addr, size, pc, LogKind::kWrite};
  remember(t, a);
  const std::uint64_t end = addr + size;
  const std::uint32_t own = t.base;
  for (std::uint64_t at = addr / kGranule * kGranule; at < end; at += kGranule) {
    bool mine = false;
    Cell& cell = hold(t, at, mine);
    const std::uint32_t h = cell.load(std::memory_order_relaxed);
    if (h == own) continue;
    if (mine && form(h) < Form::kMixed) {
      cell.store(own, std::memory_order_release);
    } else {
      const std::uint32_t old = cell.exchange(own, std::memory_order_acq_rel);
      if (form(old) >= Form::kMixed) drop_records(old);
    }
  }
  world.leave(t);
  sweep_if_due(t);
}

}  // namespace redflag::live
