#include "core/detect/oracle/oracle.h"

#include <algorithm>

#include "core/detect/race_log.h"

namespace redflag::oracle {
namespace {

void join(Clock& into, const Clock& from) {
  for (const auto& [thread, time] : from) into[thread] = std::max(into[thread], time);
}

}  // namespace

void Oracle::on_events(std::span<const Event> events, EventIndex first) {
  std::uint64_t index = raw(first);
  for (const Event& e : events) on_event(e, EventIndex{index++});
}

// A thread that nobody forked starts knowing only itself.
Oracle::Thread& Oracle::thread(ThreadId id) {
  Thread& t = threads_[id];
  if (t.clock[id] == 0) t.clock[id] = 1;
  return t;
}

bool Oracle::synchronises(const Event& e) const {
  return is_atomic(e.kind) ||
         (e.is_volatile && options_.volatile_meaning == VolatileMeaning::kSync);
}

void Oracle::on_event(const Event& e, EventIndex index) {
  Thread& t = thread(e.thread);
  switch (e.kind) {
    case EventKind::kRead:
      if (synchronises(e)) obtain(t, e, Order::kAcquire);
      access(e, index);
      break;
    case EventKind::kWrite:
      access(e, index);
      if (synchronises(e)) publish(t, e, Order::kRelease, true);
      break;
    case EventKind::kAtomicLoad:
      obtain(t, e, e.order);
      access(e, index);
      break;
    case EventKind::kAtomicStore:
      access(e, index);
      publish(t, e, e.order, false);
      break;
    case EventKind::kAtomicRmw:
      obtain(t, e, e.order);
      access(e, index);
      publish(t, e, e.order, true);
      break;
    case EventKind::kFence:
      if (is_acquire(e.order)) join(t.clock, t.pending_acquire);
      if (is_release(e.order)) {
        t.release_fence = t.clock;
        tick(e.thread);
      }
      break;
    case EventKind::kAcquire:
      join(t.clock, locks_[e.lock()].released);
      join(t.clock, locks_[e.lock()].readers);
      break;
    case EventKind::kAcquireShared:
      join(t.clock, locks_[e.lock()].released);
      break;
    case EventKind::kRelease:
      locks_[e.lock()].released = t.clock;
      tick(e.thread);
      break;
    case EventKind::kReleaseShared:
      join(locks_[e.lock()].readers, t.clock);
      tick(e.thread);
      break;
    case EventKind::kFork:
      join(thread(e.other()).clock, t.clock);
      tick(e.thread);
      break;
    case EventKind::kJoin:
      join(t.clock, thread(e.other()).clock);
      break;
    case EventKind::kThreadEnd:
      break;
    case EventKind::kBarrierEnter: {
      Barrier& b = barriers_[e.barrier()];
      join(b.filling, t.clock);
      b.entered.insert(e.thread);
      tick(e.thread);
      break;
    }
    case EventKind::kBarrierExit: {
      Barrier& b = barriers_[e.barrier()];
      if (b.entered.contains(e.thread)) {  // first to leave: the round is full
        b.draining = b.filling;
        b.filling.clear();
        b.entered.clear();
      }
      join(t.clock, b.draining);
      break;
    }
    case EventKind::kAlloc:
      for (std::uint64_t byte = e.object; byte < e.object + e.size; ++byte) {
        bytes_.erase(byte);
        atomics_.erase(byte);
      }
      break;
    case EventKind::kFree:
      access(e, index);
      break;
    case EventKind::kWork:
      break;
  }
}

void Oracle::obtain(Thread& t, const Event& e, Order order) {
  for (std::uint64_t byte = e.object; byte < e.object + e.size; ++byte) {
    join(is_acquire(order) ? t.clock : t.pending_acquire, atomics_[byte]);
  }
}

void Oracle::publish(Thread& t, const Event& e, Order order, bool continues_sequence) {
  const Clock& published = is_release(order) ? t.clock : t.release_fence;
  for (std::uint64_t byte = e.object; byte < e.object + e.size; ++byte) {
    if (!continues_sequence) atomics_[byte].clear();
    join(atomics_[byte], published);
  }
  if (is_release(order)) tick(e.thread);
}

bool Oracle::conflict(const Past& past, const Event& e, bool synchronising) const {
  if (past.thread == e.thread) return false;
  if (!writes(past.kind) && !writes(e.kind)) return false;
  return !(past.synchronising && synchronising);
}

void Oracle::access(const Event& e, EventIndex index) {
  const bool synchronising = synchronises(e);
  const Clock& now = thread(e.thread).clock;
  const auto position = static_cast<std::uint32_t>(accesses_.size());
  accesses_.push_back(e);
  Race pending;
  const auto flush = [&] {
    if (pending.size == 0) return;
    ++races_;
    options_.sink->on_race(pending);
    pending = Race{};
  };
  for_each_page(e.addr(), e.size, [&](std::uint64_t page, std::uint32_t begin, std::uint32_t end) {
    if (!options_.shard.owns(page)) return;
    for (std::uint32_t offset = begin; offset < end; ++offset) {
      const Addr byte{page * kPageBytes + offset};
      std::vector<Past>& history = bytes_[raw(byte)];
      const Past* partner = nullptr;
      for (const Past& past : history) {
        if (!conflict(past, e, synchronising)) continue;
        const auto known = now.find(past.thread);
        if (known != now.end() && known->second >= past.time) continue;
        if (partner == nullptr) partner = &past;
        if (!keep_pairs_) break;
        pairs_[{index, raw(byte)}].insert(past.index);
      }
      if (partner == nullptr || (pending.size != 0 && pending.first.index != partner->index)) {
        flush();
      }
      if (partner != nullptr) {
        if (pending.size == 0) {
          const Event& first = accesses_[partner->position];
          pending.rule = classify(first.kind, e.kind);
          pending.addr = byte;
          pending.first = RaceLog::access_of(first, partner->index, partner->time);
          pending.second = RaceLog::access_of(e, index, now.at(e.thread));
        }
        ++pending.size;
      }
      history.push_back({index, e.thread, now.at(e.thread), e.kind, synchronising, position});
      ++kept_;
    }
    flush();
  });
}

std::set<EventIndex> Oracle::races_with(EventIndex index, Addr byte) const {
  const auto it = pairs_.find({index, raw(byte)});
  return it == pairs_.end() ? std::set<EventIndex>{} : it->second;
}

std::vector<Counter> Oracle::stats() const {
  return {{"accesses kept", static_cast<double>(kept_), ""},
          {"bytes with history", static_cast<double>(bytes_.size()), ""},
          {"max metadata", static_cast<double>(metadata_bytes()), "bytes"},
          {"races", static_cast<double>(races_), ""}};
}

std::size_t Oracle::metadata_bytes() const {
  return kept_ * sizeof(Past) + accesses_.size() * sizeof(Event);
}

}  // namespace redflag::oracle
