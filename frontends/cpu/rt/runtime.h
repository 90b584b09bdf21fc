// What interceptors and OpenMP support may ask of the runtime: the whole interface between them.
//
// libredflag runs inside the program under test. It must not call the program's malloc, must not
// use libstdc++'s compiled parts (C programs link it too), must not throw. All functions here are
// safe in any thread for which self() is not null; none of them blocks on anything the program
// holds.
//
// An interceptor looks like this (interpose/intercept.h has the macros):
//
//   int pthread_mutex_lock(pthread_mutex_t* m) {
//     LibraryCall call(&pthread_mutex_lock, __builtin_return_address(0));
//     const int result = real(m);
//     if (call && result == 0) lock_acquired(*call.thread, m, LockMode::kExclusive);
//     return result;
//   }
#pragma once

#include <cstddef>
#include <cstdint>

namespace redflag::rt {

struct Thread;  // rt/thread.h; interceptors pass it on

// The calling thread, or nullptr where the runtime must stay out of the way: before it is ready, in
// a thread it does not know yet or no longer, in the middle of its own work, or while the program
// asked to ignore it. An interceptor then only calls the real function.
Thread* self();

// A library function that the program called: on the thread's stack of calls while it lasts, so
// that reports show "#0 memcpy, #1 the caller". `thread` is null when self() is,
// and for callers that are left alone.
class LibraryCall {
 public:
  enum class Kind : std::uint8_t {
    kAny,
    kAlways,  // also for callers that are left alone (below)
  };
  LibraryCall(const void* function, const void* caller, Kind kind = Kind::kAny);
  ~LibraryCall();
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;
  explicit operator bool() const { return thread != nullptr; }

  Thread* const thread;

 private:
  const void* outer_ = nullptr;  // the library function that called this one
  void* frame_ = nullptr;
};
// Code whose calls of library functions are its own business: an OpenMP library's, the dynamic
// linker's. What it locks, allocates and frees orders nothing of the program, so LibraryCall::thread
// is null for its calls.
void leave_alone(std::uintptr_t begin, std::uintptr_t end);
bool is_left_alone(const void* code);
// A library went away: another one may come to lie where it was (ignored_code.h).
void libraries_changed();

// The functions below take the place in the program from the LibraryCall (or instrumented frame)
// that is innermost.

// --- Memory -------------------------------------------------------------------------------------
void read(Thread& t, const volatile void* p, std::size_t n);
void write(Thread& t, volatile void* p, std::size_t n);
// The same without a LibraryCall, for functions that are called as often as loads and stores are.
// False: nothing was done, a LibraryCall is needed.
bool read_by(const void* function, const void* caller, const volatile void* p, std::size_t n);
bool write_by(const void* function, const void* caller, volatile void* p, std::size_t n);
// A heap block came to be: its past is forgotten, and it counts as written by this thread.
void memory_allocated(Thread& t, void* p, std::size_t n);
// A heap block is given back: conflicts with every unordered access of it. Call before the real free.
void memory_freed(Thread& t, void* p, std::size_t n);
// Memory got new contents (a new object in a pool, say): the past is forgotten.
void memory_replaced(volatile void* p, std::size_t n);
// Address space got new pages, or none (mmap, munmap, a new stack): the past is forgotten here, but
// not what other addresses of the old pages know of it.
void memory_remapped(volatile void* p, std::size_t n);
// After that: the pages are those of a file or a System V segment, shared with all who map them, or
// shared with the processes that this one will fork.
void memory_is_file(void* p, std::size_t n, int fd, std::uint64_t offset, bool writable);
void memory_is_named_file(void* p, std::size_t n, const char* path);
void memory_is_segment(void* p, std::size_t n, int id);
void memory_is_shared(void* p, std::size_t n);
// mremap: the pages are found at another address now, or are more or fewer.
void memory_moved(void* from, std::size_t old_size, void* to, std::size_t size);

// What is known of a heap block, for reports. Filled by interpose/malloc.cpp.
struct HeapBlock {
  std::uintptr_t begin = 0;
  std::size_t size = 0;
  std::uint32_t stack = 0;   // where(t) when it was allocated
  std::uint32_t thread = 0;  // number(t) of who allocated it
  bool freed = false;
  std::uint32_t free_stack = 0;
  std::uint32_t free_thread = 0;
};
// Implemented by interpose/malloc.cpp. False: no block there that it knows.
bool find_heap_block(std::uintptr_t address, HeapBlock& block);

// The same for addresses that stand for a file descriptor; implemented by interpose/descriptor.cpp.
struct Descriptor {
  int fd = -1;
  std::uint32_t stack = 0;   // where(t) when it was opened, or closed
  std::uint32_t thread = 0;  // number(t) of who did
  bool closed = false;
};
bool find_descriptor(std::uintptr_t address, Descriptor& descriptor);
// Is it the key of a descriptor? Other processes know those by name (acquire_named). Also implemented
// there, as is the next.
bool is_descriptor_key(std::uintptr_t key);
// The process ends, and with it the descriptors it has open: who waits for that knows what it did.
void close_descriptors(Thread& t);

// The present stack of calls as a number, for later reports (core/live/contexts.h); and the thread's number.
std::uint32_t where(Thread& t);
std::uint32_t number(const Thread& t);

// --- Locks --------------------------------------------------------------------------------------
enum class LockMode : std::uint8_t { kExclusive, kShared };
enum LockTraits : std::uint32_t {
  kLockPlain = 0,
  kLockReentrant = 1,  // recursive mutexes
  kLockReadWrite = 2,
  kLockStatic = 4,     // initialised by the linker: a lock in use may learn its traits late
  kLockNotStatic = 8,  // never in static storage (annotations say so)
};
void lock_created(Thread& t, void* lock, std::uint32_t traits);
void lock_destroyed(Thread& t, void* lock);
// After the real lock succeeded. `depth`: how many times at once (cond_wait on a reentrant one).
void lock_acquired(Thread& t, void* lock, LockMode mode, int depth = 1);
// Before the real unlock. Nested acquisitions of a reentrant lock are counted here.
void lock_released(Thread& t, void* lock, LockMode mode);
// rwlock_unlock does not say which; the runtime knows how this thread holds it.
void lock_released_any(Thread& t, void* lock);
// Before waiting on a condition: gives the lock up whatever its depth, and returns that depth.
int lock_released_fully(Thread& t, void* lock);
// EOWNERDEAD: the owner died holding it. The new owner holds it and learns what the dead one did.
void lock_inherited(Thread& t, void* lock);

// --- Ordering by anything else --------------------------------------------------------------------
// A key names something that orders threads: the address of a semaphore, a condition, a once flag,
// a pointer passed through a queue. Keys of memory that is freed or replaced are forgotten with it.
using SyncKey = std::uintptr_t;
void acquire(Thread& t, SyncKey key);        // learns all that was released to it
void release(Thread& t, SyncKey key);        // adds what this thread knows
void release_store(Thread& t, SyncKey key);  // makes it exactly what this thread knows
// What files, pipes and sockets order: 0 nothing, 1 what is written and then read, 2 all of it
// (TSAN_OPTIONS=io_sync).
std::uint32_t io_sync();
// The same where only other processes can learn from it, by the name they know it by; 0: none.
bool watches_processes();  // is there anybody to learn?
void acquire_named(Thread& t, std::uint64_t name);
void release_named(Thread& t, std::uint64_t name);

// Barriers: every enter of a round happens before every exit of it.
void barrier_enter(Thread& t, void* barrier);
void barrier_exit(Thread& t, void* barrier);

// --- Threads --------------------------------------------------------------------------------------
// The parent makes the child before it starts it; what the parent did so far happens before it.
Thread* thread_created(Thread& parent, bool detached);
// The parent could not start it after all.
void thread_not_started(Thread& parent, Thread* child);
// A system thread that a library made without our seeing it, and that is about to call the program
// back: it knows what its caller acquires next, and what `t` did before source_needed(t), which comes
// before the first of them. Created, for reports, where `stack` says, by the thread of that number.
void source_needed(Thread& t);
Thread* thread_appeared(std::uint32_t stack, std::uint32_t number);
// In the new thread, first and last of all. Between them self() is the child. `frame`: above all that
// the thread's function will have on the stack; by default the caller's, more or less.
void thread_begin(Thread* child, const void* frame = nullptr);
void thread_end(Thread* child);
// The thread waits for the child's end and does nothing else meanwhile; nullptr: no longer.
void thread_joining(Thread& t, Thread* child);
// The child has ended and everything it did happens before the caller's next step.
void thread_joined(Thread& t, Thread* child);
// Nobody will join it: its record goes when it has ended.
void thread_detached(Thread& t, Thread* child);
void thread_named(Thread& t, const char* name);

// Fibers: a Thread that runs on whatever system thread switched to it.
Thread* fiber_created(Thread& t);
void fiber_destroyed(Thread& t, Thread* fiber);
// `ordered`: what the present fiber did happens before the next one's steps.
void fiber_switched(Thread& t, Thread* fiber, bool ordered);

// The stack of calls, for setjmp and longjmp.
std::size_t call_depth(Thread& t);
void unwind_to(Thread& t, std::size_t depth);
// Puts an earlier stack (where(t) inside a library function) on top of the present one, and
// `function` above it: how a callback that runs later came about. unwind_to() takes it off.
void push_earlier(Thread& t, std::uint32_t stack, const void* function);
// Inside a LibraryCall: of the calls on the system's stack, innermost first, those between the
// call's caller and the innermost instrumented function come between the two here. The call's end
// takes them off.
void insert_callers(Thread& t, const std::uint64_t* pcs, std::size_t count);

// --- Signals, fork, exit ----------------------------------------------------------------------------
// Is the runtime in the middle of something on this thread? Then a handler must not run now.
bool busy();
// Called when the runtime gets out of the middle of something while a signal waits; set once, by
// interpose/signal.cpp. `wanted` is set by the handler that had to wait.
void on_leaving(void (*deliver)());
void want_delivery();
void fork_before();
void fork_after_in_parent();
void fork_after_in_child();
// A child process has ended, and everything it did happens before the caller's next step.
void process_waited(Thread& t, int pid);
// Tells the reporter that the program ends; the exit status to use instead of `status`.
int finish(int status);

// --- Ignoring -----------------------------------------------------------------------------------
// Between the two, this thread's accesses (or synchronisation) count for nothing. They nest.
void ignore_accesses(Thread& t, bool begin);
void ignore_sync(Thread& t, bool begin);
// The program has handlers of signals that can come at any time.
void handlers_installed();
// A signal handler of the program runs between the two: what the interrupted code ignores is not
// its business.
struct Ignoring {
  std::uint32_t accesses = 0;
  std::uint32_t sync = 0;
  bool in_handler = false;
};
Ignoring handler_begins(Thread& t);
void handler_ended(Thread& t, const Ignoring& before);

// --- Messages -----------------------------------------------------------------------------------
// One line on standard error, without allocating: "redflag: ..." and a newline.
void say(const char* message);

// Misuse of synchronisation that is a finding of its own (core/model/race.h has the rules).
enum class Misuse : std::uint8_t {
  kDestroyLocked,
  kDoubleLock,
  kUnlockUnlocked,
  kReadLockWrong,
  kReadUnlockWrong,
  kThreadLeak,
  kSignalUnsafe,
  kErrnoInSignal,
};
// `detail`: of kErrnoInSignal the signal's number.
void misused(Thread& t, Misuse what, const void* object, std::uint32_t detail = 1);

}  // namespace redflag::rt
