// SpinLock: for the detector's own short critical sections.
//
// Never held across a call into the program or a blocking system call. After some turns the waiter
// yields, because the holder may be off the processor. Usable before any constructor has run.
//
// The word counts how often the lock was taken and given back: odd while it is held. Who reads
// what it protects without taking it, and finds the same even number before and after, has read what
// was there at one time.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/live/os.h"

namespace redflag::live {

// The stress tests also run under ThreadSanitizer, which sees neither fences nor membarrier, and
// takes what is read on the chance that it is still true for a mistake. The few places that do
// either have a form for it, or are not looked at.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define REDFLAG_UNDER_TSAN
#endif
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define REDFLAG_UNDER_SANITIZER
#endif
#endif
#ifdef REDFLAG_UNDER_SANITIZER
inline constexpr bool kUnderSanitizer = true;
#else
inline constexpr bool kUnderSanitizer = false;
#endif
#ifdef REDFLAG_UNDER_TSAN
inline constexpr bool kUnderTsan = true;
#define REDFLAG_MAY_READ_LATE __attribute__((no_sanitize("thread"), noinline))
#else
inline constexpr bool kUnderTsan = false;
#define REDFLAG_MAY_READ_LATE
#endif

class SpinLock {
 public:
  bool try_lock() { return !held() && (word_.fetch_or(1, std::memory_order_acquire) & 1) == 0; }
  void lock() {
    if ((word_.fetch_or(1, std::memory_order_acquire) & 1) == 0) [[likely]]
      return;
    lock_slow();
  }
  void unlock() {
    word_.store(word_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  bool held() const { return (word_.load(std::memory_order_relaxed) & 1) != 0; }
  std::uint32_t turn() const { return word_.load(std::memory_order_acquire); }

 private:
  [[gnu::noinline]] void lock_slow() {
    for (unsigned turn = 0;; ++turn) {
      if (try_lock()) return;
      if (turn < 100) {
        __builtin_ia32_pause();
      } else {
        os_yield();
      }
    }
  }

  std::atomic<std::uint32_t> word_{0};
};
static_assert(sizeof(SpinLock) == 4);

class Guard {
 public:
  explicit Guard(SpinLock& lock) : lock_(lock) { lock_.lock(); }
  ~Guard() { lock_.unlock(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  SpinLock& lock_;
};

}  // namespace redflag::live
