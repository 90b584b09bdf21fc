// A runtime for tests: keeps vector clocks and nothing else, and answers whether one step happens
// before another. One system thread plays all of them.
#pragma once

#include <map>
#include <vector>

#include "frontends/cpu/rt/runtime.h"

namespace redflag::rt {

struct Thread {
  std::vector<unsigned> clock;
  std::size_t index = 0;
};

}  // namespace redflag::rt

namespace redflag::openmp {

// What a thread had done at some moment.
struct Step {
  std::size_t thread;
  unsigned time;
};

struct FakeRuntime {
  FakeRuntime();
  ~FakeRuntime();

  rt::Thread* new_thread(const rt::Thread* parent = nullptr);
  void run(rt::Thread* thread) { self = thread; }
  Step step();                         // of the present thread
  bool knows(const Step& step) const;  // does the present thread?

  rt::Thread* self = nullptr;
  std::map<rt::SyncKey, std::vector<unsigned>> keys;
  std::vector<rt::Thread*> threads;
  int fibers = 0;  // alive
  std::vector<std::pair<std::uintptr_t, std::size_t>> replaced;
};

}  // namespace redflag::openmp
