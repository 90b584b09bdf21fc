// Steps of threads in the common recording, numbered in an order that is consistent with what happened.
//
// A thread writes only into its own chunk; all of it happens inside the detector, so that whoever
// stops the world, to fork or to check for others, finds nothing half done.
#include "frontends/cpu/rt/between.h"
#include "frontends/cpu/wire/record.h"

namespace redflag::rt {

// What a thread has recorded in its present epoch, mostly: direct-mapped, by object.
struct BetweenOf {
  struct Seen {
    std::uint64_t object;
    std::uint64_t how;  // epoch, size, kind, order
    std::uint32_t version;
    std::uint32_t unused;
  };
  static constexpr std::uint32_t kSeen = 256;
  std::uint32_t number = 0;  // in the common recording
  std::uint32_t epoch = 1;   // grows with every release
  wire::ChunkHeader* chunk = nullptr;
  Seen seen[kSeen] = {};
};

namespace {

constexpr std::uint32_t kEventsPerChunk = kBetweenRoom / sizeof(wire::RecordedEvent);

bool is_inside_now(const Thread& t) {
  return live::is_inside(t.live->inside.load(std::memory_order_relaxed));
}

bool releases(EventKind kind, Order order) {
  return kind == EventKind::kRelease || kind == EventKind::kReleaseShared ||
         kind == EventKind::kFork || kind == EventKind::kBarrierEnter || is_release(order);
}
bool acquires(EventKind kind, Order order) {
  return kind == EventKind::kAcquire || kind == EventKind::kAcquireShared ||
         kind == EventKind::kBarrierExit || is_acquire(order);
}

void put(BetweenOf& mine, Event event, std::uint32_t context) {
  if (mine.chunk == nullptr || mine.chunk->count == kEventsPerChunk) {
    mine.chunk = new_common_chunk(wire::ChunkKind::kEvents, mine.number);
    if (mine.chunk == nullptr) return;
  }
  auto& entry = reinterpret_cast<wire::RecordedEvent*>(mine.chunk + 1)[mine.chunk->count];
  event.thread = ThreadId{mine.number};
  event.source = SourceId{common_context(context)};
  entry.event = event;
  entry.sequence = g_runtime.between->sequence.fetch_add(1, std::memory_order_acq_rel) + 1;
  count_up(*mine.chunk, 1);
  if (releases(event.kind, event.order)) ++mine.epoch;
}

// Inside.
BetweenOf& mine_of(Thread& t) {
  if (t.between != nullptr) return *t.between;
  auto* const made = static_cast<BetweenOf*>(g_runtime.detector.arena.take(sizeof(BetweenOf)));
  *made = BetweenOf{};
  made->number = new_thread_number(g_between.process, t.number, t.name);
  t.between = made;
  if (!g_between.told) {
    g_between.told = true;
    record_modules();
  }
  return *made;
}

// Is it new in this epoch? `version`: of a load, how often its stripe was written to.
bool is_news(BetweenOf& mine, const Event& e, std::uint32_t version) {
  if (e.size >= 1U << 20) return true;
  BetweenOf::Seen& seen = mine.seen[e.object * 0x9e3779b97f4a7c15U >> 56];
  const std::uint64_t how = std::uint64_t{mine.epoch} << 32 | std::uint64_t{e.size} << 12 |
                            static_cast<std::uint64_t>(e.kind) << 4 |
                            static_cast<std::uint64_t>(e.order);
  if (seen.object == e.object && seen.how == how && seen.version == version) return false;
  seen = {e.object, how, version, 0};
  return true;
}

std::uint32_t where_now(Thread& t) {
  live::Detector& d = g_runtime.detector;
  if (t.live->frames == nullptr) return 0;
  const std::uint64_t pc = place(t);
  return pc == 0 ? d.contexts.number(d.arena, t.live->frames, t.live->hot->top)
                 : d.context(*t.live, pc);
}

// A step that is not an access to memory: after all accesses that the thread has made.
void step(Thread& t, const Event& e) {
  live::Detector& d = g_runtime.detector;
  d.world.enter(*t.live);
  put(mine_of(t), e, where_now(t));
  d.world.leave(*t.live);
}

Event event_of(EventKind kind, std::uint64_t object, Order order = Order::kPlain,
               std::uint32_t size = 0) {
  Event e;
  e.kind = kind;
  e.object = object;
  e.order = order;
  e.size = size;
  return e;
}

std::uint64_t of_process(std::uint64_t addr) {
  return wire::kPrivate | std::uint64_t{g_between.process} << wire::kProcessShift | addr;
}

// Keys of a process's own meet no atomics of its memory.
constexpr std::uint64_t kOwnKeys = std::uint64_t{1} << 61;

// between_home() for a thread that need not be inside.
std::uint64_t home_of(Thread& t, std::uint64_t addr) {
  live::World& world = g_runtime.detector.world;
  world.enter(*t.live);
  const std::uint64_t home = between_home(addr);
  world.leave(*t.live);
  return home;
}

wire::BetweenStripe& stripe_of(std::uint64_t object) {
  const std::uint64_t granule = object / 16;  // the largest atomic
  return g_runtime.between->stripe[granule * 0x9e3779b97f4a7c15U >> 54];
}
static_assert(wire::kBetweenStripes == 1U << 10);

}  // namespace

std::uint32_t new_thread_number(std::uint32_t process, std::uint32_t number, const char* name) {
  wire::BetweenHeader& common = *g_runtime.between;
  const std::uint32_t n = common.threads.fetch_add(1, std::memory_order_relaxed);
  if (n >= wire::kBetweenThreads) {
    between_stop("more threads share memory with other processes than can be followed");
    return 0;
  }
  wire::BetweenThread& one = common.thread[n];
  one.process = process;
  one.number = number;
  for (std::size_t i = 0; i + 1 < sizeof(one.name) && name[i] != 0; ++i) one.name[i] = name[i];
  return n;
}

std::uint32_t between_number(Thread& t) {
  live::World& world = g_runtime.detector.world;
  world.enter(*t.live);
  const std::uint32_t number = mine_of(t).number;
  world.leave(*t.live);
  return number;
}

void set_between_number(Thread& t, std::uint32_t number) {
  live::Detector& d = g_runtime.detector;
  d.world.enter(*t.live);
  BetweenOf& mine = mine_of(t);
  mine.number = number;
  mine.chunk = nullptr;
  ++mine.epoch;
  d.world.leave(*t.live);
}

void between_forget(Thread& t) {
  if (t.between != nullptr) g_runtime.detector.arena.give(t.between, sizeof(BetweenOf));
  t.between = nullptr;
}

void between_renamed(Thread& t) {
  if (t.between == nullptr || g_runtime.between == nullptr) return;
  wire::BetweenThread& one = g_runtime.between->thread[t.between->number];
  std::size_t i = 0;
  for (; i + 1 < sizeof(one.name) && t.name[i] != 0; ++i) one.name[i] = t.name[i];
  one.name[i] = 0;
}

void step_lock(Thread& t, EventKind kind, std::uint64_t addr, std::uint64_t id) {
  if (!between_on() || t.live->ignore_sync != 0) return;
  const std::uint64_t home = home_of(t, addr);
  // Addresses are used again, numbers are not.
  constexpr unsigned kLockBits = 40;
  const std::uint64_t own = wire::kNamed | kOwnKeys |
                            std::uint64_t{g_between.process} << kLockBits |
                            (id & ((std::uint64_t{1} << kLockBits) - 1));
  step(t, event_of(kind, home != 0 ? home : own));
  if (home != 0) meet_outside(t, kind, Order::kPlain);
}

void step_key(Thread& t, EventKind kind, Order order, SyncKey key) {
  if (!between_on() || t.live->ignore_sync != 0) return;
  if (is_descriptor_key(key)) return;  // told by name
  const std::uint64_t home = home_of(t, key);
  step(t,
       event_of(kind, home != 0 ? home + wire::kSharedKeys : of_process(key) | kOwnKeys, order, 1));
  if (home != 0) meet_outside(t, kind, order);
}

void step_named(Thread& t, EventKind kind, Order order, std::uint64_t name) {
  if (!between_on() || t.live->ignore_sync != 0 || name == 0) return;
  step(t, event_of(kind, wire::kNamed | (name & (kOwnKeys - 1)), order, 1));
  meet_outside(t, kind, order);
}

void step_barrier(Thread& t, EventKind kind, std::uint64_t addr) {
  if (!between_on() || t.live->ignore_sync != 0) return;
  const std::uint64_t home = home_of(t, addr);
  step(t, event_of(kind, home != 0 ? home : of_process(addr)));
  if (home != 0) meet_outside(t, kind, Order::kPlain);
}

void step_fence(Thread& t, Order order) {
  if (!between_on()) return;
  step(t, event_of(EventKind::kFence, 0, order));
  meet_outside(t, EventKind::kFence, order);
}

void meet_outside(Thread& t, EventKind kind, Order order) {
  if (is_inside_now(t) || t.live->ignore_sync != 0) return;
  live::Detector& d = g_runtime.detector;
  const auto outside = reinterpret_cast<std::uint64_t>(&g_between);
  if (releases(kind, order)) d.release(*t.live, outside, false);
  if (acquires(kind, order)) d.acquire(*t.live, outside);
}

void meet_outside_at(Thread& t, std::uint64_t addr, EventKind kind, Order order) {
  if (home_of(t, addr) != 0) meet_outside(t, kind, order);
}

void step_thread(Thread& t, EventKind kind, Thread& other) {
  if (!between_on()) return;
  live::World& world = g_runtime.detector.world;
  if (kind == EventKind::kThreadEnd) return step(t, event_of(kind, 0));
  if (other.between == nullptr && kind == EventKind::kJoin) return;  // it made no step
  world.enter(*t.live);
  const std::uint32_t number = mine_of(other).number;
  world.leave(*t.live);
  if (kind == EventKind::kJoin) {
    g_runtime.between->thread[number].joined.store(1, std::memory_order_relaxed);
  }
  step_numbered(t, kind, number);
}

void step_numbered(Thread& t, EventKind kind, std::uint32_t thread) {
  if (between_on()) step(t, event_of(kind, thread));
}

void step_access(live::Thread& lt, const live::Access& a, std::uint64_t begin, std::uint64_t end) {
  if (!between_on()) return;
  // Recorded as what they are, in their own order (BetweenAtomic).
  if (a.kind == live::LogKind::kAtomicRead || a.kind == live::LogKind::kAtomicWrite) return;
  live::Detector& d = g_runtime.detector;
  const live::Aliases& all = d.aliases;
  constexpr std::uint64_t kMost = 1U << 30;  // bytes of one event
  for (std::uint64_t at = begin; at < end;) {
    const live::Mapping* const m = all.first_in(at, end);
    if (m == nullptr) return;
    if (at < m->begin) at = m->begin;
    std::uint64_t stop = m->end() < end ? m->end() : end;
    if (stop - at > kMost) stop = at + kMost;
    const std::uint64_t home = between_home(at);
    Event e = event_of(a.kind == live::LogKind::kRead ? EventKind::kRead : EventKind::kWrite, home,
                       Order::kPlain, static_cast<std::uint32_t>(stop - at));
    e.is_volatile = (a.flags & live::kRunVolatile) != 0;
    Thread& t = of(lt);
    if (BetweenOf& mine = mine_of(t); home != 0 && is_news(mine, e, 0)) {
      std::uint32_t context = a.context;
      if (context == 0) {
        context = d.context(lt, a.pc);
        if (a.inner != 0) context = d.contexts.child(d.arena, context, a.inner);
      }
      put(mine, e, context);
    }
    at = stop;
  }
}

void BetweenAtomic::begin(Thread& t, std::uint64_t addr) {
  const std::uint64_t home = between_home(addr);
  object_ = home != 0 ? home : of_process(addr);
  lock_common(stripe_of(object_).owner, mine_of(t).number + 1);
}

void BetweenAtomic::end(Thread& t, EventKind kind, Order order, std::uint32_t size,
                        std::uint64_t pc) {
  BetweenOf& mine = *t.between;
  wire::BetweenStripe& stripe = stripe_of(object_);
  Event e = event_of(kind, object_, order, size);
  const bool loads = kind == EventKind::kAtomicLoad;
  const std::uint32_t version = stripe.version.load(std::memory_order_relaxed);
  // Spinning on a value that nobody changed is one load.
  if ((!loads || is_news(mine, e, version)) && t.live->ignore_sync == 0) {
    put(mine, e, g_runtime.detector.context(*t.live, pc));
  }
  if (!loads) stripe.version.store(version + 1, std::memory_order_relaxed);
  unlock_common(stripe.owner, mine.number + 1);
  object_ = 0;
}

}  // namespace redflag::rt
