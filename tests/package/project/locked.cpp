#include <mutex>
#include <thread>

#include "counter.h"

static std::mutex door;

static void enter() {
  std::lock_guard<std::mutex> hold(door);
  visit();
}

// Its one argument shows that words reach a program under ctest.
int main(int argc, char**) {
  std::thread other(enter);
  enter();
  other.join();
  return argc == 2 ? 0 : 1;
}
