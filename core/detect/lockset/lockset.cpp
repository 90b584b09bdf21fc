#include "core/detect/lockset/lockset.h"

#include <algorithm>
#include <iterator>

#include "core/detect/race_log.h"

namespace redflag::lockset {
namespace {

// The lock that every atomic access holds; no lock of a program has this number in practice, and if
// one had, the only effect would be a missed prediction.
constexpr LockId kAtomicLock{~std::uint64_t{0}};
constexpr std::uint32_t kMaxSets = (1U << 24) - 1;

}  // namespace

LockSets::Id LockSets::intern(std::vector<LockId> sorted) {
  const auto [it, made] = ids_.try_emplace(sorted, static_cast<Id>(sets_.size()));
  if (!made) return it->second;
  // A set too many to number is treated as empty: predictions too many, none lost.
  if (sets_.size() >= kMaxSets) return it->second = 0;
  sets_.push_back(std::move(sorted));
  return it->second;
}

LockSets::Id LockSets::with(Id set, LockId lock) {
  std::vector<LockId> locks = sets_[set];
  const auto at = std::lower_bound(locks.begin(), locks.end(), lock);
  if (at != locks.end() && *at == lock) return set;
  locks.insert(at, lock);
  return intern(std::move(locks));
}

LockSets::Id LockSets::without(Id set, LockId lock) {
  std::vector<LockId> locks = sets_[set];
  std::erase(locks, lock);
  return intern(std::move(locks));
}

LockSets::Id LockSets::intersect(Id a, Id b) {
  if (a == b || a == 0) return a;
  if (b == 0) return b;
  const auto [it, made] = intersections_.try_emplace(std::minmax(a, b), Id{0});
  if (made) {
    std::vector<LockId> both;
    std::set_intersection(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(),
                          std::back_inserter(both));
    it->second = intern(std::move(both));
  }
  return it->second;
}

Lockset::Lockset(const DetectorOptions& options) : options_(options), shadow_(options.memory) {}

void Lockset::on_events(std::span<const Event> events, EventIndex first) {
  std::uint64_t index = raw(first);
  for (const Event& e : events) {
    const EventIndex at{index++};
    switch (e.kind) {
      case EventKind::kAcquire:
        take(e, true);
        break;
      case EventKind::kAcquireShared:
        take(e, false);
        break;
      case EventKind::kRelease:
      case EventKind::kReleaseShared:
        give(e);
        break;
      case EventKind::kJoin:
        held_.erase(e.other());
        break;
      default:
        if (is_access(e.kind)) access(e, at);
    }
  }
}

void Lockset::take(const Event& e, bool exclusive) {
  Held& h = held_[e.thread];
  ++h.depth[e.lock()];
  h.any = sets_.with(h.any, e.lock());
  if (exclusive) h.exclusive = sets_.with(h.exclusive, e.lock());
}

void Lockset::give(const Event& e) {
  Held& h = held_[e.thread];
  const auto it = h.depth.find(e.lock());
  if (it == h.depth.end() || --it->second > 0) return;
  h.depth.erase(it);
  h.any = sets_.without(h.any, e.lock());
  h.exclusive = sets_.without(h.exclusive, e.lock());
}

// Eraser's figure 4. True: this byte is to be reported now.
bool Lockset::step(Byte& b, const Event& e, LockSets::Id held) {
  const auto enter = [&](State state) {
    b.state = static_cast<std::uint32_t>(state);
    ++transitions_[static_cast<std::size_t>(state)];
  };
  switch (static_cast<State>(b.state)) {
    case State::kVirgin:
      b.thread = raw(e.thread);
      enter(State::kExclusive);
      return false;
    case State::kExclusive:
      if (b.thread == raw(e.thread)) return false;
      b.set = held;
      enter(writes(e.kind) ? State::kSharedModified : State::kShared);
      break;
    case State::kShared:
      b.set = sets_.intersect(b.set, held);
      if (writes(e.kind)) enter(State::kSharedModified);
      break;
    case State::kSharedModified:
      b.set = sets_.intersect(b.set, held);
      break;
    case State::kReported:
      return false;
  }
  if (static_cast<State>(b.state) != State::kSharedModified || b.set != 0) return false;
  enter(State::kReported);
  return true;
}

void Lockset::access(const Event& e, EventIndex index) {
  const Held& h = held_[e.thread];
  LockSets::Id held = writes(e.kind) ? h.exclusive : h.any;
  if (is_atomic(e.kind)) held = sets_.with(held, kAtomicLock);
  Race pending;
  const auto flush = [&] {
    if (pending.size == 0) return;
    ++reports_;
    options_.sink->on_race(pending);
    pending = Race{};
  };
  for_each_page(e.addr(), e.size, [&](std::uint64_t page, std::uint32_t begin, std::uint32_t end) {
    if (!options_.shard.owns(page)) return;
    auto& cells = shadow_.page(page).cells;
    for (std::uint32_t offset = begin; offset < end; ++offset) {
      Byte& b = cells[offset / kGranuleBytes].bytes[offset % kGranuleBytes];
      if (e.kind == EventKind::kAlloc) {
        b = Byte{};
        continue;
      }
      const std::uint64_t before = b.last;
      const std::uint32_t before_wrote = b.last_wrote;
      const bool report = step(b, e, held) && before != 0;
      if (!report || (pending.size != 0 && raw(pending.first.index) + 1 != before)) flush();
      if (report) {
        if (pending.size == 0) {
          pending.rule = Rule::kLockset;
          pending.addr = Addr{page * kPageBytes + offset};
          pending.first.index = EventIndex{before - 1};
          pending.first.addr = pending.addr;
          pending.first.kind = before_wrote != 0 ? EventKind::kWrite : EventKind::kRead;
          pending.second = RaceLog::access_of(e, index, 0);
        }
        ++pending.size;
        pending.first.size = pending.size;
      }
      b.last = raw(index) + 1;
      b.last_wrote = writes(e.kind) ? 1 : 0;
    }
    flush();
  });
}

std::vector<Counter> Lockset::stats() const {
  const auto n = [this](State s) { return static_cast<double>(transitions_[static_cast<int>(s)]); };
  return {{"to exclusive", n(State::kExclusive), ""},
          {"to shared", n(State::kShared), ""},
          {"to shared-modified", n(State::kSharedModified), ""},
          {"bytes reported", n(State::kReported), ""},
          {"predictions", static_cast<double>(reports_), ""},
          {"max metadata", static_cast<double>(metadata_bytes()), "bytes"}};
}

}  // namespace redflag::lockset
