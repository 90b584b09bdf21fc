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
#include "core/live/histories.h"
#include "core/live/log.h"
#include "core/live/parts.h"

namespace redflag::live {

struct Thread;

// Runs of no thread: none ever goes on.
extern AccessLog::Open g_no_opens[AccessLog::kOpen];

// The clock of no thread: it never changes.
inline constexpr std::uint64_t g_no_changes = 0;

struct Hot {
  std::uint32_t base = kNoBase;  // handle of W_t; those of S_t follow
  std::uint32_t room = 0;        // handles from base to the end of its line
  Frame* top = nullptr;          // where the next call's frame goes
  Frame* limit = nullptr;        // end of the frames; calls beyond are counted in `beyond`
  const std::uint64_t* changes = &g_no_changes;  // of the thread's clock
  std::uint64_t beyond = 0;
  Thread* thread = nullptr;             // nullptr: nothing is checked
  AccessLog::Open* opens = g_no_opens;  // its runs; of no thread, none
  // Sampling: since when the thread is in code that checks, if that is measured; and whether the region
  // that asked last is sampled.
  std::uint64_t since = 0;
  std::uint32_t verdict = 0;
  // Histories of several readers in which this thread's read in this epoch is: direct-mapped, some
  // are missing. What many threads read is known by these, as what one reads by base and room.
  static constexpr std::uint32_t kShared = 32;
  std::uint32_t shared[kShared] = {};
  static std::uint32_t place_of(std::uint32_t h) { return h % kShared; }
  std::uint64_t work = 0;  // instructions that the program counted itself, since it was last asked
};

// "A granule whose handle is `from`, accessed like this in this epoch, becomes `to`": already
// checked. `key` is the epoch's number and the access's shape.
struct Memo {
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t key;
  std::uint32_t unused;
};
inline constexpr std::uint32_t kMemos = 256;
inline constexpr std::uint32_t kShapeBits = 8;
// op, first byte and size of an access within its granule, in a word.
constexpr std::uint32_t shape_of(bool write, unsigned low, unsigned size) {
  return (write ? 0x40U : 0U) | low << 3 | (size - 1);
}
inline constexpr std::uint32_t kHalfShape = 0x80;  // of a half's own handle; 1 more: a write
constexpr std::uint32_t memo_of(std::uint32_t h, std::uint32_t shape) {
  return ((h ^ shape << 3) * 0x9e3779b1U) >> 24;
}

// The context of an access: which call stack, which instruction.
struct Place {
  std::uint64_t pc;
  std::uint32_t node;
  std::uint32_t context;
};
inline constexpr std::uint32_t kPlaces = 128;
inline constexpr std::uint32_t kSets = 32;  // of one lock each: Place::pc is the lock

// Indices of a pool, taken some at a time: making a history takes no lock then.
struct Spares {
  static constexpr std::uint32_t kMost = 32;
  std::uint32_t count;
  std::uint32_t index[kMost];
};

// Where the pair "read by me in this epoch after w" is, by w; forgotten with the epoch.
struct ReadEntry {
  std::uint64_t write;
  std::uint32_t key;
  std::uint32_t handle;
  static constexpr std::uint32_t kCount = 64;
  static std::uint32_t place_of(Epoch w) {
    return static_cast<std::uint32_t>(w.bits() ^ w.bits() >> 20) % kCount;
  }
};

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
  bool waits(std::uint32_t i) const { return (waiting[i / 64] >> (i % 64) & 1) != 0; }
  void set_waiting(std::uint32_t i) {
    waiting[i / 64] |= std::uint64_t{1} << (i % 64);
    ++waiting_count;
  }
  void clear_waiting(std::uint32_t i) {
    waiting[i / 64] &= ~(std::uint64_t{1} << (i % 64));
    --waiting_count;
  }

  Hot* hot = nullptr;  // of the system thread it runs on; own_hot while it does not run
  // How deep the thread is in the detector; others read it to know when the world stands still.
  std::atomic<std::uint32_t> inside{0};
  std::atomic<std::uint32_t> delivery_wanted{0};  // a signal waits for the end of `inside`
  // In the middle of something though not inside: it stops the world, or waits for another thread.
  std::atomic<std::uint32_t> in_between{0};
  std::atomic<std::uint32_t> stepped_out{0};  // of a check, to come in again and go on with it
  // It waits for thread number - 1 to end and does nothing before; 0: it does not. Own thread writes.
  std::atomic<std::uint32_t> joining{0};
  std::uint32_t number = 0;
  bool everything_slow = false;  // recording: no access may take the fast path

  bool shared_known = false;  // something is in hot->shared
  // The present epoch's handles (histories.h).
  std::uint32_t base = kNoBase;
  std::uint32_t room = 0;
  std::uint32_t used = 0;       // handles given out, base included
  std::uint32_t line_next = 0;  // where in the last line the next epoch may begin; 0: nowhere
  std::uint32_t key = 1U << kShapeBits;  // of memos of this epoch
  std::uint32_t log_key = 0;             // of runs of this epoch with these locks (log.h)
  std::uint32_t lockset = 0;
  bool lockset_known = true;

  std::uint32_t joins_key = 0;  // the epoch of `joins`
  std::uint32_t joins = 0;      // how often halves were found equal (halves.cpp)

  ThreadClock clock;
  SyncClock final;            // what a join learns, once the thread has ended
  SyncClock pending_acquire;  // obtained by relaxed loads; an acquire fence makes it known
  SyncClock release_fence;    // what the last release fence publishes through relaxed stores

  bool direct = false;  // no access may wait: recording, or ignoring
  // Which open runs of the log are not checked yet, as bits, and how many. Written by others only
  // when the world is stopped.
  std::uint32_t waiting_count = 0;
  std::uint64_t waiting[AccessLog::kOpen / 64] = {};
  Parts parts = {};  // counts as one in waiting_count, while it has any
  Memo memos[kMemos] = {};
  ReadEntry reads[ReadEntry::kCount] = {};
  // Whether looking for an equal history elsewhere has been worth it lately: a count of hits less
  // misses; below 0 it is tried only now and then.
  std::int32_t splits_found = 0;
  std::int32_t shared_found = 0;
  // When to see again whether the floor has risen (became_past): lines filled and histories made so
  // far, and until then.
  std::uint32_t new_histories = 0;
  std::uint32_t next_look = 0;
  std::uint32_t patience = 0;
  Spares spare_splits{};
  Spares spare_halves{};
  Spares spare_shared{};
  Place places[kPlaces] = {};
  Place sets[kSets] = {};
  AccessLog log;

  Held* held = nullptr;
  std::uint32_t held_count = 0;
  std::uint32_t held_capacity = 0;

  Frame* frames = nullptr;
  Hot own_hot;

  std::uint64_t slow_accesses = 0;
  std::uint32_t ignore_accesses = 0;  // while it is not 0, no memo is valid
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
