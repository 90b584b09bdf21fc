// Synchronisation other than atomics: locks, barriers, and anything known by an address.
#include "core/live/detector.h"

namespace redflag::live {
namespace {

// The record of the byte at an address, locked for as long as this lives; the thread is inside.
class AtByte {
 public:
  AtByte(Detector& d, Thread& t, std::uint64_t addr) : d_(d), t_(t) {
    d.world.enter(t);
    record_ = &d.lock_byte(t, addr);
  }
  // Of the lock that t took last, mostly: then its record is known.
  AtByte(Detector& d, Thread& t, std::uint64_t addr, const Held* last) : d_(d), t_(t) {
    d.world.enter(t);
    if (last != nullptr && last->addr == addr) {
      Record& r = *last->record;
      r.lock.lock();
      // It is the object's as long as it is in use.
      const auto* o = static_cast<const Object*>(r.object);
      if (r.granule.load(std::memory_order_relaxed) != 0 && o != nullptr && o->id == last->lock &&
          o->addr == addr) {
        record_ = &r;
        return;
      }
      r.lock.unlock();
    }
    record_ = &d.lock_byte(t, addr);
  }
  ~AtByte() {
    record_->lock.unlock();
    Detector::see(t_);
    d_.world.leave(t_);
  }
  AtByte(const AtByte&) = delete;
  AtByte& operator=(const AtByte&) = delete;
  Record& operator*() { return *record_; }
  Record* operator->() { return record_; }

 private:
  Detector& d_;
  Thread& t_;
  Record* record_ = nullptr;
};

constexpr std::uint32_t kKeptInSet = 16;

}  // namespace

Object& Detector::object(Record& r, std::uint64_t addr, Object::Kind kind, std::uint32_t where) {
  auto* o = static_cast<Object*>(r.object);
  if (o == nullptr) {
    o = static_cast<Object*>(arena.take(sizeof(Object)));
    *o = Object{};
    o->kind = kind;
    o->addr = addr;
    o->created = where;
    if (kind == Object::Kind::kLock) {
      o->id = next_lock.fetch_add(1, std::memory_order_relaxed) + 1;
      LockInfo& info = lock_infos[o->id % kLockInfos];
      info = {o->id, addr, where, 0, false};
    }
    r.object = o;
  }
  return *o;
}

LockInfo* Detector::lock_info(std::uint64_t id) {
  LockInfo* info = &lock_infos[id % kLockInfos];
  return id != 0 && info->id == id ? info : nullptr;
}

void Detector::acquire(Thread& t, std::uint64_t addr) {
  if (t.ignore_sync != 0) return;
  if (!aliases.any() &&
      LinearMemory::records(addr / kGranule * kGranule).load(std::memory_order_acquire) == 0) {
    return;  // nothing was ever released there
  }
  AtByte r(*this, t, addr);
  r->released.acquire(arena, t.clock);
}

void Detector::release(Thread& t, std::uint64_t addr, bool store) {
  if (t.ignore_sync != 0) return;
  AtByte r(*this, t, addr);
  if (store) {
    r->released.store(arena, t.clock);
  } else {
    r->released.merge(arena, t.clock);
  }
  advance(t);
}

void Detector::lock_created(Thread& t, std::uint64_t addr, std::uint32_t traits, std::uint64_t pc) {
  AtByte r(*this, t, addr);
  if (auto* old = static_cast<Object*>(r->object);
      old != nullptr && old->kind != Object::Kind::kLock) {
    arena.give(old, sizeof(Object));
    r->object = nullptr;
  }
  if (auto* known = static_cast<Object*>(r->object);
      known != nullptr && (traits & static_cast<std::uint32_t>(LockTrait::kStatic)) != 0) {
    known->traits |= traits;
    if (LockInfo* info = lock_info(known->id); info != nullptr) info->traits |= traits;
    return;
  }
  const std::uint32_t where = context(t, pc);
  Object& o = object(*r, addr, Object::Kind::kLock, where);
  o.traits = traits;
  o.created = where;
  if (LockInfo* info = lock_info(o.id); info != nullptr) {
    info->created = where;
    info->traits = traits;
    info->destroyed = false;
  }
}

std::uint32_t Detector::lock_traits(Thread& t, std::uint64_t addr) {
  AtByte r(*this, t, addr);
  const auto* o = static_cast<const Object*>(r->object);
  return o == nullptr ? 0 : o->traits;
}

bool Detector::lock_destroyed(Thread& t, std::uint64_t addr) {
  AtByte r(*this, t, addr);
  auto* o = static_cast<Object*>(r->object);
  r->released.clear(arena);
  if (o == nullptr) return true;
  const bool locked = o->owner != 0;
  if (LockInfo* info = lock_info(o->id); info != nullptr) info->destroyed = true;
  o->readers.clear(arena);
  o->rounds[0].clear(arena);
  o->rounds[1].clear(arena);
  arena.give(o, sizeof(Object));
  r->object = nullptr;
  if (locked) {
    for (std::uint32_t i = 0; i < t.held_count; ++i) {
      if (t.held[i].addr != addr) continue;
      t.held[i] = t.held[--t.held_count];
      t.lockset_known = false;
      break;
    }
  }
  return !locked;
}

Detector::LockFault Detector::lock_acquired(Thread& t, std::uint64_t addr, bool is_shared,
                                            std::uint32_t depth, std::uint64_t pc) {
  AtByte r(*this, t, addr);
  const std::uint32_t where = context(t, pc);
  Object& o = object(*r, addr, Object::Kind::kLock, where);
  LockFault fault = LockFault::kFine;
  bool nested = false;
  if (!is_shared) {
    if (o.owner == t.number + 1 && o.depth != 0) {
      nested = true;
      if ((o.traits & static_cast<std::uint32_t>(LockTrait::kReentrant)) == 0) {
        fault = LockFault::kDouble;
      }
    } else if (o.owner != 0) {
      fault = LockFault::kDouble;
    }
    o.owner = t.number + 1;
    o.depth += depth;
  } else if (o.owner != 0) {
    fault = LockFault::kWrongMode;
  }
  if (!nested && t.ignore_sync == 0) {
    r->released.acquire(arena, t.clock);
    if (!is_shared && !o.readers.empty()) o.readers.acquire(arena, t.clock);
  }
  if (nested) return fault;
  if (t.held_count == t.held_capacity) {
    const std::uint32_t wanted = t.held_capacity == 0 ? 10 : t.held_capacity * 2;
    auto* made = static_cast<Held*>(arena.take(wanted * sizeof(Held)));
    for (std::uint32_t i = 0; i < t.held_count; ++i) made[i] = t.held[i];
    if (t.held != nullptr) arena.give(t.held, t.held_capacity * sizeof(Held));
    t.held = made;
    t.held_capacity = wanted;
  }
  t.held[t.held_count++] = {o.id, addr, &*r, where, is_shared ? std::uint16_t{1} : std::uint16_t{0},
                            1};
  t.lockset_known = false;
  return fault;
}

std::uint32_t Detector::lock_abandoned(Thread& t, std::uint64_t addr) {
  AtByte r(*this, t, addr);
  Object& o = object(*r, addr, Object::Kind::kLock, 0);
  const std::uint32_t owner = o.owner;
  o.owner = 0;
  o.depth = 0;
  return owner;
}

bool Detector::holds_shared(const Thread& t, std::uint64_t addr) const {
  const std::uint64_t there = home(addr);
  for (std::uint32_t i = t.held_count; i > 0; --i) {
    if (home(t.held[i - 1].addr) == there) return t.held[i - 1].shared != 0;
  }
  return false;
}

Detector::LockFault Detector::lock_released(Thread& t, std::uint64_t addr, bool is_shared,
                                            bool fully, std::uint32_t* depth) {
  AtByte r(*this, t, addr, t.held_count == 0 ? nullptr : &t.held[t.held_count - 1]);
  Object& o = object(*r, addr, Object::Kind::kLock, 0);
  LockFault fault = LockFault::kFine;
  if (depth != nullptr) *depth = 1;
  if (!is_shared) {
    if (o.owner != t.number + 1 || o.depth == 0) {
      fault = LockFault::kNotHeld;
    } else if (o.depth > 1 && !fully) {
      --o.depth;
      return fault;
    }
    if (depth != nullptr && o.depth != 0) *depth = o.depth;
    o.owner = 0;
    o.depth = 0;
  } else if (o.owner == t.number + 1) {
    fault = LockFault::kWrongMode;
  }
  for (std::uint32_t i = t.held_count; i > 0; --i) {
    // By its number: it may have been taken at another address. By its address: it may be forgotten.
    if (t.held[i - 1].lock != o.id && t.held[i - 1].addr != addr) continue;
    // The order of acquisition is kept: the set's first are the oldest. Usually it is the last.
    for (std::uint32_t k = i; k < t.held_count; ++k) t.held[k - 1] = t.held[k];
    --t.held_count;
    t.lockset_known = false;
    break;
  }
  if (t.ignore_sync != 0) return fault;
  if (is_shared) {
    o.readers.merge(arena, t.clock);
  } else if (fault == LockFault::kFine) {
    r->released.store(arena, t.clock);
    o.readers.clear(arena);  // the owner waited for them
  } else {
    r->released.merge(arena, t.clock);  // given up for somebody else: both are known afterwards
  }
  advance(t);
  return fault;
}

std::uint32_t Detector::lockset(Thread& t) {
  if (t.lockset_known) [[likely]]
    return t.lockset;
  std::uint32_t set = Contexts::kRoot;
  if (t.held_count == 1) {  // mostly
    const Held& h = t.held[0];
    const std::uint64_t word =
        h.lock << 25 | std::uint64_t{h.context} << 1 | (h.shared != 0 ? 1 : 0);
    Place& p = t.sets[(word ^ word >> 25) % kSets];
    if (p.pc != word) p = {word, 0, locksets.child(arena, set, word)};
    t.lockset = p.context;
    t.lockset_known = true;
    return p.context;
  }
  const std::uint32_t first = t.held_count > kKeptInSet ? t.held_count - kKeptInSet : 0;
  for (std::uint32_t i = first; i < t.held_count; ++i) {
    const Held& h = t.held[i];
    set = locksets.child(arena, set,
                         h.lock << 25 | std::uint64_t{h.context} << 1 | (h.shared != 0 ? 1 : 0));
  }
  t.lockset = set;
  t.lockset_known = true;
  return set;
}

// The first to leave proves that its round is full. Rounds alternate between two clocks: whoever
// enters a round has left the one before, so that nobody still reads the clock of the round before
// that one.
std::uint32_t Detector::barrier_enter(Thread& t, std::uint64_t addr) {
  AtByte r(*this, t, addr);
  Object& o = object(*r, addr, Object::Kind::kBarrier, 0);
  const std::uint32_t round = o.round;
  SyncClock& clock = o.rounds[round % 2];
  if (o.entered == 0) clock.clear(arena);
  if (t.ignore_sync == 0) clock.merge(arena, t.clock);
  ++o.entered;
  advance(t);
  return round;
}

void Detector::barrier_exit(Thread& t, std::uint64_t addr, std::uint32_t round) {
  if (t.ignore_sync != 0) return;
  AtByte r(*this, t, addr);
  Object& o = object(*r, addr, Object::Kind::kBarrier, 0);
  if (o.round == round) {
    o.entered = 0;
    ++o.round;
  }
  o.rounds[round % 2].acquire(arena, t.clock);
}

}  // namespace redflag::live
