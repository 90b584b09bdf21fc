// Between processes: what must be known to find races in memory that several processes share.
//
// The live detector knows one process. So a process that has memory in common with others records,
// into a file common to them (wire/between.h): all synchronisation of all its threads, and those of
// its plain accesses that touch the shared memory. When all have ended, the reporter replays the
// recording and reports the races between different processes; those within one are found live.
//
// Who pays: nobody, until a process that has a writable shared mapping forks, or until one of several
// processes of a run maps a file or segment that others can map too. Before that all of this is one
// test of a null pointer, and the fast path knows nothing of it: accesses are recorded where they are checked (core/live/listener.h), which
// happens once in an epoch for each location, more or less; a small table of what a thread has
// recorded in this epoch keeps most of the rest out. That loses no race: whatever races with the
// second of two accesses that no release separates races with the first.
//
// The order of the numbers is consistent with what happened. Each step is numbered after the accesses
// that wait were recorded, a release before it takes effect, an acquire after; an atomic operation is
// performed and numbered under a lock of its address that all processes know (BetweenAtomic).
//
// Limits: wire::kBetweenChunks chunks, then it says so and nothing more counts. Accesses that wait in
// a process that is killed are lost. A process that nobody forked while being watched (exec, or started
// beside) is taken to know all that was recorded when it came, and its end to be known to whoever waits
// for a child that nobody knows: its creator may be a program that is not checked.
#pragma once

#include "core/model/event.h"
#include "frontends/cpu/rt/thread.h"
#include "frontends/cpu/wire/between.h"
#include "frontends/cpu/wire/record.h"

namespace redflag::rt {

// Is anything to be recorded now?
inline bool between_on() {
  const wire::BetweenHeader* const common = g_runtime.between;
  return common != nullptr && common->active.load(std::memory_order_acquire) == 1;
}

// --- Memory and processes (between.cpp). The thread is not inside.
// Pages that other processes can have too were mapped.
void between_mapped(Thread& t, const live::Mapping& mapping);
void between_fork_before(Thread& t);
void between_fork_in_child(Thread& t);
// A child process has ended, and this thread knows.
void between_waited(Thread& t, std::uint32_t pid);
// The process ends. If it is the last and nobody else will replay, the reporter does now: how many
// findings there are of this process, or kNotAsked.
inline constexpr std::uint32_t kNotAsked = ~0U;
std::uint32_t between_finish();
// The memory at an address as all processes know it; 0: it is not shared. The caller is inside.
std::uint64_t between_home(std::uint64_t addr);
[[gnu::cold]] void between_stop(const char* why);

// --- Steps (between_step.cpp). Of threads that are inside or not; nothing unless between_on().
void step_lock(Thread& t, EventKind kind, std::uint64_t addr, std::uint64_t id);
void step_key(Thread& t, EventKind kind, Order order, SyncKey key);
void step_named(Thread& t, EventKind kind, Order order, std::uint64_t name);
void step_barrier(Thread& t, EventKind kind, std::uint64_t addr);
void step_fence(Thread& t, Order order);
// kFork, kJoin of the other; kThreadEnd of `other` itself.
void step_thread(Thread& t, EventKind kind, Thread& other);
void step_numbered(Thread& t, EventKind kind, std::uint32_t thread);
// Threads of this process may be ordered by way of another one, which the live detector cannot follow.
// So what a thread releases towards other processes is known here to whoever acquires from them: rather
// an order too many than a race that is none. (The replay follows the way itself.)
void meet_outside(Thread& t, EventKind kind, Order order);
// The same for an atomic, if it is in shared memory; releasing comes before it, acquiring after.
[[gnu::noinline]] void meet_outside_at(Thread& t, std::uint64_t addr, EventKind kind, Order order);
// The detector's listener.
void step_access(live::Thread& t, const live::Access& a, std::uint64_t begin, std::uint64_t end);

// An atomic operation, from before to after. Made and destroyed inside.
class BetweenAtomic {
 public:
  BetweenAtomic(Thread& t, std::uint64_t addr) {
    if (between_on()) [[unlikely]]
      begin(t, addr);
  }
  void done(Thread& t, EventKind kind, Order order, std::uint32_t size, std::uint64_t pc) {
    if (object_ != 0) [[unlikely]]
      end(t, kind, order, size, pc);
  }

 private:
  [[gnu::noinline]] void begin(Thread& t, std::uint64_t addr);
  [[gnu::noinline]] void end(Thread& t, EventKind kind, Order order, std::uint32_t size,
                             std::uint64_t pc);
  std::uint64_t object_ = 0;  // 0: nothing to do
};

// What is kept of a thread: taken when it makes its first step.
struct BetweenOf;
void between_forget(Thread& t);  // its record goes
void between_renamed(Thread& t);

// --- Between these files.
inline constexpr std::size_t kBetweenRoom = wire::kBetweenChunkBytes - sizeof(wire::ChunkHeader);
// A chunk for `owner`, a thread or a process; nullptr: there is no more. And n more entries in it.
wire::ChunkHeader* new_common_chunk(wire::ChunkKind kind, std::uint32_t owner);
void count_up(wire::ChunkHeader& header, std::uint32_t n);
std::uint32_t common_context(std::uint32_t id);
struct BetweenSelf {
  int fd = -1;
  bool failed = false;
  bool own_file = false;          // made here, not by the reporter
  std::uint32_t process = 0;      // this one's number
  std::uint32_t next = 0;         // and its child's, from before the fork on
  std::uint32_t next_thread = 0;  // the number of the child's first thread
  bool told = false;              // the process has recorded where its code is
};
[[gnu::visibility("hidden")]] extern BetweenSelf g_between;
void contexts_forked();
std::uint32_t new_thread_number(std::uint32_t process, std::uint32_t number, const char* name);
std::uint32_t between_number(Thread& t);  // made now, unless it has one
void set_between_number(Thread& t, std::uint32_t number);
void record_modules();
// A lock in the common file; see wire::BetweenStripe. A holder that died is waited for two seconds.
void lock_common(std::atomic<std::uint32_t>& owner, std::uint32_t me);
void unlock_common(std::atomic<std::uint32_t>& owner, std::uint32_t me);

}  // namespace redflag::rt
