#include "frontends/cpu/rt/notes.h"

#include <new>

#include "frontends/cpu/rt/note_run.h"

namespace redflag::rt {
namespace {

constexpr std::size_t kNotesBytes = std::size_t{1} << 16;
constexpr std::uint32_t kOpenRuns = 8;

// A chunk of notes: moments, each a Head and its clocks, and accesses.
struct Chunk {
  Chunk* next = nullptr;
  std::size_t used = 0;
  alignas(8) std::byte bytes[kNotesBytes - 16];
};
static_assert(sizeof(Chunk) == kNotesBytes);

// An access begins with an address, which has no such bit.
struct Head {
  static constexpr std::uint64_t kMark = std::uint64_t{1} << 63;
  std::uint64_t mark = kMark;
  std::uint64_t counter = 0;
  std::uint32_t slot = 0;
  std::uint32_t size = 0;  // of its clocks
};

live::Arena& arena() {
  return g_runtime.detector.arena;
}

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
  std::uint64_t changes = kNoMoment;         // of its clock, at the last moment noted in this chunk
  abi::WatchedAccess* open[kOpenRuns] = {};  // of that moment
  std::uint32_t next_open = 0;
  Notes* next = nullptr;  // in the list of all
};

namespace {

Notes& notes_of(Thread& t) {
  if (t.notes != nullptr) return *t.notes;
  auto* const made = new (arena().take(sizeof(Notes))) Notes;
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

void close_runs(Notes& notes) {
  for (abi::WatchedAccess*& each : notes.open) each = nullptr;
}

// For so many bytes, perhaps in a new chunk, in which no moment is yet.
void make_room(Notes& notes, std::size_t bytes) {
  if (notes.last != nullptr && notes.last->used + bytes <= sizeof(Chunk::bytes)) return;
  auto* const chunk = static_cast<Chunk*>(arena().take(sizeof(Chunk)));
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
  close_runs(notes);
}

// A moment and its accesses are in one chunk: each chunk can be read by itself.
bool note(Notes& notes, const live::Thread& t, const abi::WatchedAccess& access) {
  if (notes.changes == t.clock.changes) {
    for (abi::WatchedAccess* const run : notes.open) {
      if (run != nullptr && becomes_part(*run, access)) return false;
    }
  }
  make_room(notes, sizeof(access) + moment_bytes(t));
  if (notes.changes != t.clock.changes) note_moment(notes, t);
  notes.open[notes.next_open++ % kOpenRuns] =
      new (take(notes, sizeof(access))) abi::WatchedAccess(access);
  return true;
}

void give_out(const Chunk& chunk, void* to, void (*moment)(void*, const abi::WatchedMoment&),
              void (*access)(void*, const abi::WatchedAccess&)) {
  for (std::size_t at = 0; at < chunk.used;) {
    const auto& first = *reinterpret_cast<const std::uint64_t*>(chunk.bytes + at);
    if (first < Head::kMark) {
      access(to, *reinterpret_cast<const abi::WatchedAccess*>(chunk.bytes + at));
      at += sizeof(abi::WatchedAccess);
      continue;
    }
    const auto& head = *reinterpret_cast<const Head*>(chunk.bytes + at);
    at += sizeof(Head);
    moment(to, {head.slot, head.size, head.counter,
                reinterpret_cast<const std::uint64_t*>(chunk.bytes + at)});
    at += head.size * sizeof(std::uint64_t);
  }
}

}  // namespace

bool note_access(Thread& t, const live::Strided& bytes, const abi::WatchedAccess& like) {
  constexpr std::uint64_t kMost = ~std::uint32_t{0};
  t.live->view.stamped = true;  // a note names the epoch as a cell does
  Notes& notes = notes_of(t);
  const live::Guard guard(notes.lock);
  abi::WatchedAccess access = like;
  access.begin = bytes.begin;
  access.end = bytes.end;
  if (bytes.step <= kMost && bytes.count <= kMost) {
    access.step = static_cast<std::uint32_t>(bytes.step);
    access.count = static_cast<std::uint32_t>(bytes.count);
    return note(notes, *t.live, access);
  }
  for (std::uint64_t k = 0; k < bytes.count; ++k) {
    access.begin = bytes.begin + k * bytes.step;
    access.end = bytes.end + k * bytes.step;
    note(notes, *t.live, access);
  }
  return true;
}

void drain_notes(void* to, void (*moment)(void*, const abi::WatchedMoment&),
                 void (*access)(void*, const abi::WatchedAccess&)) {
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
      arena().give(chunk, sizeof(Chunk));
      chunk = next;
    }
  }
}

}  // namespace redflag::rt
