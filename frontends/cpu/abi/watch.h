// The interface between libredflag and a library that follows more than threads (frontends/pgas),
// in one process.
//
// Operations of other processes and nonblocking operations access memory at times that no step of a
// thread marks. A library that follows them needs the threads' own accesses to that memory, each
// with its place and its thread's clock; and its own steps must be steps of the threads that make
// them. The table below is found by name, if the program has the runtime:
//
//   using Find = const redflag::abi::WatchTable* (*)();
//   dlsym(RTLD_DEFAULT, redflag::abi::kWatchName)
//
// Slots stand for threads as in core/live/clock.h: a new thread reuses the slot of a thread that
// ended before it. Counters are a slot's epochs: they grow with each advance() and each release.
#pragma once

#include <cstddef>
#include <cstdint>

namespace redflag::abi {

inline constexpr std::uint32_t kWatchVersion = 5;
inline constexpr const char* kWatchName = "__redflag_watch_table";

struct WatchedRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// The clock of a thread at the accesses that follow.
struct WatchedMoment {
  std::uint32_t slot = 0;
  std::uint32_t size = 0;  // of clocks, by slot
  std::uint64_t counter = 0;
  const std::uint64_t* clocks = nullptr;
};

// [begin, end), repeated every `step` bytes, `count` times in all.
struct WatchedAccess {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t step = 0;
  std::uint32_t count = 1;
  std::uint32_t context = 0;  // for stack(); 0: unknown
  bool is_write = false;
  bool is_atomic = false;  // by an atomic instruction
  bool may_poll = false;   // a plain load that is volatile, or whose value a loop waits for

  std::uint64_t last() const { return end + std::uint64_t{step} * (count - 1); }
};
static_assert(sizeof(WatchedAccess) == 32);

// The effect of an atomic operation: a failed exchange is a load.
enum class AtomicStep : std::uint8_t { kLoad, kStore, kModify };

// Of a library whose watched memory is shared with other processes: an atomic operation there may
// order the processes. The thread that performs it calls these outside of the detector. From
// before() to after(), other processes wait at the same place.
struct AtomicHooks {
  // nullptr: no other process has the memory; after() is not called.
  void* (*before)(std::uint64_t address);
  void (*after)(void* place, AtomicStep step, bool acquires, bool releases, const void* pc);
  // An acquire fence: the relaxed loads before it acquire, too.
  void (*fence)(const void* pc);
};

struct WatchTable {
  std::uint32_t version = kWatchVersion;

  // From enter() to leave() the calling thread's stack has this function of a library, which the
  // program called. nullptr: the thread is not followed; then no other function may be called.
  void* (*enter)(const void* function, const void* caller);
  void (*leave)(void* thread);
  // Between the two, the library's own accesses are not checked.
  void (*pause)(void* thread);
  void (*resume)(void* thread);

  std::uint32_t (*where)(void* thread);  // the current stack
  std::uint32_t (*stack)(std::uint32_t context, std::uint64_t* pcs, std::uint32_t room);
  // Of the calling thread: its accesses so far are reported, then it enters a new epoch.
  void (*advance)(void* thread);
  // The number of threads; others may act without synchronising with the calling thread.
  std::uint32_t (*threads)();
  // is_alone: no other thread has ever run. note_again: only then; accesses that were noted in this
  // epoch are noted once more.
  bool (*is_alone)();
  void (*note_again)(void* thread);
  // The clocks are valid until the thread's next step.
  void (*now)(void* thread, WatchedMoment* moment);

  void (*read)(void* thread, const void* p, std::size_t n);
  void (*write)(void* thread, void* p, std::size_t n);

  // Notes accesses to these ranges (sorted, disjoint) from now on; an empty list ends that.
  void (*watch)(void* thread, const WatchedRange* ranges, std::size_t count);
  // Calls these hooks from now on; nullptr: none. Relaxed writes after a release fence count as
  // releases.
  void (*follow_atomics)(const AtomicHooks* hooks);
  // All accesses noted since the last call, of all threads; those of one thread in program order.
  void (*drain)(void* thread, void* to, void (*moment)(void* to, const WatchedMoment& moment),
                void (*access)(void* to, const WatchedAccess& access));
};

}  // namespace redflag::abi
