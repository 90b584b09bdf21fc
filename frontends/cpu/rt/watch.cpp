// The table of abi/watch.h: accesses to watched memory, noted as they are checked.
//
// The detector tells of all bytes it is about to check (Detector::on_access), once in an epoch for each
// location, more or less: an access that no step of its thread separates from an earlier, stronger one
// races with nothing that the earlier one does not race with. Those in watched ranges go into their
// thread's notes, with the thread's clock whenever that has changed.
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

struct Ranges {
  abi::WatchedRange* ranges = nullptr;
  std::size_t count = 0;
};

live::Detector& detector() {
  return g_runtime.detector;
}

constinit Ranges g_ranges;  // written with the world stopped
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

// Detector::on_access.
void on_access(live::Thread& t, const live::Access& a, std::uint64_t begin, std::uint64_t end) {
  // The first range that ends behind `begin`.
  std::size_t low = 0;
  std::size_t high = g_ranges.count;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (g_ranges.ranges[middle].end > begin) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  for (; low < g_ranges.count && g_ranges.ranges[low].begin < end; ++low) {
    const abi::WatchedRange& range = g_ranges.ranges[low];
    std::uint32_t context = a.context;
    if (context == 0) {
      context = detector().context(t, a.pc);
      if (a.inner != 0) context = detector().contexts.child(detector().arena, context, a.inner);
    }
    note_access(of(t), begin > range.begin ? begin : range.begin, end < range.end ? end : range.end,
                context == live::kInLog ? 0 : context, a.kind != live::LogKind::kRead);
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

void advance(void* thread) {
  live::Thread& t = *thread_of(thread).live;
  detector().flush_pending(t);
  detector().world.enter(t);
  detector().advance(t);
  detector().world.leave(t);
}

void now(void* thread, abi::WatchedMoment* moment) {
  const live::ThreadClock& clock = thread_of(thread).live->clock;
  *moment = {static_cast<std::uint32_t>(clock.epoch.slot()), clock.size, clock.epoch.clock(),
             clock.clocks};
}

std::uint32_t threads() {
  const live::Guard guard(g_runtime.threads_lock);
  std::uint32_t running = 0;
  for (const Thread* t = g_runtime.threads; t != nullptr; t = t->next) {
    if (t->running && !t->ended) ++running;
  }
  return running;
}

void read_of(void* thread, const void* p, std::size_t n) {
  read(thread_of(thread), p, n);
}

void write_of(void* thread, void* p, std::size_t n) {
  write(thread_of(thread), p, n);
}

void watch(void* thread, const abi::WatchedRange* ranges, std::size_t count) {
  Thread& t = thread_of(thread);
  live::Detector& d = detector();
  d.flush_pending(*t.live);
  auto* const kept = static_cast<abi::WatchedRange*>(d.arena.take(count * sizeof(*ranges) + 16));
  live::os_copy(kept, ranges, count * sizeof(*ranges));
  for (std::size_t i = 0; i < count; ++i) memory_becomes_common(ranges[i].begin, ranges[i].end);
  d.world.stop(t.live);
  const Ranges before = g_ranges;
  g_ranges = {kept, count};
  // Nobody else listens, or else nobody does from now on.
  if (d.on_access == nullptr) d.on_access = &on_access;
  d.world.resume(t.live);
  if (before.ranges != nullptr) d.arena.give(before.ranges, before.count * sizeof(*ranges) + 16);
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
