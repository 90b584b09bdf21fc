// World: who is inside the detector, and how to make everybody else wait outside.
//
// A thread marks itself inside while it works on shared histories; the fast paths, which only read
// a cell and compare, do not count. To reclaim memory, or to fork, one thread stops the world: new
// entrants wait, and it waits for those inside to leave. The mark is a plain store: the stopper
// makes it visible with membarrier(2), so entering costs no fence (where the kernel has none, it
// does).
//
// Stops may follow each other closely: maps of shared memory, forks, threads that sweep. They take
// turns in the order in which they were asked for, and whom one kept out comes in before the next
// begins: nobody waits for more than one stop, unless it is long off the processor.
#pragma once

#include "core/live/thread.h"

namespace redflag::live {

// Thread::inside: how deep, in the lower bits, and which stay it is, above them.
inline constexpr std::uint32_t kStay = 1U << 8;
constexpr bool is_inside(std::uint32_t inside) {
  return inside % kStay != 0;
}

// In the middle of something: a signal handler of the program must not run now.
inline bool is_busy(const Thread& t) {
  return is_inside(t.inside.load(std::memory_order_relaxed)) ||
         t.in_between.load(std::memory_order_relaxed) != 0;
}

// Under ThreadSanitizer the order that the fence gives is in the accesses themselves.
inline constexpr auto kEntering =
    kUnderTsan ? std::memory_order_seq_cst : std::memory_order_relaxed;

class World {
 public:
  void init() { asymmetric_ = !kUnderTsan && os_membarrier_ready(); }

  void enter(Thread& t) {
    const std::uint32_t inside = t.inside.load(std::memory_order_relaxed);
    if (is_inside(inside)) [[unlikely]] {
      t.inside.store(inside + 1, std::memory_order_relaxed);
      return;
    }
    t.inside.store(inside + kStay + 1, kEntering);
    if (asymmetric_) {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      std::atomic_thread_fence(std::memory_order_seq_cst);
    }
    if (stopping_.load(kEntering) != 0) [[unlikely]]
      wait(t);
  }
  // For a thread that is not inside. False: it must go the long way, and is not inside now.
  [[gnu::always_inline]] bool enter_quickly(Thread& t, std::uint32_t inside) {
    if (!asymmetric_) return false;
    t.inside.store(inside + kStay + 1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (stopping_.load(std::memory_order_relaxed) == 0) [[likely]]
      return true;
    leave(t);
    return false;
  }
  void leave(Thread& t) {
    const std::uint32_t inside = t.inside.load(std::memory_order_relaxed) - 1;
    t.inside.store(inside, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (!is_inside(inside) && t.delivery_wanted.load(std::memory_order_relaxed) != 0) [[unlikely]]
      deliver(t);
  }

  // Is nobody stopping the world? For a thread that has marked itself inside; it goes out again if
  // not. Always false where entering needs a fence.
  bool open() const { return asymmetric_ && stopping_.load(std::memory_order_relaxed) == 0; }
  [[gnu::noinline]] void deliver(Thread& t) {
    if (on_deliver != nullptr) on_deliver(t);
  }
  // `t` (nullptr: no known thread) is not inside. Between the two it alone works on histories.
  // Signals wait meanwhile, as they do for a thread that is inside (is_busy).
  void stop(Thread* t);
  void resume(Thread* t);
  // In the child of a fork, before it resumes: nobody else waits for a turn any more.
  void forget_turns() { next_turn_.store(turn_.load() + 1); }

  void add(Thread& t);
  void remove(Thread& t);
  template <typename F>
  void for_each(F&& f) {
    for (Thread* t = threads_; t != nullptr; t = t->next) f(*t);
  }
  SpinLock& list_lock() { return list_lock_; }

  void (*on_deliver)(Thread& t) = nullptr;

 private:
  [[gnu::noinline]] void wait(Thread& t);

  bool keeps_out_any(const Thread* stopper);
  void let_in(const Thread* stopper);

  std::atomic<std::uint32_t> stopping_{0};
  bool asymmetric_ = false;
  std::atomic<std::uint32_t> next_turn_{0};  // of whoever asks next to stop the world
  std::atomic<std::uint32_t> turn_{0};       // whose it is
  SpinLock list_lock_;
  Thread* threads_ = nullptr;
};

}  // namespace redflag::live
