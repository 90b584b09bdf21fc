// A runtime for tests of the interceptors: it writes down what it is told, and decides nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "frontends/cpu/rt/runtime.h"

namespace redflag::interpose::testing {

// From the beginning of its life on, events are written down; the tests ask about single objects.
class Recording {
 public:
  Recording();
  ~Recording();

  // What happened to the object, in order, as words: "created lock unlock". Memory events carry their
  // size: "read:8 write:4".
  std::string about(const void* object) const;
  // The same for an object known by its key or number.
  std::string about(std::uintptr_t object) const;
  // All events but calls and memory, as words without objects.
  std::string order() const;
  // How often a word occurs.
  int count(const char* word) const;
};

// Makes the runtime look busy on this thread, so that signals wait.
void set_busy(bool busy);
// How deep the stack of calls of this thread is.
std::size_t depth();
// How many times lock_released_fully says that the lock was held.
void set_lock_depth(int depth);

}  // namespace redflag::interpose::testing
