// Records: atomics, plain accesses to the bytes of atomics, and finding a record safely.
#include "core/live/detector.h"

namespace redflag::live {

std::uint32_t Detector::new_record(std::uint32_t h, unsigned low, unsigned high) {
  const std::uint32_t i = records.take(arena);
  history_taken(sizeof(Record));
  Record& r = records[i];
  r.low = static_cast<std::uint8_t>(low);
  r.high = static_cast<std::uint8_t>(high);
  r.object = nullptr;
  r.free = 0;
  r.write = Epoch{};
  if (form(h) == Form::kShared) {
    settle(h);
    SharedHistory& s = shared[shared_index(h)];
    r.write = s.write;
    r.reads.set(arena, reinterpret_cast<const Epoch*>(s.reads()), s.readers);
  } else if (h != 0) {
    r.write = pairs.write_of(h);
    const Epoch read = pairs.read_of(h);
    if (read) r.reads.set(arena, &read, 1);
  }
  return i;
}

// The caller took it out of its cell, alone.
void Detector::drop_record(std::uint32_t i) {
  Record& r = records[i];
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
    r.free = 1;
  }
  records.give(i);
}

void Detector::drop_records(std::uint32_t h) {
  std::uint32_t last = 0;
  for (unsigned k = 0; k < kGranule; ++k) {
    const std::uint32_t b = handle_at(h, k);
    if (form(b) == Form::kMixed && b != last) drop_record(index(b));
    last = b;
  }
}

// Makes record i end before byte `at`; a copy of it serves the bytes from there. False: look again.
bool Detector::cut(Thread& t, Cell& cell, std::uint32_t i, unsigned at) {
  Record& r = records[i];
  const Guard guard(r.lock);
  std::uint32_t now = cell.load(std::memory_order_acquire);
  if (r.free != 0 || r.low >= at || r.high <= at ||
      handle_at(now, r.low) != handle(Form::kMixed, i)) {
    return false;
  }
  if (is_halves(now)) {
    to_bytes(t, cell, now);
    return false;
  }
  const std::uint32_t other = new_record(0, at, r.high);
  Record& o = records[other];
  o.write = r.write;
  o.reads.copy(arena, r.reads);
  o.atomic_writes.copy(arena, r.atomic_writes);
  o.atomic_reads.copy(arena, r.atomic_reads);
  o.released.copy(arena, r.released);
  const std::uint32_t to = with_bytes(now, at, r.high, handle(Form::kMixed, other));
  if (!cell.compare_exchange_strong(now, to, std::memory_order_acq_rel)) {
    drop_record(other);
    return false;
  }
  r.high = static_cast<std::uint8_t>(at);
  return true;
}

// Locks the record that is for exactly these bytes, of one granule. False: nothing is locked; there is
// none, or it takes more to say.
bool Detector::lock_known(std::uint64_t addr, unsigned size, LockedRecords& out) {
  const auto low = static_cast<unsigned>(addr % kGranule);
  if (low + size > kGranule || shadow.aliases.any()) return false;
  const Cell* const cell = shadow.find(addr);
  if (cell == nullptr) return false;
  const std::uint32_t h = cell->load(std::memory_order_acquire);
  std::uint32_t b = h;
  if (form(h) == Form::kSplit) {
    if (is_halves(h) || is_own_split(h)) return false;
    b = splits[split_index(h)].bytes[low].load(std::memory_order_acquire);
  }
  if (form(b) != Form::kMixed) return false;
  Record& r = records[index(b)];
  r.lock.lock();
  // Immutable is what the cell leads to, but it may lead elsewhere by now.
  if (r.free != 0 || r.low != low || r.high != low + size ||
      cell->load(std::memory_order_acquire) != h) {
    r.lock.unlock();
    return false;
  }
  out.granule[0] = addr - low;
  out.record[0] = &r;
  out.count = 1;
  return true;
}

// Locks records for exactly the bytes [low, high) of a granule, making them where there are none.
void Detector::lock_granule(Thread& t, std::uint64_t g, unsigned low, unsigned high,
                            LockedRecords& out) {
  const std::uint32_t before = out.count;
  for (;;) {
    // Waiting for an owner with a lock in hand could wait for ever. Of the other half of 16 bytes,
    // which lies in the same block, one may be held; but then the block cannot have moved on: its
    // next owner waits until this thread leaves.
    bool mine = false;
    Cell& cell = before == 0 ? hold(t, g, mine) : shadow.get(shadow.home(g));
    std::uint32_t h = cell.load(std::memory_order_acquire);
    if (is_own_split(h)) {
      settle_bytes(t, cell, h);
      continue;
    }
    std::uint64_t word = 0;  // of halves
    if (is_halves(h)) {
      word = halves[halves_index(h)].word.load(std::memory_order_acquire);
      if (word == Halves::kFrozen) continue;
    }
    const auto at_byte = [&](unsigned k) {
      return is_halves(h) ? Halves::half(word, k / 4) : handle_at(h, k);
    };
    bool again = false;
    for (unsigned i = low; i < high && !again;) {
      const std::uint32_t b = at_byte(i);
      if (form(b) == Form::kMixed) {
        Record& r = records[index(b)];
        r.lock.lock();
        // Still the one for these bytes? The cell may have changed for other bytes.
        const std::uint32_t now = cell.load(std::memory_order_acquire);
        if (r.free != 0 || handle_at(now, i) != b) {
          r.lock.unlock();
          again = true;
          break;
        }
        if (r.low < i || r.high > high) {
          const unsigned at = r.low < i ? i : high;
          r.lock.unlock();
          cut(t, cell, index(b), at);
          again = true;
          break;
        }
        out.granule[out.count] = g;
        out.record[out.count++] = &r;
        i = r.high;
        continue;
      }
      unsigned end = i + 1;
      while (end < high && at_byte(end) == b) ++end;
      if (is_halves(h) && (i % 4 != 0 || end % 4 != 0)) {
        to_bytes(t, cell, h);
        again = true;
        break;
      }
      const std::uint32_t made = new_record(b, i, end);
      const std::uint32_t mixed = handle(Form::kMixed, made);
      Record& r = records[made];
      r.lock.lock();
      bool done = false;
      if (is_halves(h)) {
        const std::uint64_t to = Halves::word_of(i == 0 ? mixed : Halves::half(word, 0),
                                                 end == kGranule ? mixed : Halves::half(word, 1));
        done = halves[halves_index(h)].word.compare_exchange_strong(word, to,
                                                                    std::memory_order_acq_rel);
        if (done) word = to;
      } else {
        const std::uint32_t to = end - i == kGranule ? mixed : with_bytes(h, i, end, mixed);
        done = cell.compare_exchange_strong(h, to, std::memory_order_acq_rel);
        if (done) h = to;
      }
      if (!done) {
        r.lock.unlock();
        drop_record(made);
        again = true;
        break;
      }
      out.granule[out.count] = g;
      out.record[out.count++] = &r;
      i = end;
    }
    if (!again) return;
    while (out.count > before) out.record[--out.count]->lock.unlock();
  }
}

void Detector::unlock_all(LockedRecords& out) {
  while (out.count != 0) out.record[--out.count]->lock.unlock();
}

// What an access to the bytes of record r races with; then r knows the access.
void Detector::check_record(Thread& t, Record& r, bool is_write, bool atomic, Step& step) {
  const ThreadClock& c = t.clock;
  const Epoch me = c.epoch;
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

// A plain access of which some bytes have records. False: look again.
bool Detector::plain_on_record(Thread& t, Access& a, std::uint64_t g, Cell& cell, std::uint32_t h,
                               unsigned low, unsigned high) {
  const bool is_write = a.kind == LogKind::kWrite || a.kind == LogKind::kFree;
  for (unsigned i = low; i < high;) {
    const std::uint32_t b = handle_at(h, i);
    unsigned end = i + 1;
    while (end < high && handle_at(h, end) == b) ++end;
    if (form(b) != Form::kMixed) {
      granule(t, a, g, i, end);
      i = end;
      continue;
    }
    Record& r = records[index(b)];
    r.lock.lock();
    const std::uint32_t now = cell.load(std::memory_order_acquire);
    if (r.free != 0 || handle_at(now, i) != b) {
      r.lock.unlock();
      granule(t, a, g, i, high);  // what was done before i stays done
      return true;
    }
    if (r.low < i || r.high > high) {
      const unsigned at = r.low < i ? i : high;
      r.lock.unlock();
      cut(t, cell, index(b), at);
      granule(t, a, g, i, high);
      return true;
    }
    end = r.high;
    const Epoch me = t.clock.epoch;
    const bool known = is_write ? r.write == me && r.reads.empty() && r.atomic_writes.empty() &&
                                      r.atomic_reads.empty()
                                : r.write == me || r.reads.has(me);
    Step step;
    if (!known) {
      remember(t, a);
      check_record(t, r, is_write, false, step);
    }
    r.lock.unlock();
    note(t, a, g + i, end - i, step);
    i = end;
  }
  return true;
}

void Detector::atomic_begin(Thread& t, std::uint64_t addr, unsigned size, LockedRecords& out,
                            Flush flush) {
  if (flush == Flush::kAlways) flush_pending(t);
  for (;;) {
    world.enter(t);
    out.count = 0;
    const bool known = lock_known(addr, size, out);
    for (std::uint64_t at = addr, end = addr + size; !known && at < end;) {
      const std::uint64_t here = at / kGranule * kGranule;
      const std::uint64_t stop = end < here + kGranule ? end : here + kGranule;
      lock_granule(t, here, static_cast<unsigned>(at - here), static_cast<unsigned>(stop - here),
                   out);
      at = stop;
    }
    if (flush != Flush::kIfLearning || t.waiting_count == 0) return;
    bool learns = false;
    for (std::uint32_t k = 0; k < out.count; ++k) {
      learns = learns || !out.record[k]->released.covered_by(t.clock);
    }
    if (!learns) return;
    // Accesses that wait were made before this was known.
    unlock_all(out);
    world.leave(t);
    flush_pending(t);
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
      } else if (!released.covered_by(t.clock)) {
        t.pending_acquire.merge(arena, released);
      }
    }
  }
  const Epoch me = t.clock.epoch;
  for (std::uint32_t k = 0; k < out.count && t.ignore_accesses == 0; ++k) {
    Record& r = *out.record[k];
    // An atomic write of this epoch conflicts with all that a read would conflict with.
    if (r.write == me || r.atomic_writes.has(me) || (!is_write && r.atomic_reads.has(me))) continue;
    if (a.context == 0) {
      a.context = context(t, pc);
      t.log.add(
          {Brief::what_of(addr, size, a.kind, flags), pc, me.clock(), node_of(t), lockset(t)});
      tell(t, a, addr, addr + size);
    }
    Step step;
    check_record(t, r, is_write, true, step);
    note(t, a, out.granule[k] + r.low, static_cast<std::uint64_t>(r.high - r.low), step);
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
  unlock_all(out);
  flush(t, a);
  if (releases && t.ignore_sync == 0) advance(t);
  world.leave(t);
  sweep_if_due(t);
}

void Detector::fence(Thread& t, MemoryOrder order) {
  flush_pending(t);
  world.enter(t);
  if (order == MemoryOrder::kAcquire || order == MemoryOrder::kAcqRel) {
    if (!t.pending_acquire.empty()) {
      t.pending_acquire.acquire(arena, t.clock);
      t.pending_acquire.clear(arena);
    }
  }
  if (order == MemoryOrder::kRelease || order == MemoryOrder::kAcqRel) {
    t.release_fence.store(arena, t.clock);
    advance(t);
  }
  world.leave(t);
}

}  // namespace redflag::live
