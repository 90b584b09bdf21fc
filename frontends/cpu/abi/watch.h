// What a library that follows more than threads (frontends/pgas) and libredflag agree on, in one process.
//
// Operations of other processes and nonblocking ones touch memory at times that no thread's step
// marks. Whoever follows them needs the threads' own accesses to the memory concerned, each with its
// place and with what its thread knew of the others then; and needs its own steps to be steps of the
// threads that make them. The table below is found by name, if the program has the runtime at all:
//
//   using Find = const redflag::abi::WatchTable* (*)();
//   dlsym(RTLD_DEFAULT, redflag::abi::kWatchName)
//
// Slots stand for threads as in core/live/clock.h: a thread takes over that of one that ended and whose
// steps it knows. Counters are a slot's epochs: they grow with each advance() and each release.
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

// What a thread knew when it made the accesses that follow.
struct WatchedMoment {
  std::uint32_t slot = 0;
  std::uint32_t size = 0;  // of clocks, by slot
  std::uint64_t counter = 0;
  const std::uint64_t* clocks = nullptr;
};

// [begin, end), and the same every `step` bytes, `count` times in all.
struct WatchedAccess {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t step = 0;
  std::uint32_t count = 1;
  std::uint32_t context = 0;  // for stack(); 0: unknown
  bool is_write = false;
  bool is_atomic = false;  // by an atomic operation of the processor's
  bool may_poll = false;   // of plain loads: volatile, or a loop waits for the value

  std::uint64_t last() const { return end + std::uint64_t{step} * (count - 1); }
};
static_assert(sizeof(WatchedAccess) == 32);

// What an atomic operation turned out to be: a failed exchange is a load.
enum class AtomicStep : std::uint8_t { kLoad, kStore, kModify };

// Of whoever shares watched memory with other processes: there, an atomic operation may order them. Told outside of the
// detector, by the thread that performs it; what is told before holds up other processes at the same place until it is told behind.
struct AtomicHooks {
  // nullptr: nobody else has the memory, and no more is to be told.
  void* (*before)(std::uint64_t address);
  void (*after)(void* place, AtomicStep step, bool acquires, bool releases, const void* pc);
  // One that acquires: the relaxed loads before it do, too.
  void (*fence)(const void* pc);
};

struct WatchTable {
  std::uint32_t version = kWatchVersion;

  // A function of a library that the program calls, from enter() to leave(): on the stack of the
  // calling thread. nullptr: a thread that is not followed; then nothing else may be called.
  void* (*enter)(const void* function, const void* caller);
  void (*leave)(void* thread);
  // Between the two, what the library does by itself is not looked at.
  void (*pause)(void* thread);
  void (*resume)(void* thread);

  std::uint32_t (*where)(void* thread);  // the present stack
  std::uint32_t (*stack)(std::uint32_t context, std::uint64_t* pcs, std::uint32_t room);
  // The calling thread: its accesses so far are told of, then it is in a new epoch.
  void (*advance)(void* thread);
  // Threads there are: others may act without knowing of the calling one.
  std::uint32_t (*threads)();
  // There never was another one; and, if so: accesses that were noted in this epoch are noted again.
  bool (*is_alone)();
  void (*note_again)(void* thread);
  // The clocks are valid until the thread's next step.
  void (*now)(void* thread, WatchedMoment* moment);

  void (*read)(void* thread, const void* p, std::size_t n);
  void (*write)(void* thread, void* p, std::size_t n);

  // Accesses to these ranges, in order and apart from each other, are noted from now on; none: of no range.
  void (*watch)(void* thread, const WatchedRange* ranges, std::size_t count);
  // From now on; nullptr: nobody is told. Relaxed writes behind a release fence are said to release.
  void (*follow_atomics)(const AtomicHooks* hooks);
  // All that was noted since the last time, by all threads; of one thread in its order.
  void (*drain)(void* thread, void* to, void (*moment)(void* to, const WatchedMoment& moment),
                void (*access)(void* to, const WatchedAccess& access));
};

}  // namespace redflag::abi
