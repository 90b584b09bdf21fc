// Records: atomics, plain accesses to the bytes of atomics, and finding a record safely.
//
// Locks are taken in this order: records of a granule from its first byte on, then its cell, then the
// lists of records.
#include "core/live/detector.h"

namespace redflag::live {

// --- Lists.

Record* Detector::find_record(std::uint64_t g, unsigned byte) {
  std::uint32_t i = LinearMemory::records(g).load(std::memory_order_acquire);
  while (i != 0) {
    Record& r = records[i];
    if (r.serves(g, byte)) return &r;
    // One that was given back may be in another granule's list by now; that ends, too.
    i = r.next.load(std::memory_order_acquire);
  }
  return nullptr;
}

Record* Detector::locked_record(std::uint64_t g, unsigned byte) {
  for (;;) {
    Record* const r = find_record(g, byte);
    if (r == nullptr) return nullptr;
    r->lock.lock();
    if (r->serves(g, byte)) return r;
    r->lock.unlock();
  }
}

// An empty one for these bytes, in no list yet.
Record& Detector::make_record(std::uint64_t g, unsigned low, unsigned high) {
  const std::uint32_t i = records.take(arena);
  Record& r = records[i];
  const Guard guard(r.lock);  // somebody who found it in its last life may still look
  r.low.store(static_cast<std::uint8_t>(low), std::memory_order_relaxed);
  r.high.store(static_cast<std::uint8_t>(high), std::memory_order_relaxed);
  r.is_mixed = 0;
  r.write = Epoch{};
  r.object = nullptr;
  r.granule.store(g, std::memory_order_release);
  const Guard lists(lists_lock);
  auto& head = LinearMemory::records(g);
  r.next.store(head.load(std::memory_order_relaxed), std::memory_order_relaxed);
  head.store(i, std::memory_order_release);
  LinearMemory::mark(g, kHasRecords);
  return r;
}

void Detector::drop_records(std::uint64_t g) {
  std::uint32_t i = 0;
  {
    const Guard lists(lists_lock);
    i = LinearMemory::records(g).exchange(0, std::memory_order_acq_rel);
  }
  while (i != 0) {
    Record& r = records[i];
    const std::uint32_t next = r.next.load(std::memory_order_relaxed);
    {
      const Guard guard(r.lock);
      r.clear(arena);
      if (auto* o = static_cast<Object*>(r.object); o != nullptr) {
        if (LockInfo* info = lock_info(o->id); info != nullptr) info->destroyed = true;
        o->readers.clear(arena);
        o->rounds[0].clear(arena);
        o->rounds[1].clear(arena);
        arena.give(o, sizeof(Object));
        r.object = nullptr;
      }
      r.granule.store(0, std::memory_order_release);
    }
    records.give(i);
    i = next;
  }
}

// The record, locked, ends before byte `at`; a copy of it serves the bytes from there.
void Detector::cut(Record& r, unsigned at) {
  const std::uint64_t g = r.granule.load(std::memory_order_relaxed);
  const unsigned high = r.high.load(std::memory_order_relaxed);
  r.high.store(static_cast<std::uint8_t>(at), std::memory_order_relaxed);
  Record& o = make_record(g, at, high);
  const Guard guard(o.lock);
  o.is_mixed = r.is_mixed;
  o.write = r.write;
  o.reads.copy(arena, r.reads);
  o.atomic_writes.copy(arena, r.atomic_writes);
  o.atomic_reads.copy(arena, r.atomic_reads);
  o.released.copy(arena, r.released);
}

// The state of the record's bytes moves from the cell to the record, which is locked. Bytes with another
// history than the first go to a record of their own: this one ends before them.
void Detector::take_bytes(Record& r) {
  const std::uint64_t g = r.granule.load(std::memory_order_relaxed);
  const unsigned low = r.low.load(std::memory_order_relaxed);
  const unsigned high = r.high.load(std::memory_order_relaxed);
  // Shared bytes have one history if the same reads are in the columns for each.
  const auto reads_of = [&](unsigned byte) {
    std::uint64_t sum = 0;
    cells.readers.for_each(g, Entry{1} << byte,
                           [&sum](Entry one) { sum += (epoch_of(one) + 1) * 0x9e3779b97f4a7c15U; });
    return sum;
  };
  unsigned alike = low + 1;
  while (alike < high && reads_of(alike) == reads_of(low)) ++alike;
  FinerBytes all;
  const unsigned end = cells.take_out(g, low, alike, all);
  if (end < high) cut(r, end);
  const Entry read = all.read[low];
  const ThreadClock nobody;
  if (all.write[low] != 0 && all.write[low] != kMixed) r.write = cells.epochs.at(all.write[low]);
  if (read == kShared) {
    cells.readers.for_each(g, Entry{1} << low, [&](Entry one) {
      const Epoch e = cells.epochs.at(one);
      if (!r.reads.has(e)) r.reads.add(arena, e, nobody);
    });
  } else if (read != 0) {
    r.reads.add(arena, cells.epochs.at(read), nobody);
  }
  r.is_mixed = 1;
}

// Locks records for exactly the bytes [low, high) of a granule, making them where there are none.
void Detector::lock_granule(std::uint64_t g, unsigned low, unsigned high, LockedRecords& out) {
  for (unsigned i = low; i < high;) {
    Record* r = locked_record(g, i);
    if (r == nullptr) {
      unsigned end = i + 1;
      while (end < high && find_record(g, end) == nullptr) ++end;
      const Guard guard(making_lock);
      if (find_record(g, i) == nullptr) make_record(g, i, end);
      continue;
    }
    const unsigned from = r->low.load(std::memory_order_relaxed);
    const unsigned to = r->high.load(std::memory_order_relaxed);
    if (from < i || to > high) {
      cut(*r, from < i ? i : high);
      r->lock.unlock();
      continue;
    }
    if (r->is_mixed == 0) take_bytes(*r);
    out.record[out.count++] = r;
    i = r->high.load(std::memory_order_relaxed);
  }
}

Record& Detector::lock_byte(Thread&, std::uint64_t addr) {
  const std::uint64_t there = home(addr / kGranule * kGranule) + addr % kGranule;
  const std::uint64_t g = there / kGranule * kGranule;
  const auto byte = static_cast<unsigned>(there - g);
  for (;;) {
    if (Record* r = locked_record(g, byte); r != nullptr) return *r;
    const Guard guard(making_lock);
    if (find_record(g, byte) == nullptr) make_record(g, byte, byte + 1);
  }
}

// --- Accesses.

// What an access to the bytes of record r races with; then r knows the access.
void Detector::check_record(Thread& t, Record& r, bool is_write, bool atomic, Found& step) {
  const ThreadClock& c = t.clock;
  const Epoch me = c.epoch;
  t.view.stamped = true;
  if (r.write && !c.covers(r.write)) {
    step.earlier = r.write;
    step.earlier_wrote = true;
  } else if (!atomic && r.atomic_writes.uncovered(c, step.earlier)) {
    step.earlier_wrote = step.earlier_atomic = true;
  } else if (is_write && r.reads.uncovered(c, step.earlier)) {
    step.earlier_wrote = false;
  } else if (is_write && !atomic && r.atomic_reads.uncovered(c, step.earlier)) {
    step.earlier_atomic = true;
  } else {
    step.earlier = Epoch{};
  }
  if (!atomic && is_write) {
    r.write = me;
    r.reads.clear(arena);
    r.atomic_writes.clear(arena);
    r.atomic_reads.clear(arena);
  } else {
    (!atomic ? r.reads : is_write ? r.atomic_writes : r.atomic_reads).add(arena, me, c);
  }
}

// A plain access to bytes that records have. Where there is none any more, the memory has got a new
// life meanwhile.
void Detector::on_records(Thread& t, Access& a, std::uint64_t g, std::uint64_t at_home, Entry bytes,
                          bool is_write) {
  const Epoch me = t.clock.epoch;
  for (unsigned i = 0; i < kGranule;) {
    Record* r = (bytes >> i & 1) == 0 ? nullptr : locked_record(at_home, i);
    if (r == nullptr) {
      ++i;
      continue;
    }
    const unsigned low = r->low.load(std::memory_order_relaxed);
    const unsigned high = r->high.load(std::memory_order_relaxed);
    unsigned end = i + 1;
    while (end < high && (bytes >> end & 1) != 0) ++end;
    if (low < i || end < high) {
      cut(*r, low < i ? i : end);
      r->lock.unlock();
      continue;
    }
    const bool known = is_write ? r->write == me && r->reads.empty() && r->atomic_writes.empty() &&
                                      r->atomic_reads.empty()
                                : r->write == me || r->reads.has(me);
    Found step;
    if (!known && r->is_mixed != 0) check_record(t, *r, is_write, false, step);
    r->lock.unlock();
    if (step.earlier) note_race(t, a, g + i, end - i, step);
    i = end;
  }
}

void Detector::atomic_begin(Thread& t, std::uint64_t addr, unsigned size, LockedRecords& out) {
  world.enter(t);
  out.count = 0;
  for (std::uint64_t at = addr, end = addr + size; at < end;) {
    const std::uint64_t here = at / kGranule * kGranule;
    const std::uint64_t stop = end < here + kGranule ? end : here + kGranule;
    lock_granule(home(here), static_cast<unsigned>(at - here), static_cast<unsigned>(stop - here),
                 out);
    at = stop;
  }
}

void Detector::atomic_end(Thread& t, std::uint64_t addr, unsigned size, AtomicOp op,
                          MemoryOrder order, std::uint64_t pc, std::uint8_t flags,
                          LockedRecords& out) {
  const bool acquires = order == MemoryOrder::kAcquire || order == MemoryOrder::kAcqRel;
  const bool releases =
      (order == MemoryOrder::kRelease || order == MemoryOrder::kAcqRel) && op != AtomicOp::kLoad;
  const bool is_write = op != AtomicOp::kLoad;
  Access a{addr, size, pc, is_write ? LogKind::kAtomicWrite : LogKind::kAtomicRead, flags};
  if (op != AtomicOp::kStore && t.ignore_sync == 0) {
    for (std::uint32_t k = 0; k < out.count; ++k) {
      const SyncClock& released = out.record[k]->released;
      if (released.empty()) continue;
      if (acquires) {
        released.acquire(arena, t.clock);
        see(t);
      } else if (!released.covered_by(t.clock)) {
        t.pending_acquire.merge(arena, released);
      }
    }
  }
  const Epoch me = t.clock.epoch;
  std::uint64_t at = addr;
  bool noted = false;
  for (std::uint32_t k = 0; k < out.count && t.ignore_accesses == 0; ++k) {
    Record& r = *out.record[k];
    const std::uint64_t bytes =
        r.high.load(std::memory_order_relaxed) - r.low.load(std::memory_order_relaxed);
    const std::uint64_t from = at;
    at += bytes;
    // An atomic write of this epoch conflicts with all that a read would conflict with.
    if (r.write == me || r.atomic_writes.has(me) || (!is_write && r.atomic_reads.has(me))) continue;
    if (!noted) {
      noted = true;
      note(t, a);
      tell(t, a, addr, addr + size);
    }
    Found step;
    check_record(t, r, is_write, true, step);
    if (step.earlier) note_race(t, a, from, bytes, step);
  }
  if (is_write && t.ignore_sync == 0) {
    for (std::uint32_t k = 0; k < out.count; ++k) {
      SyncClock& released = out.record[k]->released;
      if (op == AtomicOp::kStore) {
        if (releases) {
          released.store(arena, t.clock);
        } else {
          released.copy(arena, t.release_fence);
        }
      } else if (releases) {
        released.merge(arena, t.clock);
      } else if (!t.release_fence.empty()) {
        released.merge(arena, t.release_fence);
      }
    }
  }
  while (out.count != 0) out.record[--out.count]->lock.unlock();
  flush(t, a);
  if (releases && t.ignore_sync == 0) advance(t);
  world.leave(t);
  sweep_if_due(t);
}

void Detector::fence(Thread& t, MemoryOrder order) {
  world.enter(t);
  if (order == MemoryOrder::kAcquire || order == MemoryOrder::kAcqRel) {
    if (!t.pending_acquire.empty()) {
      t.pending_acquire.acquire(arena, t.clock);
      t.pending_acquire.clear(arena);
      see(t);
    }
  }
  if (order == MemoryOrder::kRelease || order == MemoryOrder::kAcqRel) {
    t.release_fence.store(arena, t.clock);
    advance(t);
  }
  world.leave(t);
}

}  // namespace redflag::live
