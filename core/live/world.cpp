#include "core/live/world.h"

namespace redflag::live {

void World::wait(Thread& t) {
  for (;;) {
    t.kept_out.store(t.inside.load(std::memory_order_relaxed), std::memory_order_relaxed);
    t.inside.fetch_sub(1, std::memory_order_release);
    while (stopping_.load(std::memory_order_relaxed) != 0) os_sleep_while(stopping_, 1);
    t.inside.fetch_add(kStay + 1, std::memory_order_seq_cst);
    if (stopping_.load(std::memory_order_seq_cst) == 0) return;
  }
}

bool World::keeps_out_any(const Thread* stopper) {
  const Guard guard(list_lock_);
  for (const Thread* u = threads_; u != nullptr; u = u->next) {
    const std::uint32_t inside = u->inside.load(std::memory_order_acquire);
    if (u != stopper && u->kept_out.load(std::memory_order_relaxed) == inside + 1) return true;
  }
  return false;
}

// Those whom the stop before kept out need no more than a processor. Not waited for any longer than
// one is hard to get: a signal handler that runs meanwhile may take its time, or never come back.
void World::let_in(const Thread* stopper) {
  constexpr unsigned kYields = 50;
  constexpr unsigned kNaps = 200;
  constexpr std::uint32_t kNap = 100'000;  // ns
  for (unsigned turn = 0; turn < kYields + kNaps && keeps_out_any(stopper); ++turn) {
    if (turn < kYields) {
      os_yield();
    } else {
      os_nap(kNap);
    }
  }
}

void World::stop(Thread* t) {
  if (t != nullptr) t->in_between.store(1, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const std::uint32_t mine = next_turn_.fetch_add(1, std::memory_order_relaxed);
  for (;;) {
    const std::uint32_t now = turn_.load(std::memory_order_acquire);
    if (now == mine) break;
    os_sleep_while(turn_, now);
  }
  let_in(t);
  stopping_.store(1, std::memory_order_seq_cst);
  if (asymmetric_) os_membarrier();
  for (;;) {
    bool quiet = true;
    {
      const Guard guard(list_lock_);
      for (Thread* u = threads_; u != nullptr; u = u->next) {
        if (u != t && is_inside(u->inside.load(std::memory_order_acquire))) quiet = false;
      }
    }
    if (quiet) break;
    os_yield();
  }
}

void World::resume(Thread* t) {
  stopping_.store(0, std::memory_order_release);
  os_wake_all(stopping_);
  turn_.fetch_add(1, std::memory_order_release);
  os_wake_all(turn_);
  if (t == nullptr) return;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  t->in_between.store(0, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (t->delivery_wanted.load(std::memory_order_relaxed) != 0) deliver(*t);
}

void World::add(Thread& t) {
  const Guard guard(list_lock_);
  t.next = threads_;
  t.previous = nullptr;
  if (threads_ != nullptr) threads_->previous = &t;
  threads_ = &t;
  t.listed = true;
}

void World::remove(Thread& t) {
  const Guard guard(list_lock_);
  if (!t.listed) return;
  (t.previous != nullptr ? t.previous->next : threads_) = t.next;
  if (t.next != nullptr) t.next->previous = t.previous;
  t.listed = false;
}

}  // namespace redflag::live
