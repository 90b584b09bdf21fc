#include "frontends/cpu/openmp/stack.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>

#include "frontends/cpu/rt/runtime.h"

namespace redflag::openmp {

namespace {

constexpr std::uintptr_t kPage = 4096;
constexpr std::size_t kPagesAtOnce = 2048;       // one byte each, on the stack
constexpr std::uintptr_t kDeepest = 256u << 20;  // unlimited stacks are looked at this far

}  // namespace

void Stack::learn() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* low = nullptr;
  std::size_t size = 0;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    low_ = reinterpret_cast<std::uintptr_t>(low);
    top_ = low_ + size;
    low_ = std::max(low_, top_ > kDeepest ? top_ - kDeepest : 0);
  }
  pthread_attr_destroy(&attributes);
}

// Lowers `used_` to the lowest touched page in the range. False: part of it is not mapped.
bool Stack::look(std::uintptr_t from, std::uintptr_t to) {
  unsigned char resident[kPagesAtOnce];
  while (from < to) {
    const std::uintptr_t bytes = std::min<std::uintptr_t>(to - from, kPagesAtOnce * kPage);
    if (mincore(reinterpret_cast<void*>(from), bytes, resident) != 0) return false;
    for (std::size_t i = 0; i < bytes / kPage; ++i) {
      if (resident[i] & 1) {
        used_ = std::min(used_, from + i * kPage);
        return true;
      }
    }
    from += bytes;
  }
  return true;
}

void Stack::forget_below(const void* frame) {
  const auto end = reinterpret_cast<std::uintptr_t>(frame);
  if (top_ == 0) learn();
  if (end < low_ || end >= top_) return;  // a stack the program made itself
  const std::uintptr_t page = end & ~(kPage - 1);
  if (used_ == 0) used_ = mapped_ = page;
  used_ = std::min(used_, page);
  mapped_ = std::min(mapped_, page);
  look(mapped_, used_);
  // Below what was mapped last time: all of it, or as much as is mapped by now.
  for (std::uintptr_t step = mapped_ - low_; mapped_ > low_ && step >= kPage;) {
    step = std::min(step, mapped_ - low_);
    if (look(mapped_ - step, mapped_)) {
      mapped_ -= step;
    } else {
      step = step == kPage ? 0 : std::max(kPage, step / 16 & ~(kPage - 1));
    }
  }
  rt::memory_replaced(reinterpret_cast<void*>(used_), end - used_);
}

}  // namespace redflag::openmp
