// The board of one run of `redflag confirm`: one memory file, mapped by every process of the program.
//
// The command writes which statements to hold a thread at, and how long; it names the file in the
// environment (kHoldVariable). The runtimes (rt/hold.cpp) write who is held where, whether two
// threads met, and what they learned for the next run. It is one for all processes, so that two of
// them can meet in memory they share.
//
// A statement is a range of code in a module, in the module's own addresses; a pair has two sides,
// and any number of statements each (one line of source can be code in several places). The memory of
// an access has a name that is the same in all processes that have it, or is of its process alone.
//
// One-sided operations of MPI and OpenSHMEM jobs (frontends/pgas/hold) have slots as held threads have,
// from their issue to their completion, whatever their thread does meanwhile. Memory of ranks is named by
// the owner's process and its address there. Threads of jobs are numbered with their rank (hold_thread).
//
// The fields that change are atomic, or belong to whoever holds `lock`. That is held for a few
// instructions; who does not get it within kHoldLockMicroseconds marks the board broken, since its
// holder was killed: from then on nobody is held. The command trusts nothing that it reads here.
#pragma once

#include <atomic>
#include <cstdint>

namespace redflag::wire {

//   REDFLAG_HOLD=PATH     the board, by a name that can be opened
inline constexpr const char* kHoldVariable = "REDFLAG_HOLD";

inline constexpr std::uint32_t kHoldMagic = 0x32484652;  // "RFH2"
inline constexpr std::uint32_t kHoldPairs = 8;           // tried in one run
inline constexpr std::uint32_t kHoldSides = 2 * kHoldPairs;
inline constexpr std::uint32_t kHoldModules = 32;
inline constexpr std::uint32_t kHoldStatements = 512;
inline constexpr std::uint32_t kHoldSlots = 256;
inline constexpr std::uint32_t kHoldTouches = 1U << 13;
inline constexpr std::uint32_t kHoldHints = 16;
inline constexpr std::uint32_t kHoldLockMicroseconds = 200'000;

// The number of a thread, in a job that of its rank and 1 with it. An operation has the number of no thread.
inline constexpr std::uint32_t kHoldOperation = 0x80000000;
constexpr std::uint32_t hold_thread(std::uint32_t number, std::uint32_t rank_and_1) {
  if (rank_and_1 == 0) return number & ~kHoldOperation;
  return (number & 0xffff) | (rank_and_1 & 0x7fff) << 16;
}
constexpr std::uint32_t hold_rank(std::uint32_t thread) {
  return thread >> 16 & 0x7fff;
}

// Elements of `size` bytes, each `step` after the one before; contiguous ranges are one element.
struct HoldMemory {
  std::uint64_t begin;
  std::uint64_t step;  // at least `size`; of one element: 0
  std::uint64_t count;
  std::uint64_t size;
};

// Has [begin, end) a byte of it?
constexpr bool has_any(const HoldMemory& m, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t k = 0;  // the first element that ends behind `begin`
  if (m.step != 0 && begin >= m.begin + m.size) k = (begin - m.begin - m.size) / m.step + 1;
  const std::uint64_t at = m.begin + k * m.step;
  return k < m.count && at < end && begin < at + m.size;
}

// Have they a byte in common? Of very many elements on both sides: not known, so no.
constexpr bool overlap(const HoldMemory& a, const HoldMemory& b) {
  constexpr std::uint64_t kMostElements = 1U << 14;
  const HoldMemory& few = a.count < b.count ? a : b;
  const HoldMemory& many = a.count < b.count ? b : a;
  if (few.count > kMostElements) return false;
  for (std::uint64_t k = 0; k < few.count; ++k) {
    const std::uint64_t at = few.begin + k * few.step;
    if (has_any(many, at, at + few.size)) return true;
  }
  return false;
}

struct HoldModule {
  std::uint64_t first_offset;   // in the file, of its first mapping
  std::uint64_t first_address;  // of the module, at that place
  char path[1008];              // as in /proc/PID/maps; ends with 0
};
static_assert(sizeof(HoldModule) == 1024);

// [begin, end) in the module: the last byte of a call that makes the access lies in it.
struct HoldStatement {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint32_t module;
  std::uint32_t side;  // 2 * pair, or 1 more
};
static_assert(sizeof(HoldStatement) == 24);

// What is done with operations at a side, beyond waiting before they are completed.
enum HoldDefer : std::uint32_t {
  kHoldAtOnce = 0,    // nothing: the library is called where the program calls it
  kHoldDeferred = 1,  // the library is called when the operation has to be complete
  kHoldReversed = 2,  // and those that wait together, in the other order
};

// The how-manieth time that a thread, by its number, reaches a side.
struct HoldArrival {
  std::uint32_t thread;
  std::uint32_t count;  // from 1
};

struct HoldSide {
  // Written by the command.
  std::uint32_t held;  // 1: threads are held here in this run; 0: they only meet those who are
  std::uint32_t only_hints;  // 1: nothing but these arrivals is worth a hold
  std::uint32_t defer;       // HoldDefer
  std::uint32_t hints;
  HoldArrival
      hint[kHoldHints];  // arrivals worth a hold: in an earlier run the other side came near
  // Written by the runtimes.
  std::uint32_t arrivals;
  std::uint32_t next;   // the number of the next arrival to be held
  std::uint32_t holds;  // made
  std::uint32_t timeouts;
  std::uint32_t learned;  // for the next run's hints; may be more than kHoldHints
  HoldArrival learn[kHoldHints];
};

// Who stood where when two met.
struct HoldPlace {
  HoldArrival arrival;
  std::uint32_t process;
  std::uint32_t kind;  // EventKind
  HoldMemory memory;
};

struct HoldPair {
  std::atomic<std::uint32_t> met;   // 1: two threads were about to do both
  std::atomic<std::uint32_t> told;  // of the two, how many have told the reporter
  HoldPlace place[2];               // by side; written before `met`
};

enum HoldState : std::uint32_t { kHoldFree = 0, kHoldWaiting = 1, kHoldMet = 2 };

// A thread that is held.
struct HoldSlot {
  std::atomic<std::uint32_t> state;
  std::uint32_t process;  // its pid
  std::uint32_t thread;   // in it
  std::uint16_t sides;    // that its statement is: bits 2 * pair + side
  std::uint8_t kind;      // EventKind
  std::uint8_t met;       // which of them, when it met another thread
  std::uint64_t space;    // 0: memory that all processes name alike; else the pid
  std::uint64_t begin;
  std::uint64_t step;  // this and the next as in HoldMemory
  std::uint64_t count;
  std::uint64_t size;
  std::uint64_t deadline;             // nanoseconds of the monotonic clock: it does not wait longer
  std::uint32_t arrival[kHoldSides];  // of its thread, at each of the sides

  HoldMemory memory() const { return {begin, step, count, size}; }
};
static_assert(sizeof(HoldSlot) == 128);

// A thread that touched a word of memory, at statements of which sides; of each word the last two.
struct HoldTouch {
  std::uint64_t granule;  // 0: nobody
  std::uint64_t space;
  std::uint32_t process;
  std::uint32_t thread;
  std::uint16_t sides;
  std::uint8_t kind;
  std::uint8_t shared;  // 1: two threads have touched it, at the two sides
  std::uint8_t bytes;   // which of the word, as bits
  std::uint8_t unused[3];
  std::uint32_t count[8];  // of each byte, the arrival
};
static_assert(sizeof(HoldTouch) == 64);

struct HoldBoard {
  std::uint32_t magic;
  std::uint32_t patience;  // microseconds that a thread is held
  std::uint32_t budget;    // microseconds of all holds of this run
  std::uint32_t modules;
  std::uint32_t statements;
  std::uint32_t pairs;
  std::uint32_t
      strong;  // 1: atomics count as sequentially consistent, whatever the program asked for
  std::uint32_t locks;  // 1: some ranks of a job let others take locks first, by the seed
  std::uint64_t seed;
  std::atomic<std::uint32_t> processes;  // that have mapped the board
  std::atomic<std::uint32_t> lock;
  std::atomic<std::uint32_t> broken;
  std::atomic<std::uint32_t> spent;  // of the budget
  HoldModule module[kHoldModules];
  HoldStatement statement[kHoldStatements];
  HoldSide side[kHoldSides];  // those of pair p are 2 * p and 2 * p + 1
  HoldPair pair[kHoldPairs];
  HoldSlot slot[kHoldSlots];
  HoldTouch touch[kHoldTouches];
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace redflag::wire
