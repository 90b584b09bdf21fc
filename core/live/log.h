// AccessLog: what a thread accessed lately; and which of it is still to be checked.
//
// For reports. A history says in which epoch the earlier access was made; the log of that epoch's
// thread says where. An instruction that walks through memory (an array, every third word) is one
// run with a stride, extended in place: a sweep over a gigabyte costs one entry, not a million. Runs
// that may still grow are kept open, by instruction; closed ones go to a ring, where the oldest are
// overwritten. A report that finds nothing says that the access is no longer known; the race stands.
//
// For speed. Between two synchronisations of a thread nobody can tell in which order it made its
// accesses, so they may be checked late, and together (PARSNIP's coalescing store buffer, section
// 3.5, in software): an open run is checked as a whole when it ends, when its place is needed, and
// before anything that changes the thread's clock or gives memory back. Its floats, ints and bytes
// then become whole granules, and neighbours with equal histories change alike.
//
// A run that begins again goes on as the next row of a tile, as long as rows are alike. An
// instruction whose accesses make no run, because it goes through an index or a pointer, gathers
// their addresses in a list instead, which waits, is checked and is logged as one run is.
//
// Written by its thread only, without locks. Readers are other threads, while it goes on: a run
// carries a version, odd while it changes, and a reader takes only what it read twice the same. What
// grows with every access (Open) is its thread's alone: until it was checked, nobody looks for it.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/clock/epoch.h"
#include "core/live/contexts.h"
#include "core/live/pool.h"

namespace redflag::live {

// What is logged of an access besides its place.
enum class LogKind : std::uint8_t { kRead, kWrite, kAtomicRead, kAtomicWrite, kFree };
constexpr bool wrote(LogKind k) {
  return k == LogKind::kWrite || k == LogKind::kAtomicWrite || k == LogKind::kFree;
}

// A single access that was checked at once: less to write than a Run.
struct Brief {
  static constexpr unsigned kMostBytes = 64;
  std::uint64_t what;  // address, 7 bits of flags, kind, and size - 1
  std::uint64_t pc;
  std::uint64_t clock;
  std::uint32_t node;  // the stack of calls
  std::uint32_t locks;
  static constexpr std::uint64_t what_of(std::uint64_t addr, unsigned size, LogKind kind,
                                         std::uint8_t flags) {
    return addr << 16 | std::uint64_t{flags} << 9 | static_cast<std::uint64_t>(kind) << 6 |
           (size - 1);
  }
};
static_assert(sizeof(Brief) == 32);

struct Run {
  std::uint64_t first = 0;  // address; of a list: what its offsets count from
  std::uint64_t clock = 0;  // of the epoch
  std::uint32_t context = 0;
  std::uint32_t locks = 0;  // a set's number (Detector::lockset)
  std::int32_t stride =
      0;  // from one access to the next; 0: one; kGathered: a list; kTiled: a tile
  std::uint32_t count = 0;  // accesses
  std::uint16_t size = 0;   // of each; 0: a range of `count` bytes
  LogKind kind = LogKind::kRead;
  std::uint8_t flags = 0;  // kVolatile, kVptr
  std::uint32_t list = 0;  // number of its list, or tile

  // Does it hold an access to any of [addr, addr + n)? Then where that access begins. Not of lists.
  bool touches(std::uint64_t addr, std::uint64_t n, std::uint64_t& at) const;
};
static_assert(sizeof(Run) == 40);
inline constexpr std::int32_t kGathered = std::int32_t{-1} << 31;
inline constexpr std::int32_t kTiled = kGathered + 1;

// A run that starts again and again, each time the same way further on: the rows of a matrix.
struct Tile {
  std::int64_t stride = 0;  // within a row
  std::int64_t outer = 0;   // from row to row
  std::uint32_t inner = 1;  // accesses of each row
  std::uint32_t rows = 1;
  std::uint32_t last = 1;  // accesses of the last row
  std::uint32_t unused = 0;
  friend bool operator==(const Tile&, const Tile&) = default;
};
static_assert(sizeof(Tile) == 32);
inline constexpr std::uint8_t kRunVolatile = 1;
inline constexpr std::uint8_t kRunVptr = 2;
inline constexpr std::uint8_t kRunPolled = 4;      // a loop waits for it
inline constexpr std::uint8_t kRunOrderShift = 4;  // Order of an atomic, in the upper bits

class AccessLog {
 public:
  // `contexts`: of the calls that single accesses are made in.
  void init(Arena& arena, Contexts& contexts, std::uint32_t capacity);  // a power of two
  void free(Arena& arena);
  bool ready() const { return ring_ != nullptr; }

  // A run that may still grow. 64 bytes: what the fast path reads is one cache line.
  struct Open {
    std::uint64_t next;  // the address with which a waiting run goes on; 0: with none
    std::uint64_t pc;
    std::int64_t stride;  // 0: not known yet, the same address again needs no second look
    std::uint32_t node;   // the stack of calls
    std::uint32_t shape;
    std::int32_t* list;  // where a waiting list goes on; nullptr: it is none
    std::uint32_t gathered;
    std::uint32_t key;       // of runs that do not wait: the epoch and the locks held
    std::uint64_t first;     // of what waits: the run's; of others: the address they go on with
    std::uint8_t blind;      // a list that takes all: what it has is not looked up before
    std::uint8_t scattered;  // how often in a row a run of this instruction stayed short
    std::uint8_t lists;      // until it is tried again whether looking up first is better
    std::uint8_t alone;      // how often in a row a list stayed short
    std::uint8_t at_once;    // accesses to be checked at once before waiting is tried again
    std::uint8_t unused[3];
  };
  static_assert(sizeof(Open) == 64);
  static constexpr std::uint32_t kOpen = 512;
  static constexpr std::uint32_t kListRoom = 32;
  // Two calls are more than two bytes apart: those of a loop of up to 1 KiB never meet.
  static std::uint32_t open_of(std::uint64_t pc) {
    return static_cast<std::uint32_t>(pc) / 2 % kOpen;
  }
  Open& open(std::uint32_t i) { return open_[i]; }
  const Run& run(std::uint32_t i) const { return runs_[i].run; }

  static constexpr std::uint32_t shape_of(std::uint32_t size, LogKind kind, std::uint8_t flags) {
    return size | static_cast<std::uint32_t>(kind) << 16 | static_cast<std::uint32_t>(flags) << 24;
  }
  // Does the access go on with the waiting run of the same instruction? Then it is noted, and that
  // is all.
  [[gnu::always_inline]] static bool extend(Open& o, std::uint64_t pc, std::uint32_t node,
                                            std::uint32_t shape, std::uint64_t addr) {
    if (o.next != addr || o.pc != pc || o.node != node || o.shape != shape) return false;
    o.next = addr + static_cast<std::uint64_t>(o.stride);
    return true;
  }
  // Does it go into the waiting list of the same instruction?
  [[gnu::always_inline]] static bool gather(Open& o, std::uint64_t pc, std::uint32_t node,
                                            std::uint32_t shape, std::uint64_t addr) {
    if (o.list == nullptr || o.pc != pc || o.node != node || o.shape != shape) return false;
    const auto offset = static_cast<std::int64_t>(addr - o.first);
    if (o.gathered == kListRoom || offset != static_cast<std::int32_t>(offset)) return false;
    o.list[o.gathered++] = static_cast<std::int32_t>(offset);
    return true;
  }
  // The second access of a waiting run: it gives the stride.
  bool learn_stride(std::uint32_t i, std::uint64_t addr);
  // The run begins again: does it go on as the next row of a tile?
  bool next_row(std::uint32_t i, std::uint64_t addr);
  std::uint32_t rows(const Run& tiled) const { return tiles_[tiled.list % list_count_].rows; }
  Tile tile(std::uint32_t i) const;  // what waits there, which is no list
  // Does it wait with one access, or with one that came again and again?
  bool single(std::uint32_t i) const {
    const Open& o = open_[i];
    return o.list == nullptr && runs_[i].rows == 1 &&
           o.next - o.first == static_cast<std::uint64_t>(o.stride);
  }
  // May what waits there touch these bytes? Rather yes than no.
  bool may_touch(std::uint32_t i, std::uint64_t addr, std::uint64_t n) const;
  // The run's place goes to a new one, which waits; what was there is in the ring afterwards.
  void begin(std::uint32_t i, std::uint64_t pc, std::uint32_t node, const Run& first);
  // The same for a list. Its room must not be in use, see next_list_used_by().
  void begin_list(std::uint32_t i, std::uint64_t pc, std::uint32_t node, const Run& first);
  // The open run whose list is where the next will begin, plus 1; 0: none.
  std::uint32_t next_list_used_by() const { return list_user_[lists_begun() % list_count_]; }
  // It does not wait any more: what it came to.
  const Run& end(std::uint32_t i);
  const std::int32_t* list(std::uint32_t number) const {
    return lists_ + std::size_t{number % list_count_} * kListRoom;
  }
  // A checked access goes on with a run that does not wait, or begins one.
  void note(std::uint32_t i, std::uint64_t pc, std::uint32_t node, std::uint32_t key,
            const Run& access);
  // A run that will not grow: into the ring.
  [[gnu::always_inline]] void close(const Run& run) {
    const std::uint64_t n = written_.load(std::memory_order_relaxed);
    ring_[n & (capacity_ - 1)] = run;
    written_.store(n + 1, std::memory_order_release);
  }
  // A single access of at most Brief::kMostBytes.
  [[gnu::always_inline]] void add(const Brief& brief) {
    const std::uint64_t n = briefs_written_.load(std::memory_order_relaxed);
    briefs_[n & (capacity_ - 1)] = brief;
    briefs_written_.store(n + 1, std::memory_order_release);
  }
  std::uint64_t briefs_written() const { return briefs_written_.load(std::memory_order_relaxed); }
  void add_range(std::uint64_t addr, std::uint64_t bytes, LogKind kind, std::uint64_t clock,
                 std::uint32_t context, std::uint32_t locks);

  // The latest logged access of that clock and (if given) kind to any of the bytes. For any thread.
  bool find(std::uint64_t clock, bool writes, bool atomics, std::uint64_t addr, std::uint64_t n,
            Run& found, std::uint64_t& at) const;

  Open* opens() { return open_; }

 private:
  struct Versioned {
    Run run;
    std::atomic<std::uint32_t> version;
    // Its thread's alone, of a run that waits (Tile).
    std::uint32_t rows;
    std::uint64_t row;  // where the present one began
    std::int64_t outer;
    std::uint32_t inner;
  };
  void replace(std::uint32_t i, std::uint64_t pc, std::uint32_t node, const Run& first);
  std::uint32_t lists_begun() const { return lists_begun_.load(std::memory_order_relaxed); }
  bool find_run(std::uint64_t clock, bool writes, bool atomics, std::uint64_t addr, std::uint64_t n,
                Run& found, std::uint64_t& at) const;
  bool find_brief(std::uint64_t clock, bool writes, bool atomics, std::uint64_t addr,
                  std::uint64_t n, Run& found, std::uint64_t& at) const;
  bool list_touches(const Run& r, std::uint64_t addr, std::uint64_t n, std::uint64_t& at) const;

  Run* ring_ = nullptr;
  std::uint32_t capacity_ = 0;
  std::uint32_t list_count_ = 0;
  std::atomic<std::uint64_t> written_{0};      // entries ever; store-release after the entry
  std::atomic<std::uint32_t> lists_begun_{0};  // ever; stored before the list is written
  std::int32_t* lists_ = nullptr;
  std::atomic<std::uint32_t> tiles_begun_{0};
  Tile* tiles_ = nullptr;
  Brief* briefs_ = nullptr;                       // a ring, too
  std::atomic<std::uint64_t> briefs_written_{0};  // as written_
  Arena* arena_ = nullptr;
  Contexts* contexts_ = nullptr;
  std::uint16_t* list_user_ = nullptr;  // open run + 1, while it waits
  Versioned runs_[kOpen];
  alignas(64) Open open_[kOpen];
};

}  // namespace redflag::live
