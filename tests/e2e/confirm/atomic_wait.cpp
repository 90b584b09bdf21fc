// Two threads pass a number back and forth, sleeping in std::atomic::wait.
// STD: c++20
#include <atomic>

#include "two.h"

namespace {

std::atomic<int> turn{0};
long number = 1;

void body(int mine) {
  for (int i = 0; i < 10; i++) {
    for (int now = turn.load(std::memory_order_acquire); now % 2 != mine;
         now = turn.load(std::memory_order_acquire)) {
      turn.wait(now, std::memory_order_acquire);
    }
    number = number * 7 % 1009;
    turn.fetch_add(1, std::memory_order_release);
    turn.notify_one();
  }
}

}  // namespace

int main() {
  in_threads(2, body);
  return 0;
}
