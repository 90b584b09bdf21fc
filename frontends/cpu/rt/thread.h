// The runtime's side of a thread: what reports say of it, beside the detector's own part.
//
// Numbers count from 0 (main) and are never reused. A thread's record lives until it has ended and
// was joined or detached, and a little longer: the last kRemembered that ended keep their log of
// accesses, so that a race with one of them can still be shown in full.
#pragma once

#include <cstdint>

#include "core/live/detector.h"
#include "frontends/cpu/abi/hold.h"
#include "frontends/cpu/rt/runtime.h"

namespace redflag::wire {
struct BetweenHeader;
struct HoldBoard;
}  // namespace redflag::wire

namespace redflag::rt {

struct BetweenOf;  // between.h
struct Notes;      // notes.cpp

struct Thread {
  live::Thread* live = nullptr;
  std::uint32_t number = 0;
  std::uint32_t parent = 0;
  std::uint32_t created = 0;  // context
  std::uint32_t tid = 0;      // the system's; 0: not started
  bool detached = false;
  bool running = false;
  bool ended = false;
  bool joined = false;
  bool is_fiber = false;
  bool has_appeared = false;  // libc made it, for a callback (appeared.cpp)
  bool in_signal_handler = false;
  char name[24] = {};
  std::uint64_t stack_low = 0;  // 0: not known
  std::uint64_t stack_high = 0;
  std::uint64_t tls_low = 0;
  std::uint64_t tls_high = 0;
  const void* function = nullptr;  // the library function under way
  std::uint32_t barrier_round = 0;
  bool in_hold = false;             // hold.cpp
  std::uint32_t arrivals[16] = {};  // there, at each side of a pair
  void* chunk = nullptr;            // where its events are recorded
  BetweenOf* between = nullptr;
  Notes* notes = nullptr;  // of accesses to watched memory; never given back
  Thread* next = nullptr;  // in the list of all, under its lock
  Thread* previous = nullptr;
};

// Everything there is one of.
struct Runtime {
  live::Detector detector;
  live::SpinLock threads_lock;
  Thread* threads = nullptr;  // all records, newest first
  std::uint32_t thread_count = 0;
  std::atomic<std::uint32_t> unknown_threads{0};  // that called us, started by nobody we saw
  std::uint32_t ended_count = 0;  // of those in the list that ended and are only remembered
  Thread* main = nullptr;
  std::atomic<std::uint32_t> findings{0};
  std::atomic<bool> ready{false};
  std::atomic<bool> finished{false};
  // The program ever asked to ignore synchronisation: who holds a lock need not be ordered by it.
  std::atomic<bool> sync_ignored{false};
  bool recording = false;
  // Some memory is writable and shared: a fork makes it common to two processes. Never cleared.
  bool has_shared_memory = false;
  // What processes record in common (between.h); nullptr: this one does not take part.
  wire::BetweenHeader* between = nullptr;
  // Where threads are held to bring them together (hold.h); nullptr: nowhere.
  wire::HoldBoard* holding = nullptr;
  std::uint32_t hold_rank = 0;                // of a job: the rank and 1; 0: in none
  abi::HoldOwner hold_owner = nullptr;        // of memory, in a job
  abi::HoldProgress hold_progress = nullptr;  // of the job's library
  bool strong_atomics = false;                // all count as sequentially consistent
  // Every access of every thread has to be seen, with its place.
  bool everything_slow() const { return recording || holding != nullptr; }
};

[[gnu::visibility("hidden")]] extern Runtime g_runtime;
// Compiled code knows it by this name (frontends/cpu/abi/abi.h).
[[gnu::visibility("default")]] extern constinit thread_local live::Hot g_hot __asm__(
    "__redflag_hot");

inline constexpr std::uint32_t kRemembered = 64;

// A system thread that we do not know counts its calls in `beyond`, from so high that returns from
// calls we never saw do no harm; from twice as high when it has been noted, or said farewell.
inline constexpr std::uint64_t kNobody = std::uint64_t{1} << 40;
inline bool is_new_unknown(std::uint64_t beyond) {
  return beyond >= kNobody && beyond < 2 * kNobody;
}

// For reports. The caller holds threads_lock.
Thread* find_thread(std::uint32_t number);

// Where the innermost step of the program is: the library function under way, or nothing.
inline std::uint64_t place_of(const void* function) {
  return reinterpret_cast<std::uint64_t>(function) | std::uint64_t{1} << 63;
}
inline std::uint64_t place(const Thread& t) {
  return t.function == nullptr ? 0 : place_of(t.function);
}

inline Thread& of(live::Thread& t) {
  return *static_cast<Thread*>(t.owner);
}

// Starts the runtime unless it runs already; the calling thread is the main thread.
void ensure_ready();
// Reports threads that nobody joined, and says goodbye to the reporter. False: that was done before.
// What others did and was not checked yet stays so: who ends at a race may be inside the detector.
bool conclude(int status);
// Of a thread that was created: what of its accesses is looked at.
void start_checking(live::Thread& t);
// Puts the system thread's calls and fast path in the hands of t.
void take_over(Thread& t);
// Nobody forks threads from the source between the two: a fork finds it whole (appeared.cpp).
void hold_source();
void free_source();
// Of the main thread: where its stack and its thread-local storage are.
void know_main_stack(Thread& t);
void let_go(Thread& t);

}  // namespace redflag::rt
