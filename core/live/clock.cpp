#include "core/live/clock.h"

namespace redflag::live {
namespace {

std::size_t bytes_for(std::uint32_t slots) {
  return sizeof(Snapshot) + slots * sizeof(std::uint64_t);
}

Snapshot* make_snapshot(Arena& arena, std::uint32_t capacity) {
  auto* s = static_cast<Snapshot*>(arena.take(bytes_for(capacity)));
  s->references.store(1, std::memory_order_relaxed);
  s->size = 0;
  s->capacity = capacity;
  return s;
}

Snapshot* with_reference(Snapshot* s) {
  if (s != nullptr) s->references.fetch_add(1, std::memory_order_relaxed);
  return s;
}

// Entry i becomes at least `clock`.
void raise(Snapshot& s, std::uint32_t i, std::uint64_t clock) {
  for (; s.size <= i; ++s.size) s.clocks()[s.size] = 0;
  if (s.clocks()[i] < clock) s.clocks()[i] = clock;
}

void raise(Snapshot& s, const std::uint64_t* clocks, std::uint32_t n) {
  for (; s.size < n; ++s.size) s.clocks()[s.size] = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (s.clocks()[i] < clocks[i]) s.clocks()[i] = clocks[i];
  }
}

std::uint32_t index(Epoch e) {
  return static_cast<std::uint32_t>(e.slot());
}

// `clock` becomes one that joins several: a snapshot of its own with room for `slots`.
Snapshot& own(Arena& arena, SyncClock& clock, std::uint32_t slots) {
  if (clock.at && index(clock.at) >= slots) slots = index(clock.at) + 1;
  Snapshot* s = clock.known;
  const bool mine = s != nullptr && s->references.load(std::memory_order_acquire) == 1;
  if (!mine || s->capacity < slots) {
    if (s != nullptr && s->size > slots) slots = s->size;
    Snapshot* made = make_snapshot(arena, slots);
    if (s != nullptr) {
      raise(*made, s->clocks(), s->size);
      release_reference(arena, s);
    }
    clock.known = made;
  }
  if (clock.at) raise(*clock.known, index(clock.at), clock.at.clock());
  clock.at = Epoch{};
  return *clock.known;
}

}  // namespace

void release_reference(Arena& arena, Snapshot* s) {
  if (s != nullptr && s->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    arena.give(s, bytes_for(s->capacity));
  }
}

void ThreadClock::move_begins() {
  __atomic_store_n(&version, version + 1, __ATOMIC_RELAXED);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void ThreadClock::move_ends() {
  __atomic_store_n(&version, version + 1, __ATOMIC_RELEASE);
}

// The memory may be given back and be another's by now: `version` tells.
REDFLAG_MAY_READ_LATE static std::uint64_t entry(const std::uint64_t* clocks, std::uint32_t i) {
  return static_cast<const volatile std::uint64_t*>(clocks)[i];
}

std::uint64_t ThreadClock::peek(std::uint32_t i) const {
  const std::uint32_t before = __atomic_load_n(&version, __ATOMIC_ACQUIRE);
  const std::uint32_t n = __atomic_load_n(&size, __ATOMIC_ACQUIRE);
  const std::uint64_t* from = __atomic_load_n(&clocks, __ATOMIC_RELAXED);
  if (before % 2 != 0 || i >= n || from == nullptr) return 0;
  const std::uint64_t found = entry(from, i);
  std::atomic_thread_fence(std::memory_order_acquire);
  return __atomic_load_n(&version, __ATOMIC_RELAXED) == before ? found : 0;
}

void ThreadClock::reserve(Arena& arena, std::uint32_t slots) {
  if (slots > capacity) {
    std::uint32_t wanted = capacity == 0 ? 8 : capacity;
    while (wanted < slots) wanted *= 2;
    auto* made = static_cast<std::uint64_t*>(arena.take(wanted * sizeof(std::uint64_t)));
    for (std::uint32_t i = 0; i < size; ++i) made[i] = clocks[i];
    move_begins();
    if (clocks != nullptr) arena.give(clocks, capacity * sizeof(std::uint64_t));
    __atomic_store_n(&clocks, made, __ATOMIC_RELAXED);
    capacity = wanted;
    move_ends();
  }
  // The entry before the size that shows it.
  for (; size < slots; __atomic_store_n(&size, size + 1, __ATOMIC_RELEASE)) clocks[size] = 0;
}

Snapshot* ThreadClock::share(Arena& arena) {
  if (snapshot == nullptr) {
    snapshot = make_snapshot(arena, size);
    raise(*snapshot, clocks, size);
    snapshot->clocks()[index(epoch)] = published().clock();
  }
  return with_reference(snapshot);
}

void ThreadClock::learned(Arena& arena) {
  ++changes;
  if (stamped != nullptr) *stamped = true;
  release_reference(arena, snapshot);
  snapshot = nullptr;
}

void ThreadClock::free(Arena& arena) {
  learned(arena);
  move_begins();
  if (clocks != nullptr) arena.give(clocks, capacity * sizeof(std::uint64_t));
  __atomic_store_n(&clocks, nullptr, __ATOMIC_RELAXED);
  __atomic_store_n(&size, 0, __ATOMIC_RELAXED);
  capacity = 0;
  move_ends();
}

void SyncClock::clear(Arena& arena) {
  release_reference(arena, known);
  known = nullptr;
  at = Epoch{};
}

void SyncClock::store(Arena& arena, ThreadClock& t) {
  Snapshot* shared = t.share(arena);
  release_reference(arena, known);
  known = shared;
  at = t.published();
}

void SyncClock::copy(Arena& arena, const SyncClock& other) {
  Snapshot* shared = with_reference(other.known);
  release_reference(arena, known);
  known = shared;
  at = other.at;
}

bool SyncClock::covered_by(const ThreadClock& t) const {
  if (at) return t.covers(at);
  if (known == nullptr) return true;
  for (std::uint32_t i = 0; i < known->size; ++i) {
    if (known->clocks()[i] > (i < t.size ? t.clocks[i] : 0)) return false;
  }
  return true;
}

void SyncClock::merge(Arena& arena, ThreadClock& t) {
  if (covered_by(t)) return store(arena, t);
  Snapshot& s = own(arena, *this, t.size);
  std::uint64_t& own_clock = t.clocks[index(t.epoch)];
  own_clock = t.published().clock();
  raise(s, t.clocks, t.size);
  own_clock = t.epoch.clock();
}

void SyncClock::merge(Arena& arena, const SyncClock& other) {
  if (other.empty()) return;
  if (empty()) return copy(arena, other);
  std::uint32_t slots = other.known == nullptr ? 0 : other.known->size;
  if (other.at && index(other.at) >= slots) slots = index(other.at) + 1;
  Snapshot& s = own(arena, *this, slots);
  if (other.known != nullptr) raise(s, other.known->clocks(), other.known->size);
  if (other.at) raise(s, index(other.at), other.at.clock());
}

void SyncClock::acquire(Arena& arena, ThreadClock& t) const {
  if (at && t.covers(at)) return;
  bool learnt = false;
  if (known != nullptr) {
    t.reserve(arena, known->size);
    for (std::uint32_t i = 0; i < known->size; ++i) {
      if (t.clocks[i] < known->clocks()[i]) {
        t.clocks[i] = known->clocks()[i];
        learnt = true;
      }
    }
  }
  if (at) {
    t.reserve(arena, index(at) + 1);
    std::uint64_t& clock = t.clocks[index(at)];
    if (clock < at.clock()) {
      clock = at.clock();
      learnt = true;
    }
  }
  if (learnt) t.learned(arena);
}

Epoch Slots::begin(Arena& arena, const ThreadClock* parent, std::uint32_t thread) {
  const Guard guard(lock_);
  std::uint32_t found = kMaxSlots;
  // Those that ended longest ago are the likeliest to be known to the parent: threads are joined in
  // rounds. Then the newest, for a parent that joins each before it makes the next while others are
  // never joined; then some in turn.
  constexpr std::uint32_t kTried = 16;
  const std::uint32_t n = ended_count_;
  for (std::uint32_t k = 0; parent != nullptr && k < 3 * kTried && k < n; ++k) {
    const std::uint32_t i = k < kTried ? k : k < 2 * kTried ? n - 1 - (k - kTried) : turn_++ % n;
    const std::uint32_t s = ended(i);
    if (parent->at(redflag::Slot{s}) < slot(s).final_clock) continue;
    if (i < n / 2) {
      ended(i) = ended(0);
      ++ended_first_;
    } else {
      ended(i) = ended(n - 1);
    }
    --ended_count_;
    found = s;
    break;
  }
  if (found == kMaxSlots) {
    found = count_.load(std::memory_order_relaxed);
    if (found == kMaxSlots) os_die("redflag: over a million threads that nothing orders\n");
    Slot*& chunk = chunks_[found / kPerChunk];
    if (chunk == nullptr) chunk = static_cast<Slot*>(arena.map(sizeof(Slot) * kPerChunk));
    count_.store(found + 1, std::memory_order_relaxed);
    if (ended_capacity_ <= found) {  // room for every slot to have ended
      const std::uint32_t wanted = ended_capacity_ == 0 ? 256 : ended_capacity_ * 2;
      auto* made = static_cast<std::uint32_t*>(arena.take(wanted * sizeof(std::uint32_t)));
      for (std::uint32_t i = 0; i < ended_count_; ++i) made[i] = ended(i);
      ended_first_ = 0;
      if (ended_ != nullptr) arena.give(ended_, ended_capacity_ * sizeof(std::uint32_t));
      ended_ = made;
      ended_capacity_ = wanted;
    }
  }
  Slot& s = slot(found);
  const std::uint64_t first = s.final_clock + 1;
  s.tenant[s.tenants++ % kTenants] = {first, thread};
  return Epoch(redflag::Slot{found}, first);
}

void Slots::end(Epoch last) {
  const Guard guard(lock_);
  const std::uint32_t s = index(last);
  slot(s).final_clock = last.clock();
  ended(ended_count_++) = s;
}

bool Slots::owner(Epoch epoch, std::uint32_t& thread) {
  const Guard guard(lock_);
  if (index(epoch) >= count()) return false;
  Slot& s = slot(index(epoch));
  for (std::uint32_t k = 0; k < kTenants && k < s.tenants; ++k) {
    const Tenancy& tenancy = s.tenant[(s.tenants - 1 - k) % kTenants];
    if (tenancy.first_clock <= epoch.clock()) {
      thread = tenancy.thread;
      return true;
    }
  }
  return false;
}

}  // namespace redflag::live
