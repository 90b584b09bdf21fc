// An atomic operation on memory that other processes share, in the eyes of whoever follows them (abi/watch.h).
//
// Where nobody does, this is one test of a null pointer. Made before the detector is entered, and told of the end behind
// it: what is called may take part in the detector.
#pragma once

#include <atomic>

#include "core/live/thread.h"
#include "frontends/cpu/abi/watch.h"

namespace redflag::rt {

extern std::atomic<const abi::AtomicHooks*> g_atomic_hooks;

class SharedAtomic {
 public:
  explicit SharedAtomic(std::uint64_t addr) {
    const abi::AtomicHooks* const hooks = g_atomic_hooks.load(std::memory_order_acquire);
    if (hooks != nullptr) [[unlikely]] {
      hooks_ = hooks;
      place_ = hooks->before(addr);
    }
  }
  // Behind a release fence, relaxed writes publish what was known at the fence; here, what is known now.
  void done(const live::Thread& t, abi::AtomicStep step, bool acquires, bool releases,
            std::uint64_t pc) const {
    if (place_ == nullptr) [[likely]]
      return;
    const bool is_fenced = !t.release_fence.empty();
    hooks_->after(place_, step, acquires, (releases || is_fenced) && step != abi::AtomicStep::kLoad,
                  reinterpret_cast<const void*>(pc));
  }

 private:
  const abi::AtomicHooks* hooks_ = nullptr;
  void* place_ = nullptr;
};

inline void shared_fence(bool acquires, std::uint64_t pc) {
  const abi::AtomicHooks* const hooks = g_atomic_hooks.load(std::memory_order_acquire);
  if (hooks != nullptr && acquires) [[unlikely]]
    hooks->fence(reinterpret_cast<const void*>(pc));
}

}  // namespace redflag::rt
