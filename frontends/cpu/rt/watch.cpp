// The table of abi/watch.h: accesses to watched memory, noted as they are checked.
//
// The detector tells of bytes in watched ranges that it is about to check (core/live/listener.h), once
// in an epoch for each location, more or less: an access that no step of its thread separates from an
// earlier, stronger one races with nothing that the earlier one does not race with. They go into their
// thread's notes (notes.h), with the thread's clock whenever that has changed.
//
// A process that never had another thread has no races of its own: only watched memory is checked
// (core/live/alone.cpp), and a step of its only thread need not make it check all of that again: what was
// noted is forgotten instead, and so seen the next time. (Most ranks are such.)
//
// There, ranges are noted each time, without a look at their cells: they are few, unless notes say
// otherwise.
//
// Ranges are replaced with the world stopped, read inside. One library can watch: races between
// processes that fork (between.h) are not followed at the same time.
#include "frontends/cpu/abi/watch.h"

#include "frontends/cpu/rt/between.h"
#include "frontends/cpu/rt/locality.h"
#include "frontends/cpu/rt/notes.h"
#include "frontends/cpu/rt/shared_atomic.h"

namespace redflag::rt {

constinit std::atomic<const abi::AtomicHooks*> g_atomic_hooks{nullptr};

namespace {

live::Detector& detector() {
  return g_runtime.detector;
}

bool is_alone() {
  return g_runtime.thread_count == 1;
}

// What the only thread has noted since its last step. Its own.
struct Noted {
  live::Heard* ranges = nullptr;
  std::size_t count = 0;
  std::size_t room = 0;
};
constinit Noted g_noted;

// For the next step.
void remember_noted(std::uint64_t begin, std::uint64_t end) {
  Noted& noted = g_noted;
  if (noted.count != 0 && begin <= noted.ranges[noted.count - 1].end &&
      begin >= noted.ranges[noted.count - 1].begin) {
    live::Heard& last = noted.ranges[noted.count - 1];
    if (end > last.end) last.end = end;
    return;
  }
  if (noted.count == noted.room) {
    const std::size_t room = noted.room == 0 ? 1024 : 2 * noted.room;
    auto* const more = static_cast<live::Heard*>(detector().arena.take(room * sizeof(live::Heard)));
    live::os_copy(more, noted.ranges, noted.count * sizeof(live::Heard));
    if (noted.room != 0) detector().arena.give(noted.ranges, noted.room * sizeof(live::Heard));
    noted.ranges = more;
    noted.room = room;
  }
  noted.ranges[noted.count++] = {begin, end};
}

// More notes in an epoch than this: what is noted again is known by its cells.
constexpr std::uint32_t kManyNotes = 4096;
constinit std::uint32_t g_notes = 0;  // of the only thread, in this epoch

void note_part(live::Thread& t, const live::Access& a, const live::Strided& part) {
  std::uint32_t context = a.context;
  if (context == 0) {
    context = detector().context(t, a.pc);
    if (a.inner != 0) context = detector().contexts.child(detector().arena, context, a.inner);
  }
  abi::WatchedAccess like;
  like.context = context;
  like.is_write = live::wrote(a.kind);
  like.is_atomic = a.kind == live::LogKind::kAtomicRead || a.kind == live::LogKind::kAtomicWrite;
  constexpr unsigned kPolls = live::kRunVolatile | live::kRunPolled;
  like.may_poll = !like.is_atomic && !like.is_write && (a.flags & kPolls) != 0;
  const bool is_new = note_access(of(t), part, like);
  if (!is_alone()) return;
  live::Listener& all = detector().listener;
  if (is_new && ++g_notes > kManyNotes) all.takes_ranges = false;
  if (a.leaves_mark) remember_noted(part.begin, part.last());
}

// The detector's listener.
void on_access(live::Thread& t, const live::Access& a, std::uint64_t begin, std::uint64_t end) {
  const live::Listener& all = detector().listener;
  for (std::size_t i = all.first_behind(begin); i < all.count && all.ranges[i].begin < end; ++i) {
    const live::Heard& range = all.ranges[i];
    note_part(t, a,
              {.begin = begin > range.begin ? begin : range.begin,
               .end = end < range.end ? end : range.end});
  }
}

void on_strided(live::Thread& t, const live::Access& a, const live::Strided& bytes) {
  const live::Listener& all = detector().listener;
  const live::Heard& range = all.ranges[all.first_behind(bytes.begin)];
  if (range.begin <= bytes.begin && bytes.last() <= range.end) return note_part(t, a, bytes);
  for (std::uint64_t k = 0; k < bytes.count; ++k) {
    on_access(t, a, bytes.begin + k * bytes.step, bytes.end + k * bytes.step);
  }
}

Thread& thread_of(void* thread) {
  return *static_cast<Thread*>(thread);
}

// A call of a library: as LibraryCall, but that its ends are two functions.
struct OpenCall {
  const void* outer = nullptr;
  live::Frame* top = nullptr;
  bool beyond = false;
};
constexpr std::uint32_t kOpenCalls =
    16;  // MPI functions call the program's, which call MPI functions
thread_local constinit OpenCall g_calls[kOpenCalls] = {};
thread_local constinit std::uint32_t g_depth = 0;

void* enter(const void* function, const void* caller) {
  Thread* const t = self();
  if (t == nullptr || g_depth == kOpenCalls) return nullptr;
  g_calls[g_depth++] = {t->function, g_hot.top, g_hot.top == g_hot.limit};
  if (g_hot.top != g_hot.limit) {
    g_hot.top->pc = reinterpret_cast<std::uint64_t>(caller);
    g_hot.top->node = 0;
    ++g_hot.top;
  } else {
    ++g_hot.beyond;
  }
  t->function = function;
  return t;
}

void leave(void* thread) {
  const OpenCall& call = g_calls[--g_depth];
  thread_of(thread).function = call.outer;
  if (!call.beyond) {
    g_hot.top = call.top;
  } else if (g_hot.beyond != 0) {
    --g_hot.beyond;
  }
}

void pause(void* thread) {
  let_go(thread_of(thread));
}

void resume(void* thread) {
  take_over(thread_of(thread));
}

std::uint32_t where_of(void* thread) {
  return where(thread_of(thread));
}

std::uint32_t stack_of(std::uint32_t context, std::uint64_t* pcs, std::uint32_t room_for) {
  return detector().contexts.stack(context, pcs, room_for);
}

// Of a thread that is alone; what it has done is taken in.
void note_again(void* thread) {
  g_notes = 0;
  detector().listener.takes_ranges = detector().listener.is_all;
  if (g_noted.count == 0) return;
  live::Thread& t = *thread_of(thread).live;
  detector().world.enter(t);
  for (std::size_t i = 0; i < g_noted.count; ++i) {
    const live::Heard& each = g_noted.ranges[i];
    detector().forget_alone(each.begin, each.end - each.begin);
  }
  g_noted.count = 0;
  detector().world.leave(t);
}

void advance(void* thread) {
  live::Thread& t = *thread_of(thread).live;
  detector().world.enter(t);
  if (is_alone()) {
    t.clock.advance();  // for notes alone: what cells say stays known
  } else {
    detector().advance(t);
    g_noted.count = 0;
  }
  detector().world.leave(t);
  if (is_alone()) note_again(thread);
}

// Whoever asks keeps something with this moment: the epoch is used then, as if a cell named it.
void now(void* thread, abi::WatchedMoment* moment) {
  thread_of(thread).live->view.stamped = true;
  const live::ThreadClock& clock = thread_of(thread).live->clock;
  *moment = {static_cast<std::uint32_t>(clock.epoch.slot()), clock.size, clock.epoch.clock(),
             clock.clocks};
}

std::uint32_t threads() {
  const live::Guard guard(g_runtime.threads_lock);
  std::uint32_t alive = 0;
  for (const Thread* t = g_runtime.threads; t != nullptr; t = t->next) {
    if (!t->ended) ++alive;
  }
  return alive;
}

std::uint64_t address_of(const void* p) {
  return reinterpret_cast<std::uint64_t>(p);
}

void read_of(void* thread, const void* p, std::size_t n) {
  if (!is_alone() || detector().listener.hears(address_of(p), address_of(p) + n))
    read(thread_of(thread), p, n);
}

void write_of(void* thread, void* p, std::size_t n) {
  if (!is_alone() || detector().listener.hears(address_of(p), address_of(p) + n))
    write(thread_of(thread), p, n);
}

// Cells of memory that was not watched say that it has been seen.
void see_again(const live::Listener& before, const live::Listener& now) {
  for (std::size_t i = 0; i < now.count; ++i) {
    const live::Heard& each = now.ranges[i];
    const std::size_t k = before.first_behind(each.begin);
    const bool was_watched = k < before.count && before.ranges[k].begin <= each.begin &&
                             before.ranges[k].end >= each.end;
    if (!was_watched) detector().forget_alone(each.begin, each.end - each.begin);
  }
}

void watch(void* thread, const abi::WatchedRange* ranges, std::size_t count) {
  Thread& t = thread_of(thread);
  live::Detector& d = detector();
  if (d.listener.any() && d.listener.tell != &on_access) return;  // somebody else listens
  live::Listener now;
  for (std::size_t i = 0; i < count; ++i) memory_becomes_common(ranges[i].begin, ranges[i].end);
  if (count != 0) {
    auto* const kept = static_cast<live::Heard*>(d.arena.take(count * sizeof(live::Heard)));
    for (std::size_t i = 0; i < count; ++i) kept[i] = {ranges[i].begin, ranges[i].end};
    now = live::listener_to(&on_access, kept, count);
    now.tell_strided = &on_strided;
    now.is_all = now.takes_ranges = is_alone() && !g_runtime.everything_slow();
  }
  d.world.stop(t.live);
  const live::Listener before = d.listener;
  d.listener = now;
  if (is_alone()) see_again(before, now);
  d.world.resume(t.live);
  if (before.count != 0) {
    d.arena.give(const_cast<live::Heard*>(before.ranges), before.count * sizeof(live::Heard));
  }
}

void follow_atomics(const abi::AtomicHooks* hooks) {
  g_atomic_hooks.store(hooks, std::memory_order_release);
}

void drain(void*, void* to, void (*moment)(void*, const abi::WatchedMoment&),
           void (*access)(void*, const abi::WatchedAccess&)) {
  drain_notes(to, moment, access);
}

constexpr abi::WatchTable kTable{
    .enter = enter,
    .leave = leave,
    .pause = pause,
    .resume = resume,
    .where = where_of,
    .stack = stack_of,
    .advance = advance,
    .threads = threads,
    .is_alone = is_alone,
    .note_again = note_again,
    .now = now,
    .read = read_of,
    .write = write_of,
    .watch = watch,
    .follow_atomics = follow_atomics,
    .drain = drain,
};

}  // namespace
}  // namespace redflag::rt

extern "C" [[gnu::visibility("default")]] const redflag::abi::WatchTable* __redflag_watch_table() {
  redflag::rt::ensure_ready();
  return &redflag::rt::kTable;
}
