#include "core/explain/explainer.h"

#include <algorithm>

namespace redflag {
namespace {

Stack stack_of(const Sources& sources, SourceId source) {
  const std::vector<Frame> frames = sources.stack(source);
  return {frames.begin(), frames.end()};
}

}  // namespace

Explainer::Explainer(std::vector<CollectedRace> races, VolatileMeaning volatile_meaning)
    : races_(std::move(races)), firsts_(races_.size()), order_(&memory_, volatile_meaning) {
  for (std::size_t i = 0; i < races_.size(); ++i) {
    const Access& first = races_[i].race.first;
    if (first.index != kNoIndex) {
      by_index_.emplace(first.index, i);
    } else {
      by_epoch_[{first.thread, first.clock}].push_back(i);
    }
  }
  findings_.reserve(races_.size());
}

Explainer::ThreadInfo& Explainer::thread(ThreadId id) {
  return threads_[id];
}

// The races that ask for an access of this thread's present epoch.
void Explainer::refresh(ThreadInfo& info, ThreadId id) {
  const std::uint64_t clock = order_.thread(id).epoch.clock();
  if (info.clock == clock) return;
  info.clock = clock;
  const auto it = by_epoch_.find({id, clock});
  info.asked = it == by_epoch_.end() ? nullptr : &it->second;
}

void Explainer::on_events(std::span<const Event> events, EventIndex first, const Sources& sources) {
  std::uint64_t at = raw(first);
  ThreadInfo* info = nullptr;
  ThreadId info_of{0};
  for (const Event& e : events) {
    if (done()) return;
    const EventIndex index{at++};
    if (e.kind == EventKind::kWork) continue;
    if (info == nullptr || info_of != e.thread) {
      info = &thread(e.thread);
      info_of = e.thread;
    }
    const bool access = is_access(e.kind);
    const bool synchronising = access && order_.is_synchronising(e);
    if (access) {
      if (synchronising || e.kind == EventKind::kAlloc) order_.before_access(e);
      refresh(*info, e.thread);
      look_up(e, index, *info);
      if (synchronising) {
        note_atomic(e, index, *info);
        order_.after_access(e);
      }
    } else {
      note_sync(e, index);
      order_.on_event(e);
    }
    while (!done() && races_[next_second_].race.second.index == index) {
      second_reached(next_second_++, sources);
    }
  }
}

void Explainer::look_up(const Event& e, EventIndex index, ThreadInfo& info) {
  if (!by_index_.empty()) {
    const auto [begin, end] = by_index_.equal_range(index);
    for (auto it = begin; it != end; ++it) found(it->second, e, index, info);
  }
  if (e.kind == EventKind::kAlloc) return withdraw(e.addr(), e.size);
  if (info.asked == nullptr) return;
  for (const std::size_t i : *info.asked) {
    if (firsts_[i].found) continue;
    const Race& race = races_[i].race;
    // The race's bytes may have been touched by several accesses of the epoch: its first byte
    // decides.
    const bool touches = e.object <= raw(race.addr) && raw(race.addr) < e.object + e.size;
    if (touches && writes(e.kind) == writes(race.first.kind) &&
        order_.is_synchronising(e) == is_atomic(race.first.kind)) {
      found(i, e, index, info);
      provisional_.emplace(race.addr, i);
    }
  }
}

void Explainer::withdraw(Addr addr, std::uint64_t size) {
  const auto begin = provisional_.lower_bound(addr);
  const auto end = provisional_.lower_bound(addr + size);
  for (auto it = begin; it != end; ++it) {
    if (it->second >= next_second_) firsts_[it->second].found = false;
  }
  provisional_.erase(begin, end);
}

void Explainer::found(std::size_t i, const Event& e, EventIndex index, const ThreadInfo& info) {
  Access& first = races_[i].race.first;
  first.index = index;
  first.thread = e.thread;
  first.addr = e.addr();
  first.size = e.size;
  first.source = e.source;
  first.kind = e.kind;
  first.order = e.order;
  first.is_volatile = e.is_volatile;
  first.clock = order_.thread(e.thread).epoch.clock();
  if (races_[i].race.rule != Rule::kLockset) {
    races_[i].race.rule = classify(e.kind, races_[i].race.second.kind);
  }
  firsts_[i].found = true;
  firsts_[i].held = info.held;
  firsts_[i].before.assign(info.recent.begin(), info.recent.end());
}

void Explainer::second_reached(std::size_t i, const Sources& sources) {
  CollectedRace& r = races_[i];
  if (r.race.second.clock == 0) {
    r.race.second.clock = order_.thread(r.race.second.thread).epoch.clock();
  }
  Finding f;
  f.rule = r.race.rule;
  f.addr = r.race.addr;
  f.size = r.race.size;
  f.count = r.count;
  if (const Region* region = sources.region_of(r.race.addr); region != nullptr) {
    f.memory = *region;
    f.memory_stack = stack_of(sources, region->source);
  }
  const auto side = [&](const Access& access, const std::vector<Holding>& held) {
    Side s;
    s.access = access;
    s.thread_name = thread_label(access.thread, sources);
    s.stack = stack_of(sources, access.source);
    for (const Holding& h : held) s.locks.push_back({lock_label(h.lock, sources), h.shared});
    return s;
  };
  f.first = side(r.race.first, firsts_[i].held);
  f.second = side(r.race.second, thread(r.race.second.thread).held);
  advise(f, sources);
  // In an ill-formed trace (a thread that acts after its join, say) the access may not be where its
  // epoch says; then there is no picture to draw.
  if (firsts_[i].found) draw(f, firsts_[i], sources);
  findings_.push_back(std::move(f));
  firsts_[i].before.clear();
}

void Explainer::remember(ThreadInfo& info, SyncStep step) {
  info.recent.push_back(step);
  if (info.recent.size() > kRecent) info.recent.pop_front();
}

// Called before the clocks take the event in.
void Explainer::note_sync(const Event& e, EventIndex index) {
  ThreadInfo& info = thread(e.thread);
  SyncStep step{e, index, ThreadId{0}, kNoIndex, false};
  const auto obtain = [&step](const SyncStep& from) {
    step.from_thread = from.event.thread;
    step.from = from.index;
  };
  switch (e.kind) {
    case EventKind::kAcquire:
    case EventKind::kAcquireShared:
      note_locks(e, info);
      if (const auto it = last_release_.find(e.object);
          it != last_release_.end() && it->second.event.thread != e.thread) {
        obtain(it->second);
      }
      break;
    case EventKind::kRelease:
    case EventKind::kReleaseShared:
      note_locks(e, info);
      last_release_[e.object] = step;
      break;
    case EventKind::kFork: {
      SyncStep start{e, index, e.thread, index, true};
      start.event.thread = e.other();
      remember(thread(e.other()), start);
      break;
    }
    case EventKind::kJoin: {
      ThreadInfo& child = thread(e.other());
      // Its last step, or where it started: the picture needs a place for the arrow to begin.
      if (!child.recent.empty() && e.other() != e.thread) obtain(child.recent.back());
      break;
    }
    case EventKind::kFence:
      if (is_release(e.order)) info.release_fence = true;
      if (is_acquire(e.order)) {
        for (Receipt& r : info.receipts) r.acquired = true;
      }
      break;
    case EventKind::kBarrierEnter:
      barrier_rounds_[e.object].push_back(step);
      break;
    case EventKind::kBarrierExit: {
      auto& round = barrier_rounds_[e.object];
      for (const SyncStep& entered : round) {
        if (entered.event.thread != e.thread) obtain(entered);
      }
      if (round.size() > kRecent) round.erase(round.begin(), round.end() - kRecent);
      break;
    }
    default:
      break;
  }
  remember(info, step);
}

void Explainer::note_locks(const Event& e, ThreadInfo& info) {
  const auto it = std::find_if(info.held.begin(), info.held.end(),
                               [&e](const Holding& h) { return h.lock == e.lock(); });
  const bool takes = e.kind == EventKind::kAcquire || e.kind == EventKind::kAcquireShared;
  if (takes && it == info.held.end()) {
    info.held.push_back({e.lock(), e.kind == EventKind::kAcquireShared, 1});
  } else if (takes) {
    ++it->depth;
  } else if (it != info.held.end() && --it->depth == 0) {
    info.held.erase(it);
  }
}

void Explainer::note_atomic(const Event& e, EventIndex index, ThreadInfo& info) {
  const bool is_volatile = !is_atomic(e.kind);  // synchronising by --volatile=sync
  SyncStep step{e, index, ThreadId{0}, kNoIndex, false};
  if (!writes(e.kind) || e.kind == EventKind::kAtomicRmw) {
    const auto it = last_store_.find(e.object);
    if (it != last_store_.end() && it->second.thread != e.thread) {
      const bool acquired = is_volatile || is_acquire(e.order);
      if (it->second.released && acquired) {
        step.from_thread = it->second.thread;
        step.from = it->second.index;
      }
      info.receipts.push_back(
          {e.addr(), it->second.thread, it->second.index, index, it->second.released, acquired});
      if (info.receipts.size() > kRecent) info.receipts.pop_front();
    }
  }
  if (writes(e.kind)) {
    LastStore& store = last_store_[e.object];
    store.thread = e.thread;
    store.index = index;
    store.released = is_volatile || is_release(e.order) || info.release_fence;
  }
  remember(info, step);
}

}  // namespace redflag
