// AccessLog: what a thread accessed lately, so that a report can say where.
//
// A cell says in which epoch the earlier access of a race was made; the log of that epoch's thread says
// by which instruction, called from where, and with which locks. An access is noted when it has
// changed a cell: a single one in a ring of briefs, a range in a ring of runs. The oldest are
// overwritten. A report that finds nothing says that the access is no longer known; the race stands.
//
// Written by its thread only, without locks. Readers are other threads, while it goes on: a reader
// copies an entry and then sees whether the writer may have overwritten it meanwhile.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/clock/epoch.h"
#include "core/live/contexts.h"
#include "core/live/pool.h"

namespace redflag::live {

enum class LogKind : std::uint8_t { kRead, kWrite, kAtomicRead, kAtomicWrite, kFree };
constexpr bool wrote(LogKind k) {
  return k == LogKind::kWrite || k == LogKind::kAtomicWrite || k == LogKind::kFree;
}

inline constexpr std::uint8_t kRunVolatile = 1;
inline constexpr std::uint8_t kRunVptr = 2;
inline constexpr std::uint8_t kRunPolled = 4;      // a loop waits for it
inline constexpr std::uint8_t kRunOrderShift = 4;  // Order of an atomic, in the upper bits

// A single access.
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

// A range, accesses in steps, or what a search found.
struct Run {
  std::uint64_t first = 0;  // address
  std::uint64_t clock = 0;  // of the epoch
  std::uint32_t context = 0;
  std::uint32_t locks = 0;  // a set's number (Detector::lockset)
  std::int64_t stride = 0;  // from one access to the next; 0: one access
  std::uint32_t count = 0;  // accesses
  std::uint32_t size = 0;   // of each; 0: a range of `count` bytes
  LogKind kind = LogKind::kRead;
  std::uint8_t flags = 0;

  // Does it hold an access to any of [addr, addr + n)? Then where that access begins.
  bool touches(std::uint64_t addr, std::uint64_t n, std::uint64_t& at) const;
};
static_assert(sizeof(Run) == 48);

class AccessLog {
 public:
  // `contexts`: of the calls that accesses are made in; `capacity`: a power of two.
  void init(Arena& arena, Contexts& contexts, std::uint32_t capacity);
  void free(Arena& arena);
  // Has nothing been overwritten yet?
  bool is_whole() const {
    return runs_ != nullptr && runs_written_.load(std::memory_order_acquire) <= capacity_ &&
           briefs_written_.load(std::memory_order_acquire) <= capacity_;
  }

  [[gnu::always_inline]] void add(const Brief& brief) {
    const std::uint64_t n = briefs_written_.load(std::memory_order_relaxed);
    briefs_[n & (capacity_ - 1)] = brief;
    briefs_written_.store(n + 1, std::memory_order_release);
  }
  void add(const Run& run) {
    const std::uint64_t n = runs_written_.load(std::memory_order_relaxed);
    runs_[n & (capacity_ - 1)] = run;
    runs_written_.store(n + 1, std::memory_order_release);
  }

  // The latest logged access of that clock and kind to any of the bytes. For any thread.
  bool find(std::uint64_t clock, bool writes, bool atomics, std::uint64_t addr, std::uint64_t n,
            Run& found, std::uint64_t& at) const;

 private:
  bool find_run(std::uint64_t clock, bool writes, bool atomics, std::uint64_t addr, std::uint64_t n,
                Run& found, std::uint64_t& at) const;
  bool find_brief(std::uint64_t clock, bool writes, bool atomics, std::uint64_t addr,
                  std::uint64_t n, Run& found, std::uint64_t& at) const;

  Run* runs_ = nullptr;
  Brief* briefs_ = nullptr;
  std::uint32_t capacity_ = 0;
  std::atomic<std::uint64_t> runs_written_{0};    // ever; store-release after the entry
  std::atomic<std::uint64_t> briefs_written_{0};  // the same
  Arena* arena_ = nullptr;
  Contexts* contexts_ = nullptr;
};

}  // namespace redflag::live
