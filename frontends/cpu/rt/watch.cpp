// The table of abi/watch.h: accesses to watched memory, noted as they are checked.
//
// The detector tells of bytes in watched ranges that it is about to check (core/live/listener.h), once
// in an epoch for each location, more or less: an access that no step of its thread separates from an
// earlier, stronger one races with nothing that the earlier one does not race with. They go into their
// thread's notes, with the thread's clock whenever that has changed.
//
// A process that never had another thread has no races of its own: only watched memory is checked
// (core/live/alone.cpp), and a step of its only thread need not make it check all of that again: what was
// noted is forgotten instead, and so seen the next time. (Most ranks are such.)
//
// Notes are written by their thread, inside, and taken by whoever drains, each under the notes' lock.
// Ranges are replaced with the world stopped, read inside. One library can watch: races between
// processes that fork (between.h) are not followed at the same time.
#include "frontends/cpu/abi/watch.h"

#include <new>

#include "frontends/cpu/rt/between.h"
#include "frontends/cpu/rt/locality.h"
#include "frontends/cpu/rt/thread.h"

namespace redflag::rt {
namespace {

constexpr std::size_t kNotesBytes = std::size_t{1} << 16;

// A chunk of notes: Heads, each followed by its clocks or its access.
struct Chunk {
  Chunk* next = nullptr;
  std::size_t used = 0;
  alignas(8) std::byte bytes[kNotesBytes - 16];
};
static_assert(sizeof(Chunk) == kNotesBytes);

struct Head {
  std::uint32_t slot = 0;  // of a moment
  std::uint32_t size = 0;  // of its clocks; kAccess: an access
  std::uint64_t counter = 0;
};
constexpr std::uint32_t kAccess = ~0U;

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
constinit live::SpinLock g_all_lock;
constinit Notes* g_all = nullptr;  // of all threads, also of those that ended; under g_all_lock

}  // namespace

// What a thread has noted. The lock: its thread and the drainer.
struct Notes {
  static constexpr std::uint64_t kNoMoment =
      ~std::uint64_t{0};  // a new thread's clock has changed 0 times

  live::SpinLock lock;
  Chunk* first = nullptr;
  Chunk* last = nullptr;
  std::uint64_t changes = kNoMoment;  // of its clock, at the last moment noted in this chunk
  Notes* next = nullptr;              // in the list of all
};

namespace {

Notes& notes_of(Thread& t) {
  if (t.notes != nullptr) return *t.notes;
  auto* const made = new (detector().arena.take(sizeof(Notes))) Notes;
  const live::Guard guard(g_all_lock);
  made->next = g_all;
  g_all = made;
  return *(t.notes = made);
}

// At most so many of a thread's clocks are kept: more would not fit into a chunk.
constexpr std::uint32_t kMostClocks = kNotesBytes / 2 / sizeof(std::uint64_t);

std::uint32_t clocks_kept(const live::Thread& t) {
  return t.clock.size < kMostClocks ? t.clock.size : kMostClocks;
}

std::size_t moment_bytes(const live::Thread& t) {
  return sizeof(Head) + clocks_kept(t) * sizeof(std::uint64_t);
}

// For so many bytes, perhaps in a new chunk, in which no moment is yet.
void make_room(Notes& notes, std::size_t bytes) {
  if (notes.last != nullptr && notes.last->used + bytes <= sizeof(Chunk::bytes)) return;
  auto* const chunk = static_cast<Chunk*>(detector().arena.take(sizeof(Chunk)));
  chunk->next = nullptr;
  chunk->used = 0;
  (notes.last == nullptr ? notes.first : notes.last->next) = chunk;
  notes.last = chunk;
  notes.changes = Notes::kNoMoment;
}

void* take(Notes& notes, std::size_t bytes) {
  void* const at = notes.last->bytes + notes.last->used;
  notes.last->used += bytes;
  return at;
}

void note_moment(Notes& notes, const live::Thread& t) {
  auto* const head = new (take(notes, moment_bytes(t))) Head;
  head->slot = static_cast<std::uint32_t>(t.clock.epoch.slot());
  head->size = clocks_kept(t);
  head->counter = t.clock.epoch.clock();
  live::os_copy(head + 1, t.clock.clocks, head->size * sizeof(std::uint64_t));
  notes.changes = t.clock.changes;
}

// A moment and its accesses are in one chunk: each chunk can be read by itself.
void note_access(Thread& t, std::uint64_t begin, std::uint64_t end, std::uint32_t context,
                 bool is_write) {
  Notes& notes = notes_of(t);
  const live::Guard guard(notes.lock);
  constexpr std::size_t kBytes = sizeof(Head) + sizeof(abi::WatchedAccess);
  make_room(notes, kBytes + moment_bytes(*t.live));
  if (notes.changes != t.live->clock.changes) note_moment(notes, *t.live);
  auto* const head = new (take(notes, kBytes)) Head;
  head->size = kAccess;
  new (head + 1) abi::WatchedAccess{begin, end, context, is_write};
}

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

// The detector's listener.
void on_access(live::Thread& t, const live::Access& a, std::uint64_t begin, std::uint64_t end) {
  const live::Listener& all = detector().listener;
  std::uint32_t context = a.context;
  for (std::size_t i = all.first_behind(begin); i < all.count && all.ranges[i].begin < end; ++i) {
    const live::Heard& range = all.ranges[i];
    if (context == 0) {
      context = detector().context(t, a.pc);
      if (a.inner != 0) context = detector().contexts.child(detector().arena, context, a.inner);
    }
    const std::uint64_t from = begin > range.begin ? begin : range.begin;
    const std::uint64_t to = end < range.end ? end : range.end;
    note_access(of(t), from, to, context == live::kInLog ? 0 : context,
                a.kind != live::LogKind::kRead);
    if (is_alone()) remember_noted(from, to);
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
  detector().flush_pending(*t->live);
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
  detector().flush_pending(t);
  detector().world.enter(t);
  if (is_alone()) {
    t.clock.advance();
  } else {
    detector().advance(t);
    g_noted.count = 0;
  }
  detector().world.leave(t);
  if (is_alone()) note_again(thread);
}

void now(void* thread, abi::WatchedMoment* moment) {
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
  d.flush_pending(*t.live);
  live::Listener now;
  for (std::size_t i = 0; i < count; ++i) memory_becomes_common(ranges[i].begin, ranges[i].end);
  if (count != 0) {
    auto* const kept = static_cast<live::Heard*>(d.arena.take(count * sizeof(live::Heard)));
    for (std::size_t i = 0; i < count; ++i) kept[i] = {ranges[i].begin, ranges[i].end};
    now = live::listener_to(&on_access, kept, count);
    now.is_all = is_alone() && !g_runtime.everything_slow();
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

void give_out(const Chunk& chunk, void* to, void (*moment)(void*, const abi::WatchedMoment&),
              void (*access)(void*, const abi::WatchedAccess&)) {
  for (std::size_t at = 0; at < chunk.used;) {
    const auto& head = *reinterpret_cast<const Head*>(chunk.bytes + at);
    at += sizeof(Head);
    if (head.size == kAccess) {
      access(to, *reinterpret_cast<const abi::WatchedAccess*>(chunk.bytes + at));
      at += sizeof(abi::WatchedAccess);
    } else {
      moment(to, {head.slot, head.size, head.counter,
                  reinterpret_cast<const std::uint64_t*>(chunk.bytes + at)});
      at += head.size * sizeof(std::uint64_t);
    }
  }
}

void drain(void* thread, void* to, void (*moment)(void*, const abi::WatchedMoment&),
           void (*access)(void*, const abi::WatchedAccess&)) {
  detector().flush_pending(*thread_of(thread).live);
  if (g_runtime.thread_count > 1) check_everything();
  g_all_lock.lock();
  Notes* notes = g_all;
  g_all_lock.unlock();
  for (; notes != nullptr; notes = notes->next) {
    notes->lock.lock();
    Chunk* chunk = notes->first;
    notes->first = notes->last = nullptr;
    notes->changes = Notes::kNoMoment;
    notes->lock.unlock();
    while (chunk != nullptr) {
      give_out(*chunk, to, moment, access);
      Chunk* const next = chunk->next;
      detector().arena.give(chunk, sizeof(Chunk));
      chunk = next;
    }
  }
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
    .drain = drain,
};

}  // namespace
}  // namespace redflag::rt

extern "C" [[gnu::visibility("default")]] const redflag::abi::WatchTable* __redflag_watch_table() {
  redflag::rt::ensure_ready();
  return &redflag::rt::kTable;
}
