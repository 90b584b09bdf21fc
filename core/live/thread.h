// Thread: all that the live detector keeps for one thread of the program.
//
// Hot is what the compiler's calls read and write at every access and function entry; it lies in
// the system thread's own storage, and a fiber that is switched to takes it over. Everything else
// is behind it. Written by its own thread, except where a field says otherwise; whoever stopped the
// world (world.h) may read and write all of it.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/live/clock.h"
#include "core/live/contexts.h"
#include "core/live/log.h"
#include "core/live/view.h"

namespace redflag::live {

struct Thread;

// The clock of no thread: it never changes.
inline constexpr std::uint64_t g_no_changes = 0;

struct Hot {
  Entry me = kNobody;  // View::me, or kNobody where each access must be seen
  std::uint32_t unused = 0;
  Frame* top = nullptr;    // where the next call's frame goes
  Frame* limit = nullptr;  // end of the frames; calls beyond are counted in `beyond`
  const std::uint64_t* changes = &g_no_changes;  // of the thread's clock
  std::uint64_t beyond = 0;
  Thread* thread = nullptr;  // nullptr: nothing is checked
  std::uint64_t unused2 = 0;
  // Sampling: since when the thread is in code that checks, if that is measured; and whether the region
  // that asked last is sampled.
  std::uint64_t since = 0;
  std::uint32_t verdict = 0;
  std::uint64_t work = 0;  // instructions that the program counted itself, since it was last asked
  SeenChunk seen[SeenChunk::kCount] = {};  // of View::column

  void saw(std::uint64_t addr, ColumnEntry& entry) {
    const std::uint64_t key = addr >> kChunkShift;
    ColumnEntry* const first = &entry - addr / kGranule % kChunkEntries;
    seen[key % SeenChunk::kCount] = {key, reinterpret_cast<Chunk*>(first)};
  }
  // The thread's own entry for the granule, if it is known here.
  [[gnu::always_inline]] ColumnEntry* own_entry(std::uint64_t g) const {
    const SeenChunk& s = seen[(g >> kChunkShift) % SeenChunk::kCount];
    return s.key == g >> kChunkShift ? &s.chunk->entry[g / kGranule % kChunkEntries] : nullptr;
  }
  // Has the thread read these bytes in this epoch, as one of several? The entry says so even where the
  // cell has changed since: who wrote then has seen it.
  [[gnu::always_inline]] bool has_read(std::uint64_t g, Entry bytes) const {
    const ColumnEntry* const entry = own_entry(g);
    if (entry == nullptr) return false;
    const Entry mine = entry->load(std::memory_order_relaxed);
    return ((mine ^ me) & (kFlag | kEpoch | bytes)) == 0;
  }
};

// The context of an access: which call stack, which instruction.
struct Place {
  std::uint64_t pc;
  std::uint32_t node;
  std::uint32_t context;
};
inline constexpr std::uint32_t kPlaces = 128;
inline constexpr std::uint32_t kSets = 32;  // of one lock each: Place::pc is the lock

struct Record;

struct Held {
  std::uint64_t lock;  // its id
  std::uint64_t addr;
  Record* record;         // where it was when it was taken: it may serve something else by now
  std::uint32_t context;  // where it was taken
  std::uint16_t shared;
  std::uint16_t depth;
};

struct Thread {
  Hot* hot = nullptr;  // of the system thread it runs on; own_hot while it does not run
  // How deep the thread is in the detector; others read it to know when the world stands still.
  std::atomic<std::uint32_t> inside{0};
  std::atomic<std::uint32_t> delivery_wanted{0};  // a signal waits for the end of `inside`
  // In the middle of something though not inside: it stops the world, or waits for another thread.
  std::atomic<std::uint32_t> in_between{0};
  // It waits for thread number - 1 to end and does nothing before; 0: it does not. Own thread writes.
  std::atomic<std::uint32_t> joining{0};
  std::uint32_t number = 0;
  bool everything_slow = false;  // recording: no access may take the fast path

  View view;
  ThreadClock clock;
  SyncClock final;            // what a join learns, once the thread has ended
  SyncClock pending_acquire;  // obtained by relaxed loads; an acquire fence makes it known
  SyncClock release_fence;    // what the last release fence publishes through relaxed stores

  std::uint32_t lockset = 0;
  bool lockset_known = true;
  Place places[kPlaces] = {};
  Place sets[kSets] = {};
  AccessLog log;

  Held* held = nullptr;
  std::uint32_t held_count = 0;
  std::uint32_t held_capacity = 0;

  Frame* frames = nullptr;
  Hot own_hot;

  std::uint64_t slow_accesses = 0;
  std::uint32_t ignore_accesses = 0;
  std::uint32_t ignore_sync = 0;

  void* owner = nullptr;  // whatever the frontend keeps for it

  // In the list of all threads, under its lock.
  Thread* next = nullptr;
  Thread* previous = nullptr;
  bool listed = false;
  // What `inside` was when the world was stopped and it had to go out again: still out while it is one less.
  std::atomic<std::uint32_t> kept_out{0};
};

}  // namespace redflag::live
