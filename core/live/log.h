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
// Written by its thread only, without locks. Readers are other threads, while it goes on: open runs
// carry a version, odd while they change, and a reader takes only what it read twice the same.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/clock/epoch.h"
#include "core/live/pool.h"

namespace redflag::live {

// What is logged of an access besides its place.
enum class LogKind : std::uint8_t { kRead, kWrite, kAtomicRead, kAtomicWrite, kFree };
constexpr bool wrote(LogKind k) {
  return k == LogKind::kWrite || k == LogKind::kAtomicWrite || k == LogKind::kFree;
}

struct Run {
  std::uint64_t first = 0;  // address
  std::uint64_t clock = 0;  // of the epoch
  std::uint32_t context = 0;
  std::uint32_t locks = 0;  // a set's number (Detector::lockset)
  std::int32_t stride = 0;  // from one access to the next; 0: one so far
  std::uint32_t count = 0;  // accesses
  std::uint16_t size = 0;   // of each; 0: a range of `count` bytes
  LogKind kind = LogKind::kRead;
  std::uint8_t flags = 0;  // kVolatile, kVptr
  std::uint32_t unused = 0;

  // Does it hold an access to any of [addr, addr + n)? Then where that access begins.
  bool touches(std::uint64_t addr, std::uint64_t n, std::uint64_t& at) const;
};
static_assert(sizeof(Run) == 40);
inline constexpr std::uint8_t kRunVolatile = 1;
inline constexpr std::uint8_t kRunVptr = 2;
inline constexpr std::uint8_t kRunOrderShift = 4;  // Order of an atomic, in the upper bits

class AccessLog {
 public:
  void init(Arena& arena, std::uint32_t capacity);  // a power of two
  void free(Arena& arena);
  bool ready() const { return ring_ != nullptr; }

  // A run that may still grow.
  struct Open {
    std::uint64_t pc = 0;
    std::uint32_t node = 0;  // the stack of calls
    std::uint32_t key = 0;   // stands for the epoch and the locks held
    std::uint64_t last = 0;  // address of the latest access of the run
    std::int64_t stride = 0;
    std::uint32_t shape = 0;
    std::atomic<std::uint32_t> version{0};
    Run run;
  };
  static constexpr std::uint32_t kOpen = 256;
  static std::uint32_t open_of(std::uint64_t pc) {
    return static_cast<std::uint32_t>(pc) * 0x9e3779b1U >> 24;
  }
  Open& open(std::uint32_t i) { return open_[i]; }

  static constexpr std::uint32_t shape_of(std::uint32_t size, LogKind kind, std::uint8_t flags) {
    return size | static_cast<std::uint32_t>(kind) << 16 | static_cast<std::uint32_t>(flags) << 24;
  }
  // Does the access go on with the run of the same instruction? Then it is noted, and that is all.
  [[gnu::always_inline]] bool extend(Open& o, std::uint64_t pc, std::uint32_t node,
                                     std::uint32_t key, std::uint32_t shape, std::uint64_t addr) {
    if (o.pc != pc || o.node != node || o.key != key || o.shape != shape ||
        addr - o.last != static_cast<std::uint64_t>(o.stride)) {
      return false;
    }
    o.last = addr;
    o.run.count = o.run.count + 1;
    return true;
  }
  // The second access of a run: it gives the stride.
  static bool learn_stride(Open& o, std::uint64_t addr);
  // A run that will not grow: into the ring.
  void close(const Run& run);
  // The run's place goes to a new one; what was there is in the ring afterwards.
  void begin(Open& o, std::uint64_t pc, std::uint32_t node, std::uint32_t key, const Run& first);
  void add_range(std::uint64_t addr, std::uint64_t bytes, LogKind kind, std::uint64_t clock,
                 std::uint32_t context, std::uint32_t locks);

  // The latest logged access of that clock and (if given) kind to any of the bytes. For any thread.
  bool find(std::uint64_t clock, bool writes, bool atomics, std::uint64_t addr, std::uint64_t n,
            Run& found, std::uint64_t& at) const;

  Run* ring_ = nullptr;
  std::uint32_t capacity_ = 0;
  std::atomic<std::uint64_t> written_{0};  // entries ever; store-release after the entry
  Open open_[kOpen];
};

}  // namespace redflag::live
