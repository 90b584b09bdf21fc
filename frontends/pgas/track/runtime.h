// Runtime: libredflag in this process, if the program has it (frontends/cpu/abi/watch.h).
//
// With it, threads have clocks and stacks, and their accesses to watched memory are known. Without it
// (a program that is not instrumented) one-sided operations are checked against each other, places are
// the call's return address, and the threads of a rank are taken to be one.
#pragma once

#include <sched.h>

#include <atomic>

#include "frontends/cpu/abi/watch.h"

namespace redflag::pgas {

// nullptr: the program does not have it, or another version.
const abi::WatchTable* find_runtime();

// A call of the library that the program made, while it lasts. What the library and this layer do in
// it to memory and locks is not looked at.
class LibraryCall {
 public:
  LibraryCall(const abi::WatchTable* runtime, const void* called, const void* from)
      : function(called),
        caller(from),
        thread(runtime == nullptr ? nullptr : runtime->enter(called, from)),
        runtime_(runtime) {
    if (thread != nullptr) runtime_->pause(thread);
  }
  ~LibraryCall() {
    if (thread == nullptr) return;
    runtime_->resume(thread);
    runtime_->leave(thread);
  }
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;

  const void* const function;
  const void* const caller;
  void* const thread;  // nullptr: not followed

 private:
  const abi::WatchTable* runtime_;
};

// For the job's own short critical sections: a mutex of the C library would be the program's business.
class QuietLock {
 public:
  void lock() {
    while (flag_.test_and_set(std::memory_order_acquire)) ::sched_yield();
  }
  void unlock() { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag flag_;
};

// For what calls of the library enter, and atomics of the program's own. Where the program has promised to
// make one call at a time (a level below MPI_THREAD_MULTIPLE), and has one thread, a plain load and store
// do: an atomic exchange would wait for all stores before it, which in a loop of small operations are most
// of the layer's time. A program that breaks its word is mostly found inside, and waits.
class CallLock {
 public:
  // Before any thread but the calling one makes calls. `runtime`: says whether there are others; nullptr: none
  // is followed.
  static void one_at_a_time(bool promised, const abi::WatchTable* runtime) {
    is_promised_ = promised;
    runtime_ = runtime;
  }
  static bool is_one_at_a_time() { return is_promised_; }

  void lock() {
    const bool is_alone = is_promised_ && (runtime_ == nullptr || runtime_->is_alone());
    if (is_alone && !is_taken_.load(std::memory_order_relaxed)) {
      is_taken_.store(true, std::memory_order_relaxed);
      return;
    }
    while (is_taken_.exchange(true, std::memory_order_acquire)) ::sched_yield();
  }
  void unlock() { is_taken_.store(false, std::memory_order_release); }

 private:
  static inline bool is_promised_ = false;
  static inline const abi::WatchTable* runtime_ = nullptr;
  std::atomic<bool> is_taken_{false};
};

}  // namespace redflag::pgas
