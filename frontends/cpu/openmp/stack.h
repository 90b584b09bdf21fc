// Forgetting the part of a system thread's stack that its finished tasks used.
//
// Explicit tasks are logical threads of their own, but they borrow the stack of whatever system
// thread runs them. Two tasks that nothing orders then write the same stack slots, one after the
// other, without racing: the slots mean something new for each of them. So everything below the
// present frame is declared new memory whenever a task ends there, and before one starts if
// something else may have used it.
//
// How deep the stack was used is not known to anybody but the kernel: the pages below the deepest
// use have never been touched (mincore). Pages that were swapped out count as untouched.
#pragma once

#include <cstdint>

namespace redflag::openmp {

class Stack {
 public:
  // Forgets what lies below `frame`, which must be on the calling thread's stack.
  void forget_below(const void* frame);

 private:
  void learn();
  bool look(std::uintptr_t from, std::uintptr_t to);

  std::uintptr_t low_ = 0;     // where the stack can grow to
  std::uintptr_t top_ = 0;     // 0: not asked yet
  std::uintptr_t used_ = 0;    // the lowest page seen in use
  std::uintptr_t mapped_ = 0;  // mapped from here on: the main thread's stack grows
};

}  // namespace redflag::openmp
