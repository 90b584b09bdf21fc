#include "tests/oracle/live_adapter.h"

#include "core/detect/race_log.h"

namespace redflag {
namespace {

// Locks and barriers get addresses of their own: in traces their numbers may be those of memory.
std::uint64_t lock_address(const Event& e) {
  return (std::uint64_t{1} << 32) + e.object * 64;
}
std::uint64_t barrier_address(const Event& e) {
  return (std::uint64_t{1} << 33) + e.object * 64;
}
// Names lie apart by odd numbers of pages.
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kNameSize = std::uint64_t{1} << 34;
constexpr unsigned kNames = 3;
constexpr std::uint64_t name_begin(unsigned k) {
  return (std::uint64_t{1} << 39) + k * (4 * kNameSize + kPage);
}
live::MemoryOrder order_of(Order order) {
  if (is_acquire(order)) {
    return is_release(order) ? live::MemoryOrder::kAcqRel : live::MemoryOrder::kAcquire;
  }
  return is_release(order) ? live::MemoryOrder::kRelease : live::MemoryOrder::kRelaxed;
}

}  // namespace

LiveAdapter* LiveAdapter::present_ = nullptr;

LiveAdapter::LiveAdapter(const DetectorOptions& options, bool aliased)
    : options_(options),
      aliased_(aliased),
      detector_(static_cast<live::Detector*>(live::os_map(sizeof(live::Detector)))),
      order_(options.memory, options.volatile_meaning) {
  detector_->init(&LiveAdapter::on_race, 64);
}

LiveAdapter::~LiveAdapter() {
  detector_->destroy();
  live::os_unmap(detector_, sizeof(live::Detector));
}

namespace {
live::Thread* started(live::Thread* t) {
  *t->own_hot.top++ = {0x1000, 0, 0};
  return t;
}
}  // namespace

live::Thread& LiveAdapter::thread(ThreadId id) {
  live::Thread*& t = threads_[id];
  if (t == nullptr) t = started(detector_->create(nullptr, raw(id)));
  return *t;
}

// Names come and go: the first, in pieces, at once; the others a few events later each, and then the
// first is unmapped again.
void LiveAdapter::map_and_unmap() {
  if (!aliased_) return;
  const std::uint64_t now = raw(index_);
  const auto map = [this](std::uint64_t from, std::uint64_t to) {
    detector_->mapped(nullptr, name_begin(names_) + from, to - from, {1, 1}, from);
  };
  while (names_ < kNames && now >= names_ * std::uint64_t{12}) {
    std::uint64_t begin = 0;
    for (std::uint64_t end = 0x10000; names_ == 0 && end < 0x40000; end += kPage) {
      map(begin, end);
      begin = end;
    }
    map(begin, kNameSize);
    ++names_;
  }
  if (first_name_ == 0 && now >= 36) {
    detector_->unmapped(nullptr, name_begin(0), kNameSize);
    first_name_ = 1;
  }
}

std::uint64_t LiveAdapter::name(std::uint64_t addr) const {
  if (!aliased_) return addr;
  const std::uint64_t choice = raw(event_->thread) + raw(index_) / 3;
  return addr + name_begin(first_name_ + static_cast<unsigned>(choice % (names_ - first_name_)));
}

void LiveAdapter::on_race(live::Thread&, const live::LiveRace& live) {
  LiveAdapter& me = *present_;
  Race race;
  std::uint32_t owner = 0;
  me.detector_->slots.owner(live.earlier, owner);
  std::uint64_t addr = live.addr;
  for (unsigned k = 0; me.aliased_ && k < kNames; ++k) {
    if (live.addr - name_begin(k) < kNameSize) addr = live.addr - name_begin(k);
  }
  race.addr = Addr{addr};
  race.size = static_cast<std::uint32_t>(live.size);
  race.first.addr = race.addr;
  race.first.size = race.size;
  race.first.thread = ThreadId{owner};
  race.first.clock = me.clocks_[{race.first.thread, live.earlier.clock()}];
  if (live.earlier_atomic) {
    race.first.kind = live.earlier_wrote ? EventKind::kAtomicStore : EventKind::kAtomicLoad;
  } else {
    race.first.kind = live.earlier_wrote ? EventKind::kWrite : EventKind::kRead;
  }
  race.second =
      RaceLog::access_of(*me.event_, me.index_, me.order_.thread(me.event_->thread).epoch.clock());
  race.rule = classify(race.first.kind, race.second.kind);
  me.options_.sink->on_race(race);
}

void LiveAdapter::on_events(std::span<const Event> events, EventIndex first) {
  present_ = this;
  std::uint64_t index = raw(first);
  for (const Event& e : events) {
    event_ = &e;
    index_ = EventIndex{index++};
    map_and_unmap();
    constexpr std::uint64_t kSweepIn = 40;  // events
    if (raw(index_) % kSweepIn == kSweepIn - 1) detector_->sweep(nullptr);
    if (is_access(e.kind)) {
      order_.before_access(e);
      // An access is in the epoch that the thread is in before it releases anything.
      const std::uint64_t now = thread(e.thread).clock.epoch.clock();
      on_event(e);
      clocks_[{e.thread, now}] = order_.thread(e.thread).epoch.clock();
      order_.after_access(e);
    } else {
      on_event(e);
      order_.on_event(e);
    }
  }
}

void LiveAdapter::access(const Event& e) {
  live::Thread& t = thread(e.thread);
  const std::uint64_t addr = name(raw(e.addr()));
  const bool sync = e.is_volatile && options_.volatile_meaning == VolatileMeaning::kSync &&
                    (e.kind == EventKind::kRead || e.kind == EventKind::kWrite);
  if (is_atomic(e.kind) || sync) {
    live::AtomicOp op = live::AtomicOp::kModify;
    live::MemoryOrder order = order_of(e.order);
    if (e.kind == EventKind::kAtomicLoad || e.kind == EventKind::kRead) op = live::AtomicOp::kLoad;
    if (e.kind == EventKind::kAtomicStore) op = live::AtomicOp::kStore;
    if (sync) {
      order =
          e.kind == EventKind::kRead ? live::MemoryOrder::kAcquire : live::MemoryOrder::kRelease;
    }
    for (std::uint64_t at = addr; at < addr + e.size;) {
      const unsigned n = static_cast<unsigned>(std::min<std::uint64_t>(16, addr + e.size - at));
      live::LockedRecords records;
      detector_->atomic_begin(t, at, n, records);
      detector_->atomic_end(t, at, n, op, order, 1, 0, records);
      at += n;
    }
  } else if (e.kind == EventKind::kAlloc) {
    detector_->forget(addr, e.size);
  } else if (e.kind == EventKind::kFree) {
    detector_->range(t, addr, e.size, live::LogKind::kFree, 1);
  } else if (e.size <= 8) {
    detector_->access(t, addr, e.size, e.kind == EventKind::kWrite, 1);
  } else {
    detector_->range(t, addr, e.size,
                     e.kind == EventKind::kWrite ? live::LogKind::kWrite : live::LogKind::kRead, 1);
  }
}

void LiveAdapter::on_event(const Event& e) {
  live::Detector& d = *detector_;
  live::Thread& t = thread(e.thread);
  switch (e.kind) {
    case EventKind::kFence:
      d.fence(t, order_of(e.order));
      break;
    case EventKind::kAcquire:
    case EventKind::kAcquireShared:
      d.lock_acquired(t, name(lock_address(e)), e.kind == EventKind::kAcquireShared, 1, 1);
      break;
    case EventKind::kRelease:
    case EventKind::kReleaseShared:
      d.lock_released(t, name(lock_address(e)), e.kind == EventKind::kReleaseShared, false,
                      nullptr);
      break;
    case EventKind::kFork:
      threads_[e.other()] = started(d.create(&t, raw(e.other())));
      break;
    case EventKind::kJoin: {
      live::Thread& u = thread(e.other());
      if (u.listed) d.end(u);
      d.joined(t, u);
      d.free(u);
      threads_.erase(e.other());
      break;
    }
    case EventKind::kThreadEnd:
      d.end(t);
      break;
    case EventKind::kBarrierEnter:
      rounds_[{e.thread, e.object}] = d.barrier_enter(t, name(barrier_address(e)));
      break;
    case EventKind::kBarrierExit:
      d.barrier_exit(t, name(barrier_address(e)), rounds_[{e.thread, e.object}]);
      break;
    case EventKind::kWork:
      break;
    default:
      access(e);
  }
}

}  // namespace redflag
